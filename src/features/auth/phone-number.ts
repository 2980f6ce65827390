/**
 * A number as it is typed, in international form; null where it is none. Spaces, marks between the
 * digits and a leading 00 are taken.
 */
export function phoneOf(typed: string): string | null {
  const bare = typed.replace(/[\s().\-\u2010-\u2015/]/g, '').replace(/^00/, '+');
  return /^\+[1-9]\d{6,14}$/.test(bare) ? bare : null;
}
