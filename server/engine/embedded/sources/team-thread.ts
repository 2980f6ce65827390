import type { FetchedPart } from '../types.ts';
import { teamMessages as t } from './team.messages.en.ts';
import type { Message, Thread } from './team-posts.ts';

/**
 * Returns a thread as a page that needs nothing else: authors, dates and texts without any markup of
 * theirs, and the pictures in it.
 */
export function threadPage({ post, replies }: Thread, pictures: readonly FetchedPart[]): string {
  const images = new Map(
    pictures.map(({ name = '', content }) => [
      name,
      content instanceof Uint8Array ? content : null,
    ]),
  );
  const show = (message: Message): string => {
    const isDeleted = message.deletedDateTime != null;
    const { content, contentType } = message.body;
    const plain = isDeleted ? t.deleted : getPlainText(content ?? '', contentType ?? 'text');
    return `<article>
<p><strong>${escaped(message.from?.user?.displayName ?? message.from?.application?.displayName ?? t.unknownAuthor)}</strong> <time>${escaped(message.createdDateTime ?? '')}</time></p>
<p>${escaped(plain.trim()).replaceAll('\n', '<br>\n')}</p>
${isDeleted ? '' : getImages(content ?? '', images)}</article>`;
  };
  const title = post.subject ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escaped(title)}</title>
</head>
<body>
${title === '' ? '' : `<h1>${escaped(title)}</h1>\n`}${[post, ...replies].map(show).join('\n')}
</body>
</html>
`;
}

const getImages = (html: string, images: ReadonlyMap<string, Uint8Array | null>): string =>
  [...html.matchAll(/hostedContents\/([^/"'\s\\]+)\/\$value/g)]
    .flatMap(([, id = '']) => images.get(id) ?? [])
    .flatMap((bytes) => {
      const type = getImageType(bytes);
      return type === null
        ? []
        : [
            `<p><img alt="" src="data:${type};base64,${Buffer.from(bytes).toString('base64')}"></p>\n`,
          ];
    })
    .join('');

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

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (plain: string): string => plain.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? '');
