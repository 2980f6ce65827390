import sanitizeHtml from 'sanitize-html';
import type { FetchedPart } from '../types.ts';
import { readAttachments } from './team-attachments.ts';
import { teamMessages as t } from './team.messages.en.ts';
import type { Message, Thread } from './team-posts.ts';

/**
 * Returns a thread as a page that needs nothing else and loads nothing: authors, times in a zone,
 * texts with their formats, links, lists and mentions, pictures, and the names of attachments.
 */
export function threadPage(
  { post, replies }: Thread,
  pictures: readonly FetchedPart[],
  zone = 'UTC',
): string {
  const images = new Map(
    pictures.flatMap(({ name = '', content }): [string, string][] => {
      const data = content instanceof Uint8Array ? getImageData(content) : null;
      return data === null ? [] : [[name, data]];
    }),
  );
  const show = (message: Message): string => {
    const isDeleted = message.deletedDateTime != null;
    const { content, contentType } = message.body;
    const html = isDeleted
      ? `<p><em>${escaped(t.deleted)}</em></p>`
      : contentType === 'html'
        ? cleanPost(content ?? '', images)
        : `<p>${escaped((content ?? '').trim()).replaceAll('\n', '<br>\n')}</p>`;
    return `<article>
<p><strong>${escaped(message.from?.user?.displayName ?? message.from?.application?.displayName ?? t.unknownAuthor)}</strong> ${showTime(message.createdDateTime, zone)}</p>
${html}
${isDeleted ? '' : showAttachments(message)}</article>`;
  };
  const title = post.subject ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; img-src data:">
<title>${escaped(title)}</title>
</head>
<body>
${title === '' ? '' : `<h1>${escaped(title)}</h1>\n`}${[post, ...replies].map(show).join('\n')}
</body>
</html>
`;
}

function showTime(iso: string | null | undefined, zone: string): string {
  const at = Date.parse(iso ?? '');
  if (Number.isNaN(at)) return '';
  const shown = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: zone,
  }).format(at);
  return `<time datetime="${new Date(at).toISOString()}">${escaped(shown)}</time>`;
}

const showAttachments = (message: Message): string => {
  const names = readAttachments(message).map(({ name, url }) =>
    url === null
      ? escaped(name)
      : `<a href="${escaped(url)}" rel="noreferrer">${escaped(name)}</a>`,
  );
  return names.length === 0
    ? ''
    : `<p>${escaped(t.attachments)}:</p>\n<ul>\n${names.map((name) => `<li>${name}</li>\n`).join('')}</ul>\n`;
};

/** Formats stay; what could load or run anything goes, as in a mail that is shown. */
const cleanPost = (html: string, images: ReadonlyMap<string, string>): string =>
  sanitizeHtml(html, {
    allowedTags: TAGS,
    allowedAttributes: {
      a: ['href', 'rel'],
      img: ['src', 'alt', 'width', 'height'],
      ol: ['start'],
      td: ['colspan', 'rowspan'],
      th: ['colspan', 'rowspan'],
    },
    allowedSchemes: ['https', 'http', 'mailto', 'tel'],
    allowedSchemesByTag: { img: ['data'] },
    allowProtocolRelative: false,
    nestingLimit: 200,
    transformTags: {
      a: (_tag, { href = '' }) => ({ tagName: 'a', attribs: { href, rel: 'noreferrer' } }),
      // Teams writes a mention as the name in a tag of its own.
      at: () => ({ tagName: 'b', attribs: {} }),
      img: (_tag, { src = '', alt = '', width, height }) => {
        const data = images.get(HOSTED.exec(src)?.[1] ?? '');
        return data === undefined
          ? { tagName: 'span', attribs: {}, text: alt }
          : {
              tagName: 'img',
              attribs: {
                src: data,
                alt,
                ...(width !== undefined && { width }),
                ...(height !== undefined && { height }),
              },
            };
      },
    },
  }).trim();

const TAGS =
  `a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s span strike strong
  sub sup table tbody td tfoot th thead tr u ul`.split(/\s+/);
const HOSTED = /hostedContents\/([^/"'\s\\]+)\/\$value/;

const IMAGE_TYPES: readonly (readonly [string, string])[] = [
  ['89504e47', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
];

/** The type of a picture by its first bytes; null for anything that isn't one. */
export const getImageType = (bytes: Uint8Array): string | null => {
  const head = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  return IMAGE_TYPES.find(([magic]) => head.startsWith(magic))?.[1] ?? null;
};

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Returns the text of a message without its markup. */
export function getPlainText(content: string, type: string): string {
  if (type !== 'html') return content;
  return content
    .replaceAll(/<(style|script)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
    .replaceAll(/<(br|\/p|\/div|\/li|\/tr|\/h\d)\b[^>]*>/gi, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(
      /&(#x?[\da-f]{1,6}|\w{1,8});/gi,
      (whole, name: string) => decodeEntity(name) ?? whole,
    )
    .replaceAll(/\n{3,}/g, '\n\n');
}

function decodeEntity(name: string): string | null {
  if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? null;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : null;
}

function getImageData(bytes: Uint8Array): string | null {
  const type = getImageType(bytes);
  return type === null ? null : `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (plain: string): string => plain.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');
