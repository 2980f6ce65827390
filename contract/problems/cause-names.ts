/** Names that are words of failures as well would take those words away. */
const WORDLIKE =
  /^(?:backup|server|host|localhost|client|data|files?|home|local|remote|system|storage|repository|computer|error|failed|windows|linux|node|unknown|root|main|default)$/i;

/**
 * The line with the names of computers and servers, each with what follows it after dots, turned
 * into ‹host›. Upper and lower case are the same.
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
        : text.replace(patternOf(name), HOST);
  }
  return text;
}

/**
 * The name as a pattern: what it means. Making one costs more than reading the line, so it is left
 * to names and lines that are rare.
 */
export function patternOf(name: string): RegExp {
  const quoted = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_-])${quoted}(?:\\.[\\w-]+)*(?![\\p{L}\\p{N}_-])`, 'giu');
}

const HOST = '‹host›';
const ASCII = /^[\x20-\x7e]+$/;
/** What has an ASCII letter for its other case, or another length. */
const FOLDING = /[\u0130\u017f\u212a]/;
/**
 * Where a name may begin, and what belongs to it after it. The same as in the pattern, made once.
 */
const BEGIN = /(?<![\p{L}\p{N}_-])/iuy;
const END = /(?:\.[\w-]+)*(?![\p{L}\p{N}_-])/iuy;

/**
 * `text.replace(patternOf(name), HOST)` for a lower-case name of ASCII in a text where each letter
 * has one lower case of the same length.
 */
function scanned(text: string, name: string): string {
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return text.replace(patternOf(name), HOST);
  let out = '';
  let kept = 0;
  for (let at = lower.indexOf(name); at >= 0;) {
    BEGIN.lastIndex = at;
    END.lastIndex = at + name.length;
    if (BEGIN.test(text) && END.test(text)) {
      out += `${text.slice(kept, at)}${HOST}`;
      kept = END.lastIndex;
      at = lower.indexOf(name, kept);
    } else at = lower.indexOf(name, at + 1);
  }
  return out + text.slice(kept);
}
