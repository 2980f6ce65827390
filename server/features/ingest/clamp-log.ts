import { storable } from '#contract/stored-text.ts';

/**
 * A log of at most about `most` bytes, fit to be kept as text: head and tail stay, what is between
 * is counted.
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

/** Without the pieces of characters at either end. */
const decode = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes).replace(/^\u{FFFD}+|\u{FFFD}+$/gu, '');
