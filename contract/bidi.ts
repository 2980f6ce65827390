/**
 * Text without the signs that turn the direction of writing for what follows (U+202A to U+202E,
 * U+2066 to U+2069): with them a name can be made to read as another (after U+202E "fdp.exe" reads
 * "exe.pdf"). The marks U+200E and U+200F stay: they turn nothing, and Hebrew and Arabic names need
 * them.
 */
export const withoutBidi = (text: string): string =>
  BIDI.test(text) ? text.replace(ALL, '') : text;

const BIDI = /[\u202A-\u202E\u2066-\u2069]/;
const ALL = /[\u202A-\u202E\u2066-\u2069]+/g;
