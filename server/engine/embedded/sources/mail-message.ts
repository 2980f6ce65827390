import PostalMime from 'postal-mime';
import type { Address, Attachment, Email } from 'postal-mime';
import type { Reply } from '#contract/engine/engine.ts';
import type { MailFlags } from '#contract/engine/restore-flags.ts';
import type { Bytes } from '#contract/ids.ts';
import type { StoredItem } from '../types.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed } from '../../result.ts';
import { MESSAGE_TYPE, nameAttachedMail } from '../mail/attached-mail.ts';

/** A message as Graph takes it in JSON, and the attachments that don't fit into that request. */
export interface NewMessage {
  readonly message: Readonly<Record<string, unknown>>;
  readonly later: readonly NewAttachment[];
}
export interface NewAttachment {
  readonly name: string;
  readonly contentType: string;
  readonly isInline: boolean;
  readonly contentId: string | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Graph takes requests of 4 MB. Base64 needs a third more, and the body needs room too. */
const MAX_INLINE_BYTES: Bytes = 2_000_000;
/** Flags and times that only extended properties can set: MS-OXPROPS. */
const PROPERTY = {
  messageFlags: 'Integer 0x0E07',
  clientSubmitTime: 'SystemTime 0x0039',
  messageDeliveryTime: 'SystemTime 0x0E06',
  lastVerbExecuted: 'Integer 0x1081',
  iconIndex: 'Integer 0x1080',
} as const;
const READ = 1;
const UNSENT = 8;
/** That somebody answered, and the picture that shows it ([MS-OXOMSG]). */
const REPLY_TO_SENDER = 102;
const REPLIED_ICON = 0x105;

/**
 * Makes a message of a mail's MIME. Unlike a message that is posted as MIME it isn't a draft, unless
 * it was one, and it keeps its dates.
 */
export async function getMessage(
  mime: Uint8Array<ArrayBuffer>,
  item: StoredItem,
  flags: MailFlags,
): Reply<NewMessage> {
  let mail: Email;
  try {
    mail = await PostalMime.parse(mime, { forceRfc822Attachments: true });
  } catch {
    return failed('damaged', t.badMime);
  }
  const isRead = item.flags.read === true && !flags.markRestoredAsUnread;
  const sentAt = Date.parse(mail.date ?? '');
  const submitted = Number.isNaN(sentAt) ? item.at : sentAt;
  const attachments: NewAttachment[] = [];
  for (const file of mail.attachments)
    attachments.push(await getAttachment(file, attachments.length));
  const { now, later } = divide(attachments);
  const from = getRecipient(mail.from);
  const sender = getRecipient(mail.sender) ?? from;
  const message = {
    subject: mail.subject ?? '',
    body:
      mail.html === undefined
        ? { contentType: 'text', content: mail.text ?? '' }
        : { contentType: 'html', content: mail.html },
    ...(from === null ? {} : { from }),
    ...(sender === null ? {} : { sender }),
    toRecipients: getRecipients(mail.to),
    ccRecipients: getRecipients(mail.cc),
    bccRecipients: getRecipients(mail.bcc),
    replyTo: getRecipients(mail.replyTo),
    ...(mail.messageId ? { internetMessageId: mail.messageId } : {}),
    importance: item.flags.importance ?? 'normal',
    categories: item.flags.categories ?? [],
    flag: { flagStatus: item.flags.flagged === true ? 'flagged' : 'notFlagged' },
    isRead,
    ...(now.length === 0 ? {} : { attachments: now.map(attachmentJson) }),
    singleValueExtendedProperties: [
      {
        id: PROPERTY.messageFlags,
        value: String((isRead ? READ : 0) + (item.flags.draft === true ? UNSENT : 0)),
      },
      { id: PROPERTY.clientSubmitTime, value: isoTime(submitted) },
      { id: PROPERTY.messageDeliveryTime, value: isoTime(item.at) },
      ...(item.flags.answered === true
        ? [
            { id: PROPERTY.lastVerbExecuted, value: String(REPLY_TO_SENDER) },
            { id: PROPERTY.iconIndex, value: String(REPLIED_ICON) },
          ]
        : []),
    ],
  };
  return { ok: true, value: { message, later } };
}

/** An attachment as Graph takes it in JSON. */
export const attachmentJson = (file: NewAttachment) => ({
  '@odata.type': '#microsoft.graph.fileAttachment',
  'name': file.name,
  'contentType': file.contentType,
  'isInline': file.isInline,
  ...(file.contentId === null ? {} : { contentId: file.contentId }),
  'contentBytes': Buffer.from(file.bytes).toString('base64'),
});

export async function getAttachment(file: Attachment, n: number): Promise<NewAttachment> {
  const content = typeof file.content === 'string' ? Buffer.from(file.content) : file.content;
  const bytes = new Uint8Array(content);
  const subject = file.mimeType === MESSAGE_TYPE ? await nameAttachedMail(bytes) : null;
  return {
    name: file.filename || (subject ?? `attachment-${n + 1}`),
    contentType: file.mimeType,
    isInline: file.disposition === 'inline' || file.related === true,
    contentId: file.contentId?.replace(/^<(.*)>$/, '$1') ?? null,
    bytes,
  };
}

function divide(attachments: readonly NewAttachment[]) {
  const now: NewAttachment[] = [];
  const later: NewAttachment[] = [];
  let bytes = 0;
  for (const file of attachments) {
    const fits = bytes + file.bytes.byteLength <= MAX_INLINE_BYTES;
    if (fits) bytes += file.bytes.byteLength;
    (fits ? now : later).push(file);
  }
  return { now, later };
}

interface Recipient {
  readonly emailAddress: { readonly name: string; readonly address: string };
}

function getRecipient(person: Address | undefined): Recipient | null {
  if (person?.address === undefined) return null;
  const { name, address } = person;
  return { emailAddress: { name: name === '' ? address : name, address } };
}

/** Members of a named group are recipients of their own. */
const getRecipients = (people: readonly Address[] | undefined): Recipient[] =>
  (people ?? [])
    .flatMap((person) => person.group ?? [person])
    .map(getRecipient)
    .filter((person) => person !== null);

const isoTime = (at: number): string => new Date(at).toISOString();
