// Content lines of iCalendar (RFC 5545, 3.1) and vCard (RFC 6350, 3.2).

const MAX_LINE_BYTES = 75;

/** Returns lines as a file has them: each at most 75 bytes long, continued after a space. */
export const joinLines = (lines: readonly string[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(lines.map((line) => `${foldLine(line)}\r\n`).join('')));

function foldLine(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE_BYTES) return line;
  const parts: string[] = [];
  let part = '';
  let bytes = 0;
  for (const letter of line) {
    const size = Buffer.byteLength(letter);
    if (bytes + size > MAX_LINE_BYTES) {
      parts.push(part);
      // The space counts too.
      part = '';
      bytes = 1;
    }
    part += letter;
    bytes += size;
  }
  return [...parts, part].join('\r\n ');
}

/** A text as the value of a property. */
export const escapeText = (text: string): string =>
  clean(text)
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replaceAll('\n', '\\n');

/** The same for a property of a vCard that has no parts: readers don't expect its semicolons escaped. */
export const escapePlainText = (text: string): string => escapeText(text).replaceAll('\\;', ';');

/** A text as the value of a parameter: it can't hold quotes or line breaks. */
export const quoteParameter = (text: string): string =>
  `"${clean(text).replaceAll('"', "'").replaceAll('\n', ' ')}"`;

/** An address in a value: one line without spaces. */
export const cleanAddress = (address: string): string => clean(address).replaceAll(/\s+/g, '');

const clean = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    // oxlint-disable-next-line no-control-regex -- control characters end a line or a file for readers
    .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F]/g, (letter) => (letter === '\t' ? letter : ''));
