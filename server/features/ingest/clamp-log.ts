import { storable } from '#contract/stored-text.ts';

/**
 * Returns a log of about `most` bytes at most that can be stored as text. It keeps the head and the
 * tail, and a count of the bytes between them.
 */
export function clampLog(text: string, most: number): string {
  const clean = storable(text);
  if (clean.length * 3 <= most) return clean;
  const bytes = new TextEncoder().encode(clean);
  if (bytes.length <= most) return clean;
  const head = Math.floor(most / 4);
  const tail = most - head;
  return `${decode(bytes.subarray(0, head))}\n… ${bytes.length - most} bytes left out …\n${decode(bytes.subarray(bytes.length - tail))}`;
}

/** Removes partial characters at both ends. */
const decode = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes).replace(/^\u{FFFD}+|\u{FFFD}+$/gu, '');
