/**
 * Parses a phone number to the international form, or returns null if it is invalid. Spaces,
 * separators and a leading 00 are accepted.
 */
export function parsePhone(typed: string): string | null {
  const bare = typed.replace(/[\s().\-\u2010-\u2015/]/g, '').replace(/^00/, '+');
  return /^\+[1-9]\d{6,14}$/.test(bare) ? bare : null;
}
