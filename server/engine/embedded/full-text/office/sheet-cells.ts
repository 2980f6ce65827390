import { withoutHeaderCodes } from '../header-codes.ts';
import { decodeCharacters } from './cell-values.ts';
import { decodeEntities, getAttribute, listPieces } from './xml.ts';

/** A cell as a worksheet has it (ISO/IEC 29500-1, 18.3.1.4). */
export interface SheetCell {
  readonly kind: 'cell';
  /** `C5`; null: it follows the one before. */
  readonly reference: string | null;
  readonly type: string;
  /** The number of its style. */
  readonly style: number;
  /** Its text, number, or place in the list of texts: of a formula, the last result. */
  readonly value: string;
}
/** A cell, the end of a row, or a header or footer of printed pages. */
export type SheetPart =
  | SheetCell
  | { readonly kind: 'row' }
  | { readonly kind: 'header'; readonly text: string };

const HEADER = /^(?:odd|even|first)(?:Header|Footer)$/;

/** Lists the cells of a worksheet with the ends of its rows, in their order. */
export function* listSheetParts(xml: string): Generator<SheetPart, void> {
  let cell: Omit<SheetCell, 'value'> | null = null;
  let value = '';
  let isRead = false;
  let leftOut = 0;
  for (const { name, step, attributes, text } of listPieces(xml)) {
    if (text !== '') {
      if (isRead && leftOut === 0) value += decodeEntities(text);
    } else if (name === 'v' || name === 't') isRead = cell !== null && step > 0;
    else if (name === 'rPh') leftOut += step;
    else if (name === 'c') {
      if (step >= 0) cell = readCell(attributes);
      if (step <= 0 && cell !== null) yield { ...cell, value };
      if (step <= 0) cell = null;
      value = '';
      leftOut = 0;
    } else if (name === 'row') {
      if (step < 0) yield { kind: 'row' };
    } else if (HEADER.test(name)) {
      if (step < 0) yield { kind: 'header', text: withoutHeaderCodes(value) };
      isRead = step > 0;
      value = '';
    }
  }
}

const readCell = (attributes: string): Omit<SheetCell, 'value'> => ({
  kind: 'cell',
  reference: getAttribute(attributes, 'r'),
  type: getAttribute(attributes, 't') ?? 'n',
  style: Number(getAttribute(attributes, 's') ?? 0),
});

/** Returns the texts that cells share, without how they are read aloud. */
export function readSharedStrings(xml: string): readonly string[] {
  const strings: string[] = [];
  let value = '';
  let isRead = false;
  let leftOut = 0;
  for (const { name, step, text } of listPieces(xml)) {
    if (text !== '') {
      if (isRead && leftOut === 0) value += decodeEntities(text);
    } else if (name === 't') isRead = step > 0;
    else if (name === 'rPh') leftOut += step;
    else if (name === 'si') {
      if (step <= 0) strings.push(decodeCharacters(value));
      value = '';
      leftOut = 0;
    }
  }
  return strings;
}
