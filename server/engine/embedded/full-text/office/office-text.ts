import { openOfficeFiles } from './office-files.ts';
import { readSpreadsheet, SPREADSHEET_FILES } from './spreadsheet-text.ts';
import { decodeEntities, getXmlText, listPieces } from './xml.ts';

/**
 * The files of a Word or PowerPoint document (ISO/IEC 29500) that have its text: also notes, comments,
 * headers, footers, and the texts of diagrams and charts.
 */
const TEXT_FILES: readonly RegExp[] = [
  /^word\/(?:document|footnotes|endnotes|comments|header|footer)\d*\.xml$/,
  /^ppt\/(?:slides|notesSlides|comments)\/[^/]+\.xml$/,
  /^(?:word|ppt)\/(?:diagrams\/data|charts\/chart)\d*\.xml$/,
];

/** Yields the text of a Word, Excel or PowerPoint document. */
export async function* readOfficeText(
  bytes: Uint8Array,
  isForPeople: boolean,
): AsyncGenerator<string, void> {
  const files = await openOfficeFiles(bytes, [...TEXT_FILES, ...SPREADSHEET_FILES]);
  if (files.paths.some((path) => path.startsWith('xl/'))) {
    yield* readSpreadsheet(files, isForPeople);
    return;
  }
  for (const path of files.paths) {
    const xml = await files.load(path);
    if (xml !== null) yield getXmlText(xml);
  }
}

/** The files of an OpenDocument document (ISO/IEC 26300): its content, and its headers and footers. */
const OPEN_FILES: readonly RegExp[] = [/^content\.xml$/, /^styles\.xml$/];

/** Yields the text of an OpenDocument text, spreadsheet, presentation or drawing. */
export async function* readOpenDocumentText(bytes: Uint8Array): AsyncGenerator<string, void> {
  const files = await openOfficeFiles(bytes, OPEN_FILES);
  for (const path of files.paths) {
    const xml = await files.load(path);
    if (xml !== null) yield getParagraphs(xml);
  }
}

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
  for (const { name, step, text } of listPieces(xml)) {
    if (text !== '') {
      if (depth > 0 && leftOut === 0) texts.push(decodeEntities(text));
      continue;
    }
    if (LEFT_OUT.has(name)) leftOut += step;
    if (name === 'p' || name === 'h') depth += step;
    if (!WITHIN_WORDS.has(name)) texts.push(' ');
  }
  return texts.join('');
}
