import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import { readTime, writeEventFile, writeTaskFile } from '../../formats/icalendar.ts';
import { writeContactFile } from '../../formats/vcard.ts';
import type { FetchedPart, ItemChange } from '../../types.ts';
import type { EmailAddress, OutlookContact, OutlookEvent, OutlookTask } from './entities.ts';
import { getFingerprint, toHash } from './fingerprint.ts';
import { folderKey, itemKey } from './keys.ts';
import type { OutlookItem } from './read-item.ts';

/** What the index has of an event; the listing knows less of it than the event itself. */
export const getEventChange = (event: OutlookEvent, folder: string): ItemChange => ({
  key: itemKey('event', event.id),
  changeKey: event.changeKey ?? '',
  folder,
  kind: 'event',
  title: event.subject ?? '',
  people: join([event.organizer, ...(event.attendees ?? [])].map((one) => one?.emailAddress)),
  at: readTime(event.start, 'UTC')?.toMillis() ?? getTime(event.lastModifiedDateTime),
  changedAt: getTime(event.lastModifiedDateTime),
  bytes: 0,
  flags: {
    ...(event.hasAttachments === true ? { attachments: 1 } : {}),
    ...getImportance(event.importance),
    ...(event.categories?.length ? { categories: event.categories } : {}),
  },
});

export const getContactChange = (contact: OutlookContact, folder: string): ItemChange => ({
  key: itemKey('contact', contact.id),
  changeKey: contact.changeKey ?? '',
  folder,
  kind: 'contact',
  title: contact.displayName || contact.fileAs || contact.companyName || '',
  people: join(contact.emailAddresses ?? []),
  at: getTime(contact.createdDateTime ?? contact.lastModifiedDateTime),
  changedAt: getTime(contact.lastModifiedDateTime),
  bytes: 0,
  flags: contact.categories?.length ? { categories: contact.categories } : {},
});

/** `list`: the id of its list. */
export const getTaskChange = (task: OutlookTask, list: string): ItemChange => ({
  key: itemKey('task', task.id, list),
  changeKey: task['@odata.etag'] ?? task.lastModifiedDateTime ?? '',
  folder: folderKey('tasks', list),
  kind: 'task',
  title: task.title ?? '',
  people: '',
  at: readTime(task.dueDateTime, 'UTC')?.toMillis() ?? getTime(task.createdDateTime),
  changedAt: getTime(task.lastModifiedDateTime),
  bytes: 0,
  flags: {
    read: task.status === 'completed',
    ...(task.hasAttachments === true ? { attachments: 1 } : {}),
    ...getImportance(task.importance),
    ...(task.categories?.length ? { categories: task.categories } : {}),
  },
});

/** The item as JSON, and as a file that other programs read. */
export function getParts(item: OutlookItem): readonly FetchedPart[] {
  const json: FetchedPart = { as: 'json', content: Buffer.from(JSON.stringify(item.value)) };
  switch (item.kind) {
    case 'event':
      return [json, { as: 'ics', content: writeEventFile(item.value) }];
    case 'contact':
      return [json, { as: 'vcf', content: writeContactFile(item.value) }];
    case 'task':
      return [json, { as: 'ics', content: writeTaskFile(item.value) }];
  }
}

/** Adds what only the whole item says: its size, and how it is compared with a target. */
export function completeChange(change: ItemChange, item: OutlookItem): ItemChange {
  const { changeKey, ...now } = getChange(item, change.folder);
  return {
    ...now,
    // The version that was listed: a later one is listed again.
    changeKey: change.changeKey === '' ? changeKey : change.changeKey,
    bytes: Buffer.byteLength(JSON.stringify(item.value)),
    flags: { ...now.flags, hash: toHash(getFingerprint(item)) },
  };
}

export function getChange(item: OutlookItem, folder: string): ItemChange {
  switch (item.kind) {
    case 'event':
      return getEventChange(item.value, folder);
    case 'contact':
      return getContactChange(item.value, folder);
    case 'task':
      return getTaskChange(item.value, folder.slice('tasks:'.length));
  }
}

const getImportance = (
  importance: string | null | undefined,
): { readonly importance?: 'low' | 'high' } =>
  importance === 'low' || importance === 'high' ? { importance } : {};

const join = (people: readonly (EmailAddress | null | undefined)[]): string =>
  people
    .map((person) => {
      const { name, address } = person ?? {};
      if (!address || !name || name === address) return address || name || '';
      return `${name} <${address}>`;
    })
    .filter((person) => person !== '')
    .join(', ');

const getTime = (text: string | null | undefined): Ms => {
  const at = DateTime.fromISO(text ?? '', { zone: 'UTC' });
  return at.isValid ? at.toMillis() : 0;
};
