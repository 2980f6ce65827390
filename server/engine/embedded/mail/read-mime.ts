import PostalMime from 'postal-mime';
import type { Address, Attachment, Email } from 'postal-mime';
import type { Ms } from '#contract/ids.ts';
import { MESSAGE_TYPE, nameAttachedMail } from './attached-mail.ts';
import type { MailAttachment, MailContent, MailPerson, MailRecipient } from './mail-content.ts';

/** A mail in a mail in a mail … is a file from this depth on. */
const MAX_DEPTH = 8;

/**
 * Reads a mail with everything that it has.
 *
 * @throws if it is no mail that the parser understands.
 */
export async function parseMime(mime: Uint8Array, depth = 0): Promise<MailContent> {
  const mail = await PostalMime.parse(mime, {
    maxNestingDepth: 64,
    forceRfc822Attachments: true,
  });
  const attachments: MailAttachment[] = [];
  for (const file of mail.attachments)
    attachments.push(await readAttachment(file, attachments.length, depth));
  return {
    subject: toLine(mail.subject ?? ''),
    from: toPeople(mail.from === undefined ? [] : [mail.from])[0] ?? null,
    sender: toPeople(mail.sender === undefined ? [] : [mail.sender])[0] ?? null,
    recipients: [
      ...toRecipients('to', mail.to),
      ...toRecipients('cc', mail.cc),
      ...toRecipients('bcc', mail.bcc),
    ],
    sentAt: toTime(mail.date),
    headers: getHeaders(mime),
    text: mail.text ?? null,
    html: mail.html ?? null,
    messageId: mail.messageId ?? null,
    inReplyTo: mail.inReplyTo ?? null,
    references: mail.references ?? null,
    importance: getImportance(mail),
    attachments,
  };
}

async function readAttachment(file: Attachment, n: number, depth: number): Promise<MailAttachment> {
  const bytes = getBytes(file);
  const contentId = file.contentId?.replace(/^<(.*)>$/s, '$1') ?? null;
  const isMessage = file.mimeType === MESSAGE_TYPE;
  const name = toLine(file.filename ?? '');
  const about = {
    mediaType: toLine(file.mimeType),
    contentId: contentId === null ? null : toLine(contentId),
    isInline: file.related === true || (file.disposition === 'inline' && contentId !== null),
  };
  if (isMessage && depth < MAX_DEPTH) {
    // One that can't be read is still a file.
    const message = await parseMime(bytes, depth + 1).catch(() => null);
    if (message !== null)
      return { ...about, kind: 'message', message, name: name || message.subject || 'message' };
  }
  const subject = isMessage && name === '' ? await nameAttachedMail(bytes) : null;
  const shown = name || (isMessage ? (subject ?? `message-${n + 1}.eml`) : `attachment-${n + 1}`);
  return { ...about, kind: 'file', bytes, name: shown };
}

const getBytes = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

function toRecipients(kind: MailRecipient['kind'], addresses: Email['to']): MailRecipient[] {
  return toPeople(addresses ?? []).map((person) => ({ kind, ...person }));
}

const toPeople = (addresses: readonly Address[]): MailPerson[] =>
  addresses
    .flatMap((address): readonly MailPerson[] =>
      address.group === undefined ? [address] : address.group,
    )
    .map(({ name, address }) => ({ name: toLine(name), address: toLine(address) }));

/** Fields of other formats end at a zero, and have no lines. */
const toLine = (text: string): string => text.replaceAll(/[\0\r\n]+/g, ' ').toWellFormed();

function toTime(date: string | undefined): Ms | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
}

/** [MS-OXCMAIL] 2.1.3.2.11: two headers tell of importance. */
function getImportance({ headers }: Email): MailContent['importance'] {
  const get = (key: string): string =>
    headers
      .find((header) => header.key === key)
      ?.value.trim()
      .toLowerCase() ?? '';
  const importance = get('importance');
  if (importance === 'high' || importance === 'low') return importance;
  const priority = get('x-priority').charAt(0);
  if (priority === '1' || priority === '2') return 'high';
  return priority === '4' || priority === '5' ? 'low' : 'normal';
}

/** The lines before the first empty one, as they were sent. */
function getHeaders(mime: Uint8Array): string {
  const bytes = Buffer.from(mime.buffer, mime.byteOffset, mime.byteLength);
  const ends = ['\r\n\r\n', '\n\n'].map((end) => bytes.indexOf(end)).filter((at) => at >= 0);
  const head = bytes.subarray(0, ends.length === 0 ? bytes.length : Math.min(...ends));
  return head.toString('utf8').replaceAll('\0', '').replaceAll(/\r?\n/g, '\r\n');
}
