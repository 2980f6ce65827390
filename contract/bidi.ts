/**
 * Removes the characters that change the writing direction of the text after them (U+202A to
 * U+202E, U+2066 to U+2069). They can make a name look like another one: after U+202E, "fdp.exe"
 * reads "exe.pdf". The marks U+200E and U+200F remain, because they don't reorder text and Hebrew
 * and Arabic names need them.
 */
export const withoutBidi = (text: string): string =>
  BIDI.test(text) ? text.replace(ALL, '') : text;

const BIDI = /[\u202A-\u202E\u2066-\u2069]/;
const ALL = /[\u202A-\u202E\u2066-\u2069]+/g;
