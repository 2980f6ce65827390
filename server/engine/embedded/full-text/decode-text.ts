import { analyse } from 'chardet';

/** How much of a text is read to find its encoding. */
const SAMPLE_BYTES = 65_536;
/** Below it, the encoding is a guess: a few letters look alike in many. */
const MIN_CONFIDENCE = 20;
/** Where a page of HTML names its encoding (HTML, section 4.2.5.4). */
const HEAD_BYTES = 1024;
const META = /<meta\s[^>]*charset\s*=\s*["']?\s*([\w.:-]+)/i;
/** ISO-2022-JP changes its alphabet with these. All other bytes look like ASCII. */
const JAPANESE_ESCAPES = ['\u001b$@', '\u001b$B', '\u001b(I', '\u001b(J'];

/**
 * Returns the text of a plain text or of a page of HTML. Its encoding is the one of its mark, the
 * one that the page names, UTF-8, or else the most likely one; Latin if none is. What has zeros is no
 * text: ''.
 */
export function decodeText(bytes: Uint8Array, isHtml: boolean): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return decode('utf-16le', bytes);
  if (first === 0xfe && second === 0xff) return decode('utf-16be', bytes);
  if (bytes.includes(0)) return '';
  const head = Buffer.from(bytes.subarray(0, SAMPLE_BYTES)).toString('latin1');
  try {
    if (!JAPANESE_ESCAPES.some((escape) => head.includes(escape)))
      return decode('utf-8', bytes, true);
  } catch {
    // Another encoding.
  }
  const named = isHtml ? META.exec(head.slice(0, HEAD_BYTES))?.[1] : undefined;
  const label = [named, ...getLikely(bytes.subarray(0, SAMPLE_BYTES))].find(isKnown);
  return decode(label ?? 'windows-1252', bytes);
}

/** A cut letter at the end is left out. */
const decode = (label: string, bytes: Uint8Array, fatal = false): string =>
  new TextDecoder(label, { fatal }).decode(bytes, { stream: true });

const getLikely = (sample: Uint8Array): string[] =>
  analyse(sample)
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE)
    .map(({ name }) => name);

function isKnown(label: string | undefined): label is string {
  if (label === undefined || /^utf-?(?:8|16)/i.test(label)) return false;
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
