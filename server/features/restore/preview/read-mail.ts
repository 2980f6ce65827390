import PostalMime from 'postal-mime';
import type { Address, Attachment } from 'postal-mime';
import type { OutputOf } from '#contract/calls.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { MESSAGE_TYPE, nameAttachedMail } from '#server/engine/public/content.ts';
import { cleanMail, contentId } from './clean-mail.ts';
import { isMsg, readMsg } from './read-msg.ts';

/** What a preview shows of a mail. */
export interface ReadMail extends Omit<OutputOf<'createMailPreview'>, 'url'> {
  readonly body: MailBody;
}
/** `html`: clean, as `cleanMail` returns it. `text`: as the mail has it. */
export interface MailBody {
  readonly kind: 'html' | 'text';
  readonly content: string;
}
export type ShownMailPerson = ReadMail['to'][number];

/** A mail of any format, as it is read from its file. */
export interface MailParts {
  readonly subject: string;
  readonly from: ShownMailPerson | null;
  readonly to: readonly ShownMailPerson[];
  readonly cc: readonly ShownMailPerson[];
  /** NaN: unknown. */
  readonly sentAt: Ms;
  readonly html: string | undefined;
  readonly text: string | undefined;
  readonly files: readonly MailFile[];
}
export interface MailFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly contentId: string | undefined;
  /** It belongs to the text. */
  readonly isRelated: boolean;
  /** Of an attached mail that is stored in pieces, without bytes of its own. */
  readonly mail?: () => MailParts;
}

const MAX_PEOPLE = 500;
const MAX_ATTACHMENTS = 500;
const MAX_SUBJECT = 1_000;
const MAX_NAME = 300;
/** Pictures beyond this are left out, not the mail. */
const MAX_PICTURE_BYTES: Bytes = 16 << 20;
const PICTURES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/jpg',
  'image/gif',
  'image/webp',
  'image/bmp',
]);

/**
 * Reads a mail (MIME or MSG) for a person.
 *
 * @throws if it is no mail that the parser understands.
 */
export async function readShownMail(bytes: Uint8Array<ArrayBuffer>): Promise<ReadMail> {
  return showMail(await parseMail(bytes));
}

/** @throws as above */
export const parseMail = async (bytes: Uint8Array<ArrayBuffer>): Promise<MailParts> =>
  isMsg(bytes) ? readMsg(bytes) : readMimeMail(bytes);

/** @throws as above */
export async function readMimeMail(mime: Uint8Array<ArrayBuffer>): Promise<MailParts> {
  const mail = await PostalMime.parse(mime, { maxNestingDepth: 64, forceRfc822Attachments: true });
  const files: MailFile[] = [];
  for (const file of mail.attachments) files.push(await toFile(file));
  return {
    subject: mail.subject ?? '',
    from: toPeople(mail.from === undefined ? [] : [mail.from])[0] ?? null,
    to: toPeople(mail.to ?? []),
    cc: toPeople(mail.cc ?? []),
    sentAt: Date.parse(mail.date ?? ''),
    html: mail.html,
    text: mail.text,
    files,
  };
}

/** An attached mail without a name is called by its subject. */
async function toFile(file: Attachment): Promise<MailFile> {
  const bytes = getBytes(file);
  const isNamed = Boolean(file.filename) || file.mimeType !== MESSAGE_TYPE;
  return {
    name: file.filename || (isNamed ? '' : ((await nameAttachedMail(bytes)) ?? '')),
    type: file.mimeType,
    bytes,
    contentId: file.contentId,
    isRelated: file.related === true,
  };
}

export function showMail({
  subject,
  from,
  to,
  cc,
  sentAt,
  html,
  text,
  files,
}: MailParts): ReadMail {
  const pictures = readPictures(files);
  const isHtml = html !== undefined && isReasonable(html);
  if (!isHtml && html !== undefined && text === undefined)
    throw new Error('The mail has too many tags.');
  const clean = isHtml ? cleanMail(html, pictures.data) : null;
  return {
    subject: line(subject, MAX_SUBJECT),
    from: from === null ? null : showPerson(from),
    to: to.slice(0, MAX_PEOPLE).map(showPerson),
    cc: cc.slice(0, MAX_PEOPLE).map(showPerson),
    sentAt: Number.isNaN(sentAt) ? null : sentAt,
    attachments: listFiles(files, pictures).map(({ name, bytes, type }, n) => ({
      name: line(name, MAX_NAME) || `attachment-${n + 1}`,
      bytes: bytes.byteLength,
      type: line(type, MAX_NAME),
    })),
    heldPictures: clean?.heldPictures ?? 0,
    body:
      clean === null
        ? { kind: 'text', content: text ?? '' }
        : { kind: 'html', content: clean.html },
  };
}

/** The files of a mail as a preview lists them. */
export const listFiles = (
  files: readonly MailFile[],
  pictures = readPictures(files),
): readonly MailFile[] =>
  files
    // A picture of the text is not listed a second time.
    .filter((file) => !(file.isRelated && pictures.shown.has(file)))
    .slice(0, MAX_ATTACHMENTS);

const showPerson = ({ name, address }: ShownMailPerson): ShownMailPerson => ({
  name: line(name, MAX_NAME),
  address: line(address, MAX_NAME),
});

/** Cleaning takes longer than in proportion to the number of tags. */
function isReasonable(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) tags += 1;
  return tags <= MAX_TAGS;
}
const MAX_TAGS = 50_000;

/** Inline pictures by their Content-ID, as addresses of data. */
function readPictures(files: readonly MailFile[]) {
  const data = new Map<string, string>();
  const shown = new Set<MailFile>();
  let room = MAX_PICTURE_BYTES;
  for (const file of files) {
    if (file.contentId === undefined || !PICTURES.has(file.type)) continue;
    if (file.bytes.byteLength > room) continue;
    room -= file.bytes.byteLength;
    const type = file.type === 'image/jpg' ? 'image/jpeg' : file.type;
    data.set(contentId(file.contentId), `data:${type};base64,${file.bytes.toString('base64')}`);
    shown.add(file);
  }
  return { data, shown };
}

const getBytes = ({ content }: Attachment): Buffer =>
  typeof content === 'string'
    ? Buffer.from(content)
    : content instanceof Uint8Array
      ? Buffer.from(content.buffer, content.byteOffset, content.byteLength)
      : Buffer.from(content);

const toPeople = (addresses: readonly Address[]): ShownMailPerson[] =>
  addresses
    .flatMap((address): readonly ShownMailPerson[] =>
      address.group === undefined ? [address] : address.group,
    )
    .slice(0, MAX_PEOPLE)
    .map(({ name, address }) => ({ name, address }));

/** A single line, without characters that change the direction of what follows. */
const line = (text: string, maxChars: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .slice(0, maxChars)
    .toWellFormed()
    .trim();
