const BITS = 160;
const SHIFT = 11;

/**
 * Returns the hash by which OneDrive compares files, in base64: each byte is shifted eleven bits
 * further than the one before in a circle of 160 bits, and the length is mixed into the end.
 */
export function quickXorHash(bytes: Uint8Array): string {
  const circle = new Uint8Array(BITS / 8);
  let bit = 0;
  for (const byte of bytes) {
    const at = bit >> 3;
    const shifted = byte << (bit & 7);
    circle[at] = (circle[at] ?? 0) ^ (shifted & 0xff);
    const next = at === 19 ? 0 : at + 1;
    circle[next] = (circle[next] ?? 0) ^ (shifted >> 8);
    bit += SHIFT;
    if (bit >= BITS) bit -= BITS;
  }
  let length = bytes.length;
  for (let at = 12; length > 0; at += 1) {
    circle[at] = (circle[at] ?? 0) ^ (length & 0xff);
    length = Math.floor(length / 256);
  }
  return Buffer.from(circle).toString('base64');
}
