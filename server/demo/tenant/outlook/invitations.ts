import { conversationId, digest } from '../ids.ts';
import { addMessage, findFolder } from '../mailbox-store.ts';
import { type Person, listPeople } from '../people.ts';
import type { Tenant } from '../store.ts';
import { type StoredCalendarEvent, isOrganizer } from './events.ts';

/**
 * Sends what Exchange sends automatically when the organizer of a meeting creates, changes or deletes it:
 * a mail to each attendee.
 */
export function notifyAttendees(
  tenant: Tenant,
  owner: Person,
  event: StoredCalendarEvent,
  what: 'invitation' | 'update' | 'cancellation',
): void {
  if (!isOrganizer(event, owner)) return;
  const addresses = new Set(
    (event.attendees ?? []).map(({ emailAddress }) => emailAddress.address.toLowerCase()),
  );
  const from = { name: owner.name, address: owner.mail ?? owner.upn };
  for (const person of listPeople(tenant)) {
    const address = person.mail ?? person.upn;
    const isReachable = person.mailbox === 'user' || person.mailbox === 'shared';
    if (!isReachable || person.id === owner.id || !addresses.has(address.toLowerCase())) continue;
    const serial = tenant.store.seq();
    addMessage(tenant, {
      folder: findFolder(tenant, person.id, 'inbox'),
      receivedAt: Math.floor(tenant.now() / 1000) * 1000,
      isRead: false,
      attachments: [],
      props: {
        subject: `${what === 'cancellation' ? 'Canceled: ' : ''}${event.subject ?? ''}`,
        body: { contentType: 'text', content: event.body?.content ?? '' },
        from,
        sender: from,
        to: [{ name: person.name, address }],
        cc: [],
        bcc: [],
        replyTo: [],
        conversationId: conversationId(tenant, serial),
        internetMessageId: `<${digest(tenant.seed, 'meeting', serial).toString('hex').slice(0, 24)}@mail.${tenant.domain}>`,
        inReplyTo: null,
        importance: 'normal',
        categories: [],
        flag: { flagStatus: 'notFlagged' },
        isDraft: false,
        sentAt: tenant.now(),
        focused: true,
        isReadReceiptRequested: false,
        isDeliveryReceiptRequested: false,
        headers: [],
        extended: [],
      },
    });
  }
}
