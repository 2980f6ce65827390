import type { Correspondent } from './mail-content.ts';
import type { NewAttachment } from './mailbox-store.ts';

/** What a posted MIME message says. */
export interface ReadMail {
  readonly subject: string;
  readonly from: Correspondent | null;
  readonly to: readonly Correspondent[];
  readonly cc: readonly Correspondent[];
  readonly bcc: readonly Correspondent[];
  readonly replyTo: readonly Correspondent[];
  readonly date: number | null;
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  readonly text: string;
  readonly html: string | null;
  readonly attachments: readonly NewAttachment[];
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Reads a message as bytes: headers, bodies, attachments. Each byte is one letter in between. */
export function parseMessage(bytes: Uint8Array): ReadMail {
  const root = splitPart(Buffer.from(bytes).toString('latin1'));
  const leaves = listLeafParts(root);
  const getBody = (type: string): string | null => {
    const part = leaves.find((leaf) => getType(leaf) === type && !isFile(leaf));
    return part ? getText(part) : null;
  };
  const header = (name: string): string => decodeWords(root.headers.get(name) ?? '');
  const date = Date.parse(header('date'));
  return {
    subject: header('subject'),
    from: readAddresses(root.headers.get('from'))[0] ?? null,
    to: readAddresses(root.headers.get('to')),
    cc: readAddresses(root.headers.get('cc')),
    bcc: readAddresses(root.headers.get('bcc')),
    replyTo: readAddresses(root.headers.get('reply-to')),
    date: Number.isNaN(date) ? null : date,
    messageId: root.headers.get('message-id') ?? null,
    inReplyTo: root.headers.get('in-reply-to') ?? null,
    text: getBody('text/plain') ?? '',
    html: getBody('text/html'),
    attachments: leaves.filter(isFile).map((part) => ({
      name: fileName(part) ?? 'attachment',
      type: getType(part),
      isInline: /^inline/i.test(part.headers.get('content-disposition') ?? ''),
      contentId: part.headers.get('content-id')?.replace(/^<|>$/g, '') ?? null,
      content: new Uint8Array(decodeBody(part)),
    })),
  };
}

/** Whether a part is an attachment, inline or not. */
const isFile = (part: Part): boolean =>
  /^attachment/i.test(part.headers.get('content-disposition') ?? '') ||
  part.headers.has('content-id') ||
  fileName(part) !== null;

function splitPart(source: string): Part {
  const end = /\r?\n\r?\n/.exec(source);
  const head = end ? source.slice(0, end.index) : source;
  const headers = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { headers, body: end ? source.slice(end.index + end[0].length) : '' };
}

function listLeafParts(part: Part): Part[] {
  const boundary = getParameter(part.headers.get('content-type') ?? '', 'boundary');
  if (!getType(part).startsWith('multipart/') || boundary === null) return [part];
  return part.body
    .split(new RegExp(`(?:^|\\r?\\n)--${escapeRegex(boundary)}(?:--)?[ \\t]*(?=\\r?\\n|$)`))
    .slice(1)
    .map((text) => text.replace(/^\r?\n/, ''))
    .filter((text) => text.trim() !== '')
    .flatMap((text) => listLeafParts(splitPart(text)));
}

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const getType = ({ headers }: Part): string =>
  (headers.get('content-type') ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? 'text/plain';

/** Returns a header's parameter, of RFC 2231 too. */
function getParameter(header: string, name: string): string | null {
  const extended = new RegExp(`;\\s*${name}\\*=([^']*)'[^']*'([^;\\s]+)`, 'i').exec(header);
  if (extended) return decodeURIComponent(extended[2] ?? '');
  const match = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(header);
  return match ? decodeWords(match[1] ?? match[2] ?? '') : null;
}

const fileName = ({ headers }: Part): string | null =>
  getParameter(headers.get('content-disposition') ?? '', 'filename') ??
  getParameter(headers.get('content-type') ?? '', 'name');

function decodeBody({ headers, body }: Part): Buffer {
  const encoding = (headers.get('content-transfer-encoding') ?? '7bit').toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  return Buffer.from(
    body
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      ),
    'latin1',
  );
}

const getText = (part: Part): string => {
  const charset = getParameter(part.headers.get('content-type') ?? '', 'charset') ?? 'utf-8';
  return decodeBytes(decodeBody(part), charset);
};

function decodeBytes(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** Decodes the encoded words of a header (RFC 2047). */
function decodeWords(text: string): string {
  const utf8 = Buffer.from(text, 'latin1').toString();
  return utf8
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?([^?]+)\?([bq])\?([^?]*)\?=/gi, (_, charset: string, form: string, word: string) =>
      decodeBytes(
        form.toLowerCase() === 'b'
          ? Buffer.from(word, 'base64')
          : Buffer.from(
              word
                .replaceAll('_', ' ')
                .replace(/=([0-9A-F]{2})/gi, (_hex, hex: string) =>
                  String.fromCodePoint(Number.parseInt(hex, 16)),
                ),
              'latin1',
            ),
        charset,
      ),
    );
}

function readAddresses(header: string | undefined): Correspondent[] {
  const parts = (header ?? '').match(/(?:"(?:\\.|[^"\\])*"|[^,"])+/g) ?? [];
  return parts
    .map((part): Correspondent => {
      const match = /^(.*?)<([^<>]+)>\s*$/.exec(part.trim());
      const name = (match?.[1] ?? '')
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .replace(/\\(.)/g, '$1');
      return { name: decodeWords(name), address: (match?.[2] ?? part).trim() };
    })
    .filter(({ address }) => address.includes('@'));
}
