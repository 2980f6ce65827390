import {
  type DateFormat,
  decodeCharacters,
  formatDate,
  formatNumber,
  getDateFormat,
} from './cell-values.ts';
import type { OfficeFiles } from './office-files.ts';
import { listSheetParts, type SheetCell, readSharedStrings } from './sheet-cells.ts';
import { getAttribute, getXmlText, listPieces } from './xml.ts';

const WORKBOOK = 'xl/workbook.xml';
const RELATIONS = 'xl/_rels/workbook.xml.rels';
const STYLES = 'xl/styles.xml';
const SHARED_STRINGS = 'xl/sharedStrings.xml';
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/;
/** Comments, text boxes, diagrams and titles of charts. */
const BESIDE_CELLS =
  /^xl\/(?:comments\/?|threadedComments\/|drawings\/drawing|diagrams\/data|charts\/chart)[^/]*\.xml$/;

/** The files of a workbook (ISO/IEC 29500) that have its text. */
export const SPREADSHEET_FILES: readonly RegExp[] = [
  /^xl\/(?:workbook|styles|sharedStrings)\.xml$/,
  /^xl\/_rels\/workbook\.xml\.rels$/,
  SHEET,
  BESIDE_CELLS,
];

/** Nothing longer fits a cell. */
const MAX_CELL_CHARS = 32_767;
/** Cells are yielded in pieces of about this size. */
const PIECE_CHARS = 1 << 16;
/** A longer row is divided. */
const MAX_LINES_CHARS = 1 << 20;
/** Words of numbers that are looked at. */
const MAX_NUMBER_CHARS = 1 << 18;
/** More empty cells in a row aren't shown. */
const MAX_GAP = 64;
/** `XFD` */
const MAX_COLUMN = 16_384;

interface Workbook {
  readonly sheets: readonly { readonly path: string; readonly name: string }[];
  readonly isFrom1904: boolean;
  readonly strings: readonly string[];
  /** By the style of a cell. */
  readonly formats: readonly (DateFormat | null)[];
}

/**
 * Yields the text of a workbook. For people: each sheet with its name, a line for each row that is not
 * empty, and tabs between cells. For words: texts first, since numbers may be many.
 */
export async function* readSpreadsheet(
  files: OfficeFiles,
  isForPeople: boolean,
): AsyncGenerator<string, void> {
  const workbook = await openWorkbook(files);
  let isWhole = true;
  if (isForPeople) {
    let gap = '';
    for (const { path, name } of workbook.sheets) {
      yield `${gap}${name}`;
      gap = '\n';
      const xml = await files.load(path);
      if (xml === null) isWhole = false;
      else yield* listLines(xml, workbook);
    }
  }
  if (!isForPeople || !isWhole) yield* workbook.strings;
  for (const path of files.paths.filter((found) => BESIDE_CELLS.test(found))) {
    const xml = await files.load(path);
    if (xml !== null) yield decodeCharacters(getXmlText(xml));
  }
  if (!isForPeople) yield* listWords(files, workbook);
}

async function* listWords(files: OfficeFiles, workbook: Workbook): AsyncGenerator<string, void> {
  const numbers = new Set<string>();
  let room = MAX_NUMBER_CHARS;
  for (const { path, name } of workbook.sheets) {
    yield name;
    const xml = await files.load(path);
    if (xml === null) continue;
    for (const cell of listSheetParts(xml)) {
      if (cell.kind === 'header') yield cell.text;
      if (cell.kind !== 'cell' || cell.type === 's') continue;
      const text = getCellText(cell, workbook);
      if (cell.type === 'inlineStr' || cell.type === 'str') yield text;
      else if (room > 0 && !numbers.has(text)) {
        numbers.add(text);
        room -= text.length;
      }
    }
  }
  yield [...numbers].join(' ');
}

