import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** Which of the words a text contains: one bit per word. */
export type Bits = number;

export const getFullScore = (words: readonly string[]): Bits => (1 << words.length) - 1;
export const bitsIn = (key: string, words: readonly string[]): Bits =>
  words.reduce((bits, word, i) => (key.includes(word) ? bits | (1 << i) : bits), 0);

/** The same in SQL. `key` must be in lower case and cheap to evaluate. */
export const getBits = (key: RawBuilder<string>, words: readonly string[]): RawBuilder<Bits> =>
  words.length === 0
    ? sql`0`
    : sql`(${sql.join(
        words.map(
          (word, i) => sql`case when ${holds(key, word)} then ${sql.lit(1 << i)} else 0 end`,
        ),
        sql` | `,
      )})`;

/**
 * A database with the locale C does not convert letters beyond ASCII to lower case, so both cases
 * are searched.
 */
const holds = (key: RawBuilder<string>, word: string): RawBuilder<boolean> =>
  /[^ -~]/.test(word)
    ? sql`${key} ~ ${getPattern(word)}::text`
    : sql`position(${word}::text in ${key}) > 0`;
const getPattern = (word: string): string =>
  word.replaceAll(/\W/gu, (letter) => {
    if (/[ -~]/.test(letter)) return `\\${letter}`;
    const upper = letter.toUpperCase();
    return upper.length === letter.length && upper !== letter ? `[${letter}${upper}]` : letter;
  });

export const getCount = (bits: Bits): number => {
  let count = 0;
  for (let left = bits; left > 0; left &= left - 1) count += 1;
  return count;
};

/**
 * Returns how well a name matches: 0 if it begins with a searched word, 1 if one of its words does,
 * 2 if it contains one.
 */
export function getMatchScore(name: string, words: readonly string[]): number {
  const lower = name.toLowerCase();
  if (words.some((word) => lower.startsWith(word))) return 0;
  return words.some((word) => {
    const at = lower.indexOf(word);
    return at > 0 && !/[\p{L}\p{N}]/u.test(lower[at - 1] ?? '');
  })
    ? 1
    : 2;
}

export const byFit = (words: readonly string[]) => {
  const fits = new Map<string, number>();
  const fit = (name: string): number => {
    const known = fits.get(name) ?? getMatchScore(name, words);
    fits.set(name, known);
    return known;
  };
  return (a: string, b: string): number => fit(a) - fit(b) || AS_READ.compare(a, b);
};
const AS_READ = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Returns the first `most` rows in order, in one pass, without sorting all rows. */
export function pickBest<T>(rows: Iterable<T>, max: number, order: (a: T, b: T) => number): T[] {
  const best: T[] = [];
  for (const row of rows) {
    const last = best.at(-1);
    if (best.length >= max && last !== undefined && order(row, last) >= 0) continue;
    const at = best.findIndex((one) => order(row, one) < 0);
    best.splice(at < 0 ? best.length : at, 0, row);
    if (best.length > max) best.pop();
  }
  return best;
}
