import type { EngineResult } from '#contract/engine/engine.ts';
import { explorerMessages as t } from './explorer.messages.en.ts';
import { failed, ok } from '../result.ts';

/** The position in a list: it continues after the row with this sort key and number. */
export interface After {
  readonly key: string | number;
  readonly n: number | string;
}

export const cursorAfter = ({ key, n }: After): string =>
  Buffer.from(JSON.stringify([key, n])).toString('base64url');

/** Reads the cursor of a page; null: the first page. */
export function readCursor(cursor: string | null): EngineResult<After | null> {
  if (cursor === null) return ok(null);
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(value) && value.length === 2 && value.every(isKey))
      return ok({ key: value[0] as string | number, n: value[1] as string | number });
  } catch {
    // Not one of our cursors.
  }
  return failed('invalid', t.wrongCursor, { field: 'cursor' });
}

const isKey = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));
