import { digest } from './ids.ts';
import type { Correspondent } from './mail-content.ts';
import { type AttachmentRow, type MessageProps, readAttachment } from './mailbox-store.ts';

const CRLF = '\r\n';

/**
 * Returns a message as RFC 5322 text, the same bytes for the same content: mixed with attachments,
 * related with inline pictures, alternative with text and HTML.
 */
export function writeMime(props: MessageProps, attachments: readonly AttachmentRow[]): Buffer {
  const boundary = (name: string): string =>
    `_${name}_${digest(props.internetMessageId, name).toString('hex').slice(0, 24)}_`;
  const inline = attachments.filter((attachment) => attachment.inline === 1);
  const files = attachments.filter((attachment) => attachment.inline === 0);
  let body = bodyPart(props, boundary('alt'));
  if (inline.length > 0)
    body = multipart('related', boundary('rel'), [body, ...inline.map(filePart)]);
  if (files.length > 0) body = multipart('mixed', boundary('mix'), [body, ...files.map(filePart)]);
  return Buffer.from(`${headers(props)}${body}`, 'latin1');
}

function headers(props: MessageProps): string {
  const lines = [
    ...props.headers.map(({ name, value }) => `${name}: ${encodeText(value, name.length + 2)}`),
    address('From', props.from ? [props.from] : []),
    props.sender && props.sender.address !== props.from?.address
      ? address('Sender', [props.sender])
      : '',
    address('To', props.to),
    address('Cc', props.cc),
    address('Bcc', props.isDraft ? props.bcc : []),
    address('Reply-To', props.replyTo),
    `Subject: ${encodeText(props.subject, 9)}`,
    `Date: ${mailDate(props.sentAt)}`,
    `Message-ID: ${props.internetMessageId}`,
    props.inReplyTo === null ? '' : `In-Reply-To: ${props.inReplyTo}`,
    props.importance === 'normal' ? '' : `Importance: ${props.importance}`,
    'MIME-Version: 1.0',
  ];
  return lines
    .filter((line) => line !== '')
    .map((line) => line + CRLF)
    .join('');
}

/** `Mon, 23 Nov 2026 12:00:00 +0000` */
const mailDate = (at: number): string => new Date(at).toUTCString().replace('GMT', '+0000');

function address(name: string, people: readonly Correspondent[]): string {
  if (people.length === 0) return '';
  const list = people.map((person) =>
    person.name === '' ? person.address : `${phrase(person.name)} <${person.address}>`,
  );
  return `${name}: ${list.join(`,${CRLF} `)}`;
}

const phrase = (name: string): string =>
  /^[ -~]*$/.test(name) ? `"${name.replace(/["\\]/g, String.raw`\$&`)}"` : encodeText(name, 20);

/** Returns plain ASCII, or encoded words (RFC 2047) of at most 75 characters, folded. */
function encodeText(text: string, used: number): string {
  if (/^[ -~]*$/.test(text) && text.length + used < 900) return text.replaceAll('=?', '= ?');
  const words: string[] = [];
  let part = '';
  for (const letter of text) {
    if (Buffer.byteLength(part + letter) > 42) {
      words.push(part);
      part = '';
    }
    part += letter;
  }
  words.push(part);
  return words
    .map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`)
    .join(`${CRLF} `);
}

function bodyPart({ body }: MessageProps, boundary: string): string {
  if (body.contentType === 'text') return textPart('plain', body.content);
  const plain = body.content.replace(/<head[\s\S]*?<\/head>/i, '').replace(/<[^>]+>/g, ' ');
  return multipart('alternative', boundary, [
    textPart('plain', plain.replace(/[ \t]+/g, ' ').trim()),
    textPart('html', body.content),
  ]);
}

const textPart = (subtype: string, text: string): string =>
  [
    `Content-Type: text/${subtype}; charset="utf-8"`,
    'Content-Transfer-Encoding: base64',
    '',
    wrapBase64(Buffer.from(text.replace(/\r?\n/g, CRLF))),
    '',
  ].join(CRLF);

function filePart(attachment: AttachmentRow): string {
  const name = parameter('name', attachment.name);
  const fileName = parameter('filename', attachment.name);
  const isInline = attachment.inline === 1;
  return [
    `Content-Type: ${attachment.type};${CRLF} ${name}`,
    `Content-Disposition: ${isInline ? 'inline' : 'attachment'};${CRLF} ${fileName}; size=${attachment.size}`,
    ...(attachment.content_id === null ? [] : [`Content-ID: <${attachment.content_id}>`]),
    'Content-Transfer-Encoding: base64',
    '',
    wrapBase64(Buffer.from(readAttachment(attachment))),
    '',
  ].join(CRLF);
}

/** RFC 2231 for names that aren't ASCII. */
const parameter = (key: string, value: string): string =>
  /^[ -~]*$/.test(value) && !/["\\]/.test(value)
    ? `${key}="${value}"`
    : `${key}*=utf-8''${encodeURIComponent(value).replace(/['()*]/g, (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`)}`;

const wrapBase64 = (bytes: Buffer): string =>
  (bytes.toString('base64').match(/.{1,76}/g) ?? []).join(CRLF);

const multipart = (subtype: string, boundary: string, parts: readonly string[]): string =>
  [
    `Content-Type: multipart/${subtype}; boundary="${boundary}"`,
    '',
    ...parts.flatMap((part) => [`--${boundary}`, part]),
    `--${boundary}--`,
    '',
  ].join(CRLF);
