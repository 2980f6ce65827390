import * as v from 'valibot';
import { lineOfText } from './stored-text.ts';
import { TEXT_LIMITS } from './text-limits.ts';

interface OneLine extends v.BaseTransformation<string, string, never> {
  readonly type: 'one_line';
  readonly reference: typeof oneLine;
}

/**
 * `lineOfText` as a step of a schema. It has a type of its own, so that the store's quick check can
 * tell where there is nothing to change.
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

/** What something is called: one line with something in it, at most `most` characters. */
export const nameText = (most: number = TEXT_LIMITS.nameChars) =>
  v.pipe(v.string(), oneLine(), v.trim(), v.minLength(1), v.maxLength(most));
