/** Computer names that are also words of failures. Replacing them would remove those words. */
const WORDLIKE =
  /^(?:backup|server|host|localhost|client|data|files?|home|local|remote|system|storage|repository|computer|error|failed|windows|linux|node|unknown|root|main|default)$/i;

/**
 * Returns the line with the names of computers and servers, including dotted suffixes, replaced by
 * ‹host›. Case-insensitive.
 */
export function withoutNames(line: string, names: readonly string[]): string {
  let text = line;
  const lower = line.toLowerCase();
  for (const name of names) {
    if (
      name.length < 3 ||
      name.length > 100 ||
      !lower.includes(name.toLowerCase()) ||
      WORDLIKE.test(name)
    )
      continue;
    text =
      ASCII.test(name) && !FOLDING.test(text)
        ? scanned(text, name.toLowerCase())
        : text.replace(getNamePattern(name), HOST);
  }
  return text;
}

/**
 * Returns the pattern of a name, which defines the behavior. Creating it costs more than reading
 * the line, so it is only used for rare names and lines.
 */
export function getNamePattern(name: string): RegExp {
  const quoted = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${quoted}(?:\\.[\\w-]+)*(?![\\p{L}\\p{N}_-])`, 'giu');
}

const HOST = '‹host›';
const ASCII = /^[\x20-\x7e]+$/;
/** Characters whose other case is an ASCII letter or has another length. */
const FOLDING = /[\u0130\u017f\u212a]/;
/**
 * Where a name may begin, and which characters after it belong to it. Same as in the pattern, but
 * created once.
 */
const BEGIN = /(?<![\p{L}\p{N}_-])/iuy;
const END = /(?:\.[\w-]+)*(?![\p{L}\p{N}_-])/iuy;

/**
 * Same as `text.replace(patternOf(name), HOST)`, for a lower-case ASCII name in a text in which
 * every letter has one lower-case form of the same length.
 */
function scanned(text: string, name: string): string {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return text.replace(getNamePattern(name), HOST);
  let out = '';
  let stored = 0;
  for (let at = lower.indexOf(name); at >= 0;) {
    BEGIN.lastIndex = at;
    END.lastIndex = at + name.length;
    if (BEGIN.test(text) && END.test(text)) {
      out += `${text.slice(stored, at)}${HOST}`;
      stored = END.lastIndex;
      at = lower.indexOf(name, stored);
    } else at = lower.indexOf(name, at + 1);
  }
  return out + text.slice(stored);
}
