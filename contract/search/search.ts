import type { DayN } from '../time/day.ts';
import { DAY_MS } from '../time/durations.ts';

/**
 * A parsed search: words in lower case, and a range of whole days, both inclusive, if the text
 * contains a date.
 */
export interface Sought {
  readonly words: readonly string[];
  readonly days: { readonly from: DayN; readonly to: DayN } | null;
}

/** Maximum number of words; the others are ignored. */
const MAX_WORDS = 8;
/** Minimum number of letters before the server is queried. */
export const MIN_SEARCH_CHARS = 2;

/**
 * Parses a search text (SEEK-2). It accepts a day as the portal writes it (`8/14/26`,
 * `08/14/2026`), as `2026-08-14` or `14.8.2026`, and a month as `2026-08`. The last date in the
 * text counts. Text that isn't a valid date is a word.
 */
export function soughtIn(text: string): Sought {
  const words = new Set<string>();
  let days: Sought['days'] = null;
  for (const word of text
    .trim()
    .toLowerCase()
    .split(/[\s\p{Cc}]+/u)) {
    const named = daysIn(word);
    if (named) days = named;
    else if (word !== '' && words.size < MAX_WORDS) words.add(word);
  }
  return { words: [...words], days };
}

/** Returns whether the search is long enough to query the server. */
export const isEnough = ({ words, days }: Sought): boolean =>
  days !== null || words.reduce((sum, { length }) => sum + length, 0) >= MIN_SEARCH_CHARS;

function daysIn(word: string): Sought['days'] {
  const month = /^(\d{4})-(\d{1,2})$/.exec(word);
  if (month) {
    const [year, of] = [Number(month[1]), Number(month[2])];
    const first = dayAt(year, of, 1);
    return first === null ? null : { from: first, to: Date.UTC(year, of, 1) / DAY_MS - 1 };
  }
  const day = named(word);
  return day === null ? null : { from: day, to: day };
}

function named(word: string): DayN | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(word);
  if (iso) return dayAt(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const shown = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})$/.exec(word);
  if (shown) return dayAt(getYear(shown[3]), Number(shown[1]), Number(shown[2]));
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})$/.exec(word);
  return dotted ? dayAt(getYear(dotted[3]), Number(dotted[2]), Number(dotted[1])) : null;
}

const getYear = (digits = ''): number => (digits.length === 2 ? 2000 : 0) + Number(digits);

/** Returns null if the calendar has no such day. */
function dayAt(year: number, month: number, day: number): DayN | null {
  const at = Date.UTC(year, month - 1, day);
  const back = new Date(at);
  return year >= 1970 &&
    back.getUTCFullYear() === year &&
    back.getUTCMonth() === month - 1 &&
    back.getUTCDate() === day
    ? at / DAY_MS
    : null;
}
