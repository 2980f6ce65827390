import { type PSTAttachment, PSTFile, type PSTMessage, PSTRecipient } from 'pst-extractor';
import type { DescriptorIndexNode } from 'pst-extractor/dist/DescriptorIndexNode.class.js';
import type { Bytes, Ms } from '#contract/ids.ts';
import { MESSAGE_TYPE } from '../../mail/attached-mail.ts';
import { MAX_MAIL_BYTES } from './archive.ts';
import {
  type ArchivedFile,
  type ArchivedMail,
  type ArchivedPerson,
  composeMime,
} from './compose-mime.ts';

/** A mail in a mail in a mail … is left out from this depth on. */
const MAX_MESSAGE_DEPTH = 8;

/** A message of a file, or one that is attached to it. */
export interface PstMessageRef {
  readonly pst: PSTFile;
  readonly node: DescriptorIndexNode;
}

/** Returns a mail with its attachments. */
export function readMessage(
  place: PstMessageRef,
  message: PSTMessage,
  depth = 0,
): ArchivedMail | 'too-large' {
  const files = readAttachedFiles(place, message, depth);
  if (files === 'too-large') return files;
  const attachments = files.map(({ file }) => file);
  const text = readPstText(() => message.body);
  const html = readPstText(() => message.bodyHTML);
  const rtf = text === '' && html === '' ? readPstText(() => message.bodyRTF) : '';
  if (rtf !== '')
    attachments.push({
      name: 'message.rtf',
      mediaType: 'application/rtf',
      contentId: '',
      bytes: Buffer.from(rtf, 'latin1'),
    });
  const recipients = readRecipients(place.pst, message);
  const by = (kind: number): readonly ArchivedPerson[] =>
    recipients.filter((one) => one.kind === kind);
  const address =
    readPstText(() => message.senderEmailAddress) ||
    readPstText(() => message.sentRepresentingEmailAddress);
  const name =
    readPstText(() => message.senderName) || readPstText(() => message.sentRepresentingName);
  return {
    headers: readPstText(() => message.transportMessageHeaders),
    subject: readPstText(() => message.subject),
    from: name === '' && address === '' ? null : { name, address },
    to: by(1),
    cc: by(2),
    bcc: by(3),
    sentAt:
      readPstTime(() => message.clientSubmitTime) ?? readPstTime(() => message.messageDeliveryTime),
    messageId: readPstText(() => message.internetMessageId),
    inReplyTo: readPstText(() => message.inReplyToId),
    text,
    html,
    attachments,
  };
}

/** An attachment with what it is stored as. */
export interface AttachedFile {
  readonly attachment: PSTAttachment;
  readonly file: ArchivedFile;
}

/** Returns the attachments that have a content, as files; mails among them as EML. */
export function readAttachedFiles(
  place: PstMessageRef,
  message: PSTMessage,
  depth = 0,
  isWanted: (attachment: PSTAttachment) => boolean = () => true,
): readonly AttachedFile[] | 'too-large' {
  const files: AttachedFile[] = [];
  let bytes: Bytes = 0;
  let n = -1;
  for (const attachment of listAttachments(place, message)) {
    n += 1;
    if (!isWanted(attachment)) continue;
    const file = readAttachment(place, attachment, n, depth);
    if (file === 'too-large') return file;
    if (file === null) continue;
    bytes += file.bytes.byteLength;
    if (bytes > MAX_MAIL_BYTES) return 'too-large';
    files.push({ attachment, file });
  }
  return files;
}

export function* listAttachments(
  { pst }: PstMessageRef,
  message: PSTMessage,
): Generator<PSTAttachment, void> {
  const count = get(() => message.numberOfAttachments, 0);
  widen(pst, message['attachmentTable'] as object | null);
  for (let n = 0; n < count; n++) yield message.getAttachment(n);
}

/** The data of a block in an OST file of Outlook 2013 or newer ([MS-PST] 2.2.2.8.3.1 has the others). */
const LARGE_BLOCK_BYTES: Bytes = 65_512;

/** The library takes the blocks of all files for small ones. Rows beyond the first would be wrong. */
function widen(pst: PSTFile, table: object | null): void {
  if (table !== null && pst.pstFileType === PSTFile.PST_TYPE_2013_UNICODE)
    Object.assign(table, { BLOCK_SIZE: LARGE_BLOCK_BYTES });
}

interface RecipientTable {
  getItems(): readonly ConstructorParameters<typeof PSTRecipient>[1][];
}

/** `kind`: 1 to, 2 cc, 3 bcc. `flags`, `response`: of an event ([MS-OXOCAL] 2.2.4.10). */
export interface Recipient extends ArchivedPerson {
  readonly kind: number;
  readonly flags: number;
  readonly response: number;
}

export function readRecipients(pst: PSTFile, message: PSTMessage): readonly Recipient[] {
  if (get(() => message.numberOfRecipients, 0) === 0) return [];
  const table = message['recipientTable'] as RecipientTable | null;
  widen(pst, table);
  // For a single one, the library reads all of them.
  const rows = get(() => table?.getItems() ?? [], []);
  return rows.map((row) => {
    const recipient = new PSTRecipient(pst, row);
    return {
      kind: get(() => recipient.recipientType, 1) & 0xff,
      flags: get(() => recipient['getIntItem'](0x5ffd), 0),
      response: get(() => recipient['getIntItem'](0x5fff), 0),
      name: readPstText(() => recipient.displayName),
      address:
        readPstText(() => recipient.smtpAddress) || readPstText(() => recipient.emailAddress),
    };
  });
}

/** Returns the mail, or other item, that is attached; null: it is a file, or nothing. */
export function getEmbedded({ node }: PstMessageRef, attachment: PSTAttachment): PSTMessage | null {
  // Without a node, the library finds no mail in a mail.
  Object.assign(attachment, { descriptorIndexNode: node });
  return attachment.embeddedPSTMessage;
}

/** Returns null for one without content, such as a link to a file. */
function readAttachment(
  place: PstMessageRef,
  attachment: PSTAttachment,
  n: number,
  depth: number,
): ArchivedFile | 'too-large' | null {
  const contentId = readPstText(() => attachment.contentId);
  const embedded = getEmbedded(place, attachment);
  if (embedded !== null) {
    if (depth >= MAX_MESSAGE_DEPTH) return null;
    const mail = readMessage(place, embedded, depth + 1);
    if (mail === 'too-large') return mail;
    return {
      name: `${mail.subject || `message-${n + 1}`}.eml`,
      mediaType: MESSAGE_TYPE,
      contentId: '',
      bytes: composeMime(mail),
    };
  }
  const stream = attachment.fileInputStream;
  if (stream === null) return null;
  const bytes = stream.length.toNumber();
  if (bytes > MAX_MAIL_BYTES) return 'too-large';
  const content = Buffer.alloc(bytes);
  if (bytes > 0) stream.readCompletely(content);
  return {
    name:
      readPstText(() => attachment.longFilename) ||
      readPstText(() => attachment.filename) ||
      `attachment-${n + 1}`,
    mediaType: readPstText(() => attachment.mimeTag),
    contentId,
    bytes: content,
  };
}

/** A property that is damaged is as if the mail didn't have it. */
export function get<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
export const readPstText = (read: () => string): string => {
  const text: unknown = get<unknown>(read, '');
  return typeof text === 'string' ? text.replaceAll('\0', '') : '';
};
export const readPstTime = (read: () => Date | null): Ms | null => {
  const time = get(read, null)?.getTime() ?? null;
  return time === null || Number.isNaN(time) ? null : time;
};
