import * as v from 'valibot';
import { LIMITS } from './limits.ts';

/**
 * What people type to say which texts they mean. A small language of our own, compared in time that
 * grows with the lengths alone; regular expressions are not taken, because one that is written
 * badly would hold up everybody's results. `disk full`: holds these characters, in any case. `*`
 * any characters and `?` one: then the whole text has to match. `a | b`: either.
 */
export const PatternSchema = v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.nameChars));

/** Whether a text matches; made once a pattern. Null where the pattern asks nothing. */
export function patternOf(words: string): ((text: string) => boolean) | null {
  const wanted = textsOf(words);
  if (wanted.length === 0) return null;
  const tests = wanted.map((one) =>
    /[*?]/.test(one) ? (text: string) => globs(one, text) : (text: string) => text.includes(one),
  );
  return (text) => {
    const low = text.toLowerCase();
    return tests.some((test) => test(low));
  };
}

/** The texts that either will do of, in lower case. */
export const textsOf = (words: string): string[] =>
  words
    .toLowerCase()
    .split('|')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/**
 * Whether the whole text matches: goes back to the last `*` alone, so that it takes their lengths'
 * product at most.
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
