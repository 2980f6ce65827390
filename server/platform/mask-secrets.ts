/**
 * Masks secrets in text from a source before it is stored: passwords in addresses and options,
 * tokens, keys. Runs in linear time.
 */
export function maskSecrets(text: string): string {
  if (!HINT.test(text)) return text;
  let masked = text;
  for (const [hint, pattern, replacement] of SECRETS)
    if (hint.test(masked)) masked = masked.replace(pattern, replacement);
  return masked.includes('eyJ') ? withoutTokens(masked) : masked;
}

/**
 * Masks JSON Web Tokens and what follows them. It works part by part, because a regular expression
 * would search for the end of a long word from every character in it.
 */
const withoutTokens = (text: string): string =>
  text.replace(/(?<![\w-])[\w-]+(?:\.[\w-]+)+\.?/g, (found) => {
    const parts = found.split('.');
    let at = 0;
    for (const [i, part] of parts.entries()) {
      const begins = part.search(/\beyJ/);
      const body = parts[i + 1];
      if (
        begins >= 0 &&
        part.length - begins >= 13 &&
        body !== undefined &&
        body.length >= 10 &&
        parts[i + 2] !== undefined
      )
        return `${found.slice(0, at + begins)}***`;
      at += part.length + 1;
    }
    return found;
  });

const WORD =
  '(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_]?key|access[-_]?key|secret[-_]?key|account[-_]?key|private[-_]?key|client[-_]?secret|authorization|credential|sig|signature)';

/** Most texts have no hint of a secret, and are read once. */
const HINT = /[@=:]|--|dbk_|dbu_|whsec_|\b(?:bearer|basic)\b|A[KS]IA|eyJ/i;

const SECRETS: readonly (readonly [hint: RegExp, pattern: RegExp, replacement: string])[] = [
  [/@/, /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@'"<>]{0,100}):[^\s/'"<>]{1,300}@/gi, '$1:***@'],
  [/dbk_|dbu_|whsec_/, /(dbk_|dbu_|whsec_)[\w+/=-]{8,64}/g, '$1***'],
  [/\b(?:bearer|basic)\b/i, /\b(bearer|basic) +[\w.~+/=-]{8,4096}/gi, '$1 ***'],
  // --password secret, PASSWORD=secret, "token": "secret". After a colon only values that look like
  // a secret are masked, so that sentences stay readable.
  [
    /=/,
    new RegExp(
      `\\b([\\w-]{0,40}${WORD}[\\w-]{0,20})=("[^"\\n]{0,300}"|'[^'\\n]{0,300}'|[^\\s&;,'"]{1,300})`,
      'gi',
    ),
    '$1=***',
  ],
  [
    /--/,
    new RegExp(
      `(--[\\w-]{0,40}${WORD}) +(?!-)("[^"\\n]{0,300}"|'[^'\\n]{0,300}'|[^\\s'"]{1,300})`,
      'gi',
    ),
    '$1 ***',
  ],
  [
    /:/,
    new RegExp(`(["']?\\b${WORD}["']?): ?(?:"[^"\\n]{1,300}"|'[^'\\n]{1,300}')`, 'gi'),
    '$1: ***',
  ],
  [
    /:/,
    new RegExp(
      `\\b(${WORD}): ?(?=[^\\s,;]{0,100}\\d)(?=[^\\s,;]{0,100}[a-z])[^\\s,;]{8,300}`,
      'gi',
    ),
    '$1: ***',
  ],
  [/A[KS]IA/, /\bA[KS]IA[0-9A-Z]{16}\b/g, '***'],
  [
    /-----BEGIN/,
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
    '***',
  ],
];
