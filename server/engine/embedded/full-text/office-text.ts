import type { Bytes } from '#contract/ids.ts';
import { readZipFiles } from '../imports/archives/zip.ts';

/** The files of a document (ISO/IEC 29500) that have its text. */
const TEXT_FILES: readonly RegExp[] = [
  /^word\/(?:document|footnotes|endnotes|comments|(?:header|footer)\d*)\.xml$/,
  /^ppt\/(?:slides|notesSlides)\/[^/]+\.xml$/,
  /^xl\/(?:sharedStrings|worksheets\/[^/]+)\.xml$/,
];
const MAX_FILE_BYTES: Bytes = 32 << 20;
/** Unpacked, of all files together. */
const MAX_TEXT_BYTES: Bytes = 64 << 20;

/** Yields the text of a Word, Excel or PowerPoint document. */
export async function* readOfficeText(bytes: Uint8Array): AsyncGenerator<string, void> {
  for await (const xml of readFiles(bytes, TEXT_FILES)) yield getXmlText(xml);
}

/** The files of an OpenDocument document (ISO/IEC 26300): its content, and its headers and footers. */
const OPEN_FILES: readonly RegExp[] = [/^content\.xml$/, /^styles\.xml$/];

/** Yields the text of an OpenDocument text, spreadsheet, presentation or drawing. */
export async function* readOpenDocumentText(bytes: Uint8Array): AsyncGenerator<string, void> {
  for await (const xml of readFiles(bytes, OPEN_FILES)) yield getParagraphs(xml);
}

/** Yields the XML of the files of an archive whose paths match. What it grows to is limited (G66). */
async function* readFiles(
  bytes: Uint8Array,
  patterns: readonly RegExp[],
): AsyncGenerator<string, void> {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const file = {
    stem: '',
    filePath: null,
    bytes: content.length,
    read: (from: Bytes, length: Bytes) => Promise.resolve(content.subarray(from, from + length)),
  };
  let left = MAX_TEXT_BYTES;
  for await (const { path, name, load } of readZipFiles(file, MAX_FILE_BYTES)) {
    const place = [...path, name].join('/');
    if (!patterns.some((pattern) => pattern.test(place))) continue;
    const loaded = await load();
    if (loaded.kind !== 'file') continue;
    left -= loaded.content.length;
    if (left < 0) return;
    yield decodeXml(loaded.content);
  }
}

/** ISO/IEC 29500 allows UTF-8 and UTF-16. */
function decodeXml(bytes: Uint8Array): string {
  const isLarge = bytes[0] === 0xff || bytes[0] === 0xfe;
  return new TextDecoder(isLarge ? (bytes[0] === 0xfe ? 'utf-16be' : 'utf-16le') : 'utf-8').decode(
    bytes,
  );
}

/** A text, or where a line ends, or a word. A word may be in several texts. */
const PIECE =
  /<(?:\w{1,20}:)?t(?:\s[^<>]*)?>([^<]*)<\/|(<\/(?:\w{1,20}:)?(?:p|si|row)>|<(?:\w{1,20}:)?(?:br|cr)\b)|<\/(?:\w{1,20}:)?(?:is|tc)>|<(?:\w{1,20}:)?tab\b/g;

function getXmlText(xml: string): string {
  const texts: string[] = [];
  for (const [, text, line] of xml.matchAll(PIECE))
    texts.push(text !== undefined ? decode(text) : line !== undefined ? '\n' : ' ');
  return texts.join('');
}

/** A tag with its local name, or the text before the next one. */
const TAG_OR_TEXT = /<(\/)?(?:[\w-]{1,40}:)?([\w-]{1,40})[^<>]*?(\/)?>|<[^<>]*>|([^<]+)/g;
/** Within a paragraph, they don't end a word. */
const WITHIN_WORDS: ReadonlySet<string> = new Set([
  'span',
  'a',
  'meta',
  ...['bookmark', 'reference-mark', 'change'].flatMap((name) => [
    name,
    `${name}-start`,
    `${name}-end`,
  ]),
]);
/** What was deleted, and pictures. */
const LEFT_OUT: ReadonlySet<string> = new Set(['tracked-changes', 'binary-data']);

/** The text of paragraphs and headings, also of those in notes and comments within another one. */
function getParagraphs(xml: string): string {
  const texts: string[] = [];
  let depth = 0;
  let leftOut = 0;
  for (const [, isEnd, name = '', isEmpty, text] of xml.matchAll(TAG_OR_TEXT)) {
    const step = isEmpty !== undefined ? 0 : isEnd === undefined ? 1 : -1;
    if (text !== undefined) {
      if (depth > 0 && leftOut === 0) texts.push(decode(text));
      continue;
    }
    if (LEFT_OUT.has(name)) leftOut += step;
    if (name === 'p' || name === 'h') depth += step;
    if (!WITHIN_WORDS.has(name)) texts.push(' ');
  }
  return texts.join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};
const decode = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (entity, ...parts) => {
    const [decimal, hex, name] = parts as (string | undefined)[];
    if (name !== undefined) return ENTITIES[name] ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ' ';
  });
