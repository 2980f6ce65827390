import * as v from 'valibot';
import { LIMITS } from './limits.ts';

/**
 * What people type to match texts. This is our own small language, and matching takes time that
 * depends only on the lengths. Regular expressions aren't supported, because a badly written one
 * would delay everybody's results. `disk full` matches texts that contain these characters, in any
 * case. `*` matches any characters and `?` one; a pattern with either must match the whole text. `a
 * | b` matches either.
 */
export const PatternSchema = v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.nameChars));

/**
 * Returns a function that tells whether a text matches. Create it once per pattern. Returns null if
 * the pattern is empty.
 */
export function getPattern(words: string): ((text: string) => boolean) | null {
  const wanted = getTexts(words);
  if (wanted.length === 0) return null;
  const tests = wanted.map((one) =>
    /[*?]/.test(one) ? (text: string) => globs(one, text) : (text: string) => text.includes(one),
  );
  return (text) => {
    const low = text.toLowerCase();
    return tests.some((test) => test(low));
  };
}

/** Returns the alternatives of a pattern, in lower case. */
export const getTexts = (words: string): string[] =>
  words
    .toLowerCase()
    .split('|')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/**
 * Returns whether the whole text matches. It backtracks to the last `*` only, so it takes at most
 * the product of both lengths.
 */
function globs(glob: string, text: string): boolean {
  let g = 0;
  let t = 0;
  let star = -1;
  let from = 0;
  while (t < text.length) {
    if (g < glob.length && glob[g] === '*') {
      star = g++;
      from = t;
    } else if (g < glob.length && (glob[g] === '?' || glob[g] === text[t])) {
      g++;
      t++;
    } else if (star >= 0) {
      g = star + 1;
      t = ++from;
    } else return false;
  }
  while (glob[g] === '*') g++;
  return g === glob.length;
}