function* listLines(xml: string, workbook: Workbook): Generator<string, void> {
  let lines: string[] = [];
  let line = '';
  let chars = 0;
  /** Of the last text in the line, and of the last cell. */
  let column = 1;
  let place = 0;
  for (const cell of listSheetParts(xml)) {
    if (cell.kind === 'header') continue;
    if (cell.kind === 'cell') {
      place = getColumn(cell.reference) ?? place + 1;
      const text = getCellText(cell, workbook).slice(0, MAX_CELL_CHARS).replaceAll(/\s+/g, ' ');
      if (text !== '') {
        const gap = Math.max(place - column, line === '' ? 0 : 1);
        line += `${'\t'.repeat(Math.min(gap, MAX_GAP))}${text}`;
        chars += text.length;
        column = place;
      }
    }
    if (cell.kind === 'row' || chars >= MAX_LINES_CHARS) {
      if (line !== '') lines.push(line);
      line = '';
      column = 1;
      place = 0;
    }
    if (chars < (cell.kind === 'row' ? PIECE_CHARS : MAX_LINES_CHARS)) continue;
    yield lines.join('\n');
    lines = [];
    chars = 0;
  }
  yield [...lines, line].join('\n').trimEnd();
}

/** `C5` is in the third column. */
function getColumn(reference: string | null): number | null {
  const [letters = ''] = /^[A-Z]{1,3}(?=\d|$)/i.exec(reference ?? '') ?? [];
  let column = 0;
  for (const letter of letters.toUpperCase()) column = 26 * column + letter.charCodeAt(0) - 64;
  return column === 0 || column > MAX_COLUMN ? null : column;
}

/** The text of a cell as people see it, without the separators and units of its format. */
function getCellText(
  { type, style, value }: SheetCell,
  { strings, formats, isFrom1904 }: Workbook,
): string {
  switch (type) {
    case 's':
      return strings[Number(value)] ?? '';
    case 'inlineStr':
    case 'str':
      return decodeCharacters(value);
    case 'b':
      return value === '' ? '' : Number(value) === 0 || value === 'false' ? 'FALSE' : 'TRUE';
    case 'e':
      return value;
    case 'd':
      return value.replace('T', ' ').replace(/ 00:00:00(?:\.0+)?Z?$/, '');
    default: {
      const format = value === '' ? null : (formats[style] ?? null);
      return (
        (format === null ? null : formatDate(Number(value), format, isFrom1904)) ??
        formatNumber(value)
      );
    }
  }
}

async function openWorkbook(files: OfficeFiles): Promise<Workbook> {
  const xml = await files.load(WORKBOOK);
  const places = readRelations(await files.load(RELATIONS));
  const paths = new Set(files.paths.filter((path) => SHEET.test(path)));
  const sheets: { readonly path: string; readonly name: string }[] = [];
  let isFrom1904 = false;
  for (const { name, step, attributes } of listPieces(xml ?? '')) {
    if (name === 'workbookPr')
      isFrom1904 = /^(?:1|true)$/.test(getAttribute(attributes, 'date1904') ?? '');
    if (name !== 'sheet' || step < 0) continue;
    const path = places.get(getAttribute(attributes, String.raw`\w{1,20}:id`) ?? '') ?? '';
    if (paths.delete(path)) sheets.push({ path, name: getAttribute(attributes, 'name') ?? '' });
  }
  for (const path of paths) sheets.push({ path, name: '' });
  return {
    sheets,
    isFrom1904,
    strings: readSharedStrings((await files.load(SHARED_STRINGS)) ?? ''),
    formats: readFormats((await files.load(STYLES)) ?? ''),
  };
}

/** Returns the path of each file that the workbook names. */
function readRelations(xml: string | null): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { name, step, attributes } of listPieces(xml ?? '')) {
    if (name !== 'Relationship' || step < 0) continue;
    const target = getAttribute(attributes, 'Target') ?? '';
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`;
    places.set(getAttribute(attributes, 'Id') ?? '', path);
  }
  return places;
}

/** Returns the format of each style that cells can have. */
function readFormats(xml: string): readonly (DateFormat | null)[] {
  const codes = new Map<number, string>();
  const formats: (DateFormat | null)[] = [];
  let isForCells = false;
  for (const { name, step, attributes } of listPieces(xml)) {
    const getNumber = (): number => Number(getAttribute(attributes, 'numFmtId') ?? 0);
    if (name === 'cellXfs') isForCells = step > 0;
    else if (name === 'numFmt' && step >= 0 && formats.length === 0)
      codes.set(getNumber(), getAttribute(attributes, 'formatCode') ?? '');
    else if (name === 'xf' && step >= 0 && isForCells)
      formats.push(getDateFormat(getNumber(), codes.get(getNumber())));
  }
  return formats;
}
