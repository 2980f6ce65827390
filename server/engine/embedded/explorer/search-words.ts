import { sql, type RawBuilder } from 'kysely';

/** Characters that separate words, as in the column `words` of items. */
const SEPARATORS = '._-@/\\()[]{}<>:;,+&#!?=|~"\'`%^*$';
const MAX_WORDS = 10;

/**
 * Returns a condition that finds each word of a text as the beginning of a word; null: the text has
 * no word.
 */
export function getWordQuery(text: string): RawBuilder<unknown> | null {
  const words = splitWords(text).slice(0, MAX_WORDS);
  if (words.length === 0) return null;
  return sql`to_tsquery('simple', ${words.map((word) => `'${word}':*`).join(' & ')})`;
}

/** The words of a column, as `getWordQuery` compares them. */
export const getColumnWords = (column: RawBuilder<string>): RawBuilder<unknown> =>
  sql`to_tsvector('simple', translate(${column}, ${SEPARATORS}, ${' '.repeat(SEPARATORS.length)}))`;

const BETWEEN_WORDS = new RegExp(`[\\s\\0${SEPARATORS.replaceAll(/[\\\]^-]/g, '\\$&')}]+`);

export const splitWords = (text: string): readonly string[] =>
  text.split(BETWEEN_WORDS).filter((word) => /[\p{L}\p{N}]/u.test(word));
