// restic writes the names of files as Go's strconv.Quote does, without the quotes around them.
// Escapes are needed so that a tree keeps its id when restic rewrites it.

const SHORT: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Everything that Go doesn't print as it is: all but letters, marks, numbers, punctuation, symbols and space. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

export const quoteName = (name: string): string =>
  name.replace(ESCAPED, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const short = SHORT[character];
    if (short !== undefined) return short;
    if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
    return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
  });
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const ESCAPE =
  /\\(?:([abfnrtv\\'"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/g;
const LETTERS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Returns the name; bytes of it that are not UTF-8 become U+FFFD. */
export function unquoteName(quoted: string): string {
  if (!quoted.includes('\\')) return quoted;
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of quoted.matchAll(ESCAPE)) {
    const [whole, letter, byte, short, long, octal] = match;
    parts.push(Buffer.from(quoted.slice(end, match.index)));
    end = match.index + whole.length;
    if (letter !== undefined) parts.push(Buffer.from(LETTERS[letter] ?? letter));
    else if (byte !== undefined) parts.push(Buffer.of(Number.parseInt(byte, 16)));
    else if (octal !== undefined) parts.push(Buffer.of(Number.parseInt(octal, 8) & 0xff));
    else parts.push(Buffer.from(codePoint(Number.parseInt(short ?? long ?? '', 16))));
  }
  parts.push(Buffer.from(quoted.slice(end)));
  return Buffer.concat(parts).toString();
}
const codePoint = (code: number): string =>
  code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code).toWellFormed();
