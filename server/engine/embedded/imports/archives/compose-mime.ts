import { createHash } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { MESSAGE_TYPE } from '../../mail/attached-mail.ts';

/** A mail that an archive stores as properties instead of as it was sent. */
export interface ArchivedMail {
  /** The header lines as they were received; empty if the mail never left its sender. */
  readonly headers: string;
  readonly subject: string;
  readonly from: ArchivedPerson | null;
  readonly to: readonly ArchivedPerson[];
  readonly cc: readonly ArchivedPerson[];
  readonly bcc: readonly ArchivedPerson[];
  readonly sentAt: Ms | null;
  readonly messageId: string;
  readonly inReplyTo: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly ArchivedFile[];
  readonly importance?: 'low' | 'normal' | 'high';
}
export interface ArchivedPerson {
  readonly name: string;
  readonly address: string;
}
export interface ArchivedFile {
  readonly name: string;
  readonly mediaType: string;
  /** Empty: nothing in the text refers to it. */
  readonly contentId: string;
  readonly bytes: Uint8Array;
}

interface Part {
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * Writes a mail as a file (RFC 5322, 2045). The same mail gives the same bytes, so that it is
 * imported once. Headers that were received stay, except those about its parts.
 */
export function composeMime(mail: ArchivedMail): Uint8Array<ArrayBuffer> {
  // Outlook gives ids also to files that the text doesn't show.
  const isInline = ({ contentId }: ArchivedFile): boolean =>
    contentId !== '' && mail.html.includes(`cid:${contentId}`);
  const inline = mail.attachments.filter(isInline).map((file) => toFile(file, 'inline'));
  const others = mail.attachments
    .filter((file) => !isInline(file))
    .map((file) => toFile(file, 'attachment'));
  const texts = [
    ...(mail.text !== '' || mail.html === '' ? [toText('plain', mail.text)] : []),
    ...(mail.html === '' ? [] : [toText('html', mail.html)]),
  ];
  const body = join('mixed', [join('related', [join('alternative', texts), ...inline]), ...others]);
  const received = keepHeaders(mail.headers);
  const head = received === '' ? makeHeaders(mail) : [received];
  return Uint8Array.from(
    Buffer.from([...head, 'MIME-Version: 1.0', ...body.headers, '', body.body].join('\r\n')),
  );
}

/** Leaves out the headers of the parts, which are written again, and lines that aren't headers. */
function keepHeaders(headers: string): string {
  const lines: string[] = [];
  let isWanted = false;
  for (const line of headers.replaceAll('\0', '').split(/\r\n|\r|\n/)) {
    const isMore = /^[ \t]+\S/.test(line);
    if (!isMore)
      isWanted = /^[!-9;-~]+:/.test(line) && !/^(?:content-[\w-]+|mime-version):/i.test(line);
    if (isWanted) lines.push(line);
  }
  return lines.join('\r\n');
}

const toHeader = (name: string, list: readonly ArchivedPerson[]): string[] =>
  list.length === 0 ? [] : [`${name}: ${list.map(toAddress).join(',\r\n ')}`];

function makeHeaders(mail: ArchivedMail): string[] {
  const content = createHash('sha256')
    .update(JSON.stringify([mail.subject, mail.from, mail.sentAt, mail.text, mail.html]))
    .digest('hex')
    .slice(0, 32);
  return [
    ...toHeader('from', mail.from === null ? [] : [mail.from]),
    ...toHeader('to', mail.to),
    ...toHeader('cc', mail.cc),
    ...toHeader('bcc', mail.bcc),
    `subject: ${encodeWords(mail.subject)}`,
    ...(mail.sentAt === null
      ? []
      : [`date: ${new Date(mail.sentAt).toUTCString().replace('GMT', '+0000')}`]),
    `message-id: ${toMessageId(mail.messageId) ?? `<${content}@imported.invalid>`}`,
    ...(mail.importance === 'low' || mail.importance === 'high'
      ? [`importance: ${mail.importance}`]
      : []),
    ...[toMessageId(mail.inReplyTo)].flatMap((id) => (id === null ? [] : [`in-reply-to: ${id}`])),
  ];
}

const toMessageId = (text: string): string | null =>
  /^<[!-;=?-~]+>$/.exec(text.trim())?.[0] ?? null;

/** Addresses of Exchange are paths in its directory, which no mail can have. */
function toAddress({ name, address }: ArchivedPerson): string {
  const plain = /^[!-;=?-~]+@[!-;=?-~]+$/.test(address)
    ? address
    : `${/[\w.-]+$/.exec(address)?.[0] ?? 'unknown'}@exchange.invalid`;
  return name === '' ? `<${plain}>` : `${encodeWords(name, true)} <${plain}>`;
}

/** RFC 2047. A word has at most 75 characters. */
function encodeWords(text: string, isPhrase = false): string {
  const clean = text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .toWellFormed();
  const isPlain = isPhrase ? /^[\w .'-]*$/.test(clean) : /^[ -~]*$/.test(clean);
  if (isPlain && clean.length < 60 && !clean.includes('=?')) return clean;
  const words: string[] = [];
  let word = '';
  for (const character of clean) {
    if (Buffer.byteLength(word + character) > 42) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map((one) => `=?utf-8?B?${Buffer.from(one).toString('base64')}?=`).join('\r\n ');
}

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('base64')
    .replaceAll(/.{76}(?=.)/g, '$&\r\n');

const toText = (kind: 'plain' | 'html', text: string): Part => ({
  headers: [`Content-Type: text/${kind}; charset=utf-8`, 'Content-Transfer-Encoding: base64'],
  body: toBase64(Buffer.from(text.toWellFormed())),
});

function toFile(
  { name, mediaType, contentId, bytes }: ArchivedFile,
  disposition: 'inline' | 'attachment',
): Part {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream';
  const id = contentId.replaceAll(/[^!-;=?-~]/g, '');
  const file = name.toWellFormed();
  const plain = file.replaceAll(/[^ !#-[\]-~]/g, '_');
  const isPlain = plain === file;
  const isMessage = type === MESSAGE_TYPE;
  return {
    headers: [
      `Content-Type: ${type}`,
      // A mail in a mail is never encoded (RFC 2046).
      `Content-Transfer-Encoding: ${isMessage ? '8bit' : 'base64'}`,
      ...(id === '' ? [] : [`Content-ID: <${id}>`]),
      `Content-Disposition: ${disposition};\r\n filename="${plain}"${
        isPlain
          ? ''
          : `;\r\n filename*=utf-8''${encodeURIComponent(file).replaceAll(/[!'()*]/g, '_')}`
      }`,
    ],
    body: isMessage ? Buffer.from(bytes).toString() : toBase64(bytes),
  };
}

/** One part stays alone. */
function join(kind: 'mixed' | 'related' | 'alternative', parts: readonly Part[]): Part {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  const contents = parts.map(({ headers, body }) => [...headers, '', body].join('\r\n'));
  const sum = createHash('sha256');
  for (const content of contents) sum.update(content);
  const boundary = `=_${kind}_${sum.digest('hex').slice(0, 32)}`;
  return {
    headers: [`Content-Type: multipart/${kind};\r\n boundary="${boundary}"`],
    body: [
      ...contents.flatMap((content) => [`--${boundary}`, content]),
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  };
}
