import * as v from 'valibot';
import { lineOfText } from './stored-text.ts';
import { TEXT_LIMITS } from './text-limits.ts';

export interface OneLine extends v.BaseTransformation<string, string, never> {
  readonly type: 'one_line';
  readonly reference: typeof oneLine;
}

/**
 * `lineOfText` as a schema step. It has its own type so that the store's fast validation can detect
 * that a text needs no change.
 */
export function oneLine(): OneLine {
  return {
    'kind': 'transformation',
    'type': 'one_line',
    'reference': oneLine,
    'async': false,
    '~run': (dataset) => ({ ...dataset, value: lineOfText(dataset.value) }),
  };
}

/** The schema of a name: one line of 1 to `most` characters. */
export const nameText = (max: number = TEXT_LIMITS.nameChars) =>
  v.pipe(v.string(), oneLine(), v.trim(), v.minLength(1), v.maxLength(max));
