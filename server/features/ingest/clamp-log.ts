import { storable } from '#contract/stored-text.ts';

/**
 * Returns a log of about `max` bytes at most that can be stored as text. It keeps the head and the
 * tail, and a count of the bytes between them.
 */
export function clampLog(text: string, max: number): string {
  const clean = storable(text);
  if (clean.length * 3 <= max) return clean;
  const bytes = new TextEncoder().encode(clean);
  if (bytes.length <= max) return clean;
  const head = Math.floor(max / 4);
  const tail = max - head;
  return `${decode(bytes.subarray(0, head))}\n… ${bytes.length - max} bytes left out …\n${decode(bytes.subarray(bytes.length - tail))}`;
}

/** Removes partial characters at both ends. */
const decode = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes).replace(/^\u{FFFD}+|\u{FFFD}+$/gu, '');
