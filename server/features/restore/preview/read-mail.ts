import PostalMime from 'postal-mime';
import type { Address, Attachment } from 'postal-mime';
import type { OutputOf } from '#contract/calls.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { cleanMail, contentId } from './clean-mail.ts';

/** What a preview shows of a mail. */
export interface ReadMail extends Omit<OutputOf<'createMailPreview'>, 'url'> {
  readonly body: MailBody;
}
/** `html`: clean, as `cleanMail` returns it. `text`: as the mail has it. */
export interface MailBody {
  readonly kind: 'html' | 'text';
  readonly content: string;
}
type Person = ReadMail['to'][number];

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
 * Reads a mail for a person.
 *
 * @throws if it is no mail that the parser understands.
 */
export async function readMail(mime: Uint8Array<ArrayBuffer>): Promise<ReadMail> {
  const mail = await PostalMime.parse(mime, { maxNestingDepth: 64, maxRfc822NestingDepth: 1 });
  const pictures = readPictures(mail.attachments);
  const isHtml = mail.html !== undefined && isReasonable(mail.html);
  if (!isHtml && mail.html !== undefined && mail.text === undefined)
    throw new Error('The mail has too many tags.');
  const clean = isHtml ? cleanMail(mail.html ?? '', pictures.data) : null;
  const sentAt = Date.parse(mail.date ?? '');
  return {
    subject: line(mail.subject ?? '', MAX_SUBJECT),
    from: toPeople(mail.from === undefined ? [] : [mail.from])[0] ?? null,
    to: toPeople(mail.to ?? []),
    cc: toPeople(mail.cc ?? []),
    sentAt: Number.isNaN(sentAt) ? null : (sentAt satisfies Ms),
    attachments: mail.attachments
      // A picture of the text is not listed a second time.
      .filter((file) => !(file.related === true && pictures.shown.has(file)))
      .slice(0, MAX_ATTACHMENTS)
      .map((file, n) => ({
        name: line(file.filename ?? '', MAX_NAME) || `attachment-${n + 1}`,
        bytes: getBytes(file).byteLength,
        type: line(file.mimeType, MAX_NAME),
      })),
    heldPictures: clean?.heldPictures ?? 0,
    body:
      clean === null
        ? { kind: 'text', content: mail.text ?? '' }
        : { kind: 'html', content: clean.html },
  };
}

/** Cleaning takes longer than in proportion to the number of tags. */
function isReasonable(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) tags += 1;
  return tags <= MAX_TAGS;
}
const MAX_TAGS = 50_000;

/** Inline pictures by their Content-ID, as addresses of data. */
function readPictures(attachments: readonly Attachment[]) {
  const data = new Map<string, string>();
  const shown = new Set<Attachment>();
  let room = MAX_PICTURE_BYTES;
  for (const file of attachments) {
    if (file.contentId === undefined || !PICTURES.has(file.mimeType)) continue;
    const bytes = getBytes(file);
    if (bytes.byteLength > room) continue;
    room -= bytes.byteLength;
    const type = file.mimeType === 'image/jpg' ? 'image/jpeg' : file.mimeType;
    data.set(contentId(file.contentId), `data:${type};base64,${bytes.toString('base64')}`);
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

const toPeople = (addresses: readonly Address[]): Person[] =>
  addresses
    .flatMap((address): readonly Person[] =>
      address.group === undefined ? [address] : address.group,
    )
    .slice(0, MAX_PEOPLE)
    .map(({ name, address }) => ({ name: line(name, MAX_NAME), address: line(address, MAX_NAME) }));

/** A single line, without characters that change the direction of what follows. */
const line = (text: string, maxChars: number): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .slice(0, maxChars)
    .toWellFormed()
    .trim();
