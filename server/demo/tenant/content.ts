import { deflateSync, crc32 } from 'node:zlib';
import { mixed } from '../random.ts';
import { makeDocumentFrame, WORDS } from './documents.ts';

/** What a file contains: made from numbers when it is read, or bytes that somebody uploaded. */
export type FileContent =
  | {
      readonly kind: 'made';
      readonly seed: number;
      readonly revision: number;
      readonly name: string;
    }
  | { readonly kind: 'stored'; readonly blob: string };

const BLOCK = 4096;
const isText = (name: string): boolean => /\.(txt|csv|md)$/i.test(name);
const DRAWING = /\.dwg$/i;
/**
 * Returns the bytes `from` to before `to` of a made file. Each revision changes about an eighth of
 * its blocks, as a saved document does.
 */
export function makeBytes(
  made: { readonly seed: number; readonly revision: number; readonly name: string },
  size: number,
  from = 0,
  to = size,
): Uint8Array<ArrayBuffer> {
  const end = Math.min(to, size);
  const bytes = new Uint8Array(Math.max(0, end - from));
  for (let block = Math.floor(from / BLOCK); block * BLOCK < end; block += 1) {
    const start = block * BLOCK;
    const part = makeBlock(made, block);
    const first = Math.max(from, start);
    bytes.set(part.subarray(first - start, Math.min(end, start + BLOCK) - start), first - from);
  }
  const frame = makeDocumentFrame(made.name, mixed(made.seed, made.revision), size);
  if (frame !== null) {
    copyWithin(bytes, from, frame.head, 0);
    copyWithin(bytes, from, frame.tail, size - frame.tail.length);
  }
  return bytes;
}

/** Copies `part`, which begins at `at`, into the bytes of a file from `from` on. */
function copyWithin(bytes: Uint8Array, from: number, part: Uint8Array, at: number): void {
  const first = Math.max(from, at);
  const end = Math.min(from + bytes.length, at + part.length);
  if (first < end) bytes.set(part.subarray(first - at, end - at), first - from);
}

function makeBlock(
  {
    seed,
    revision,
    name,
  }: { readonly seed: number; readonly revision: number; readonly name: string },
  block: number,
): Uint8Array {
  let changed = 0;
  for (let at = revision; at > 0 && changed === 0; at -= 1)
    if (mixed(seed, at, block) % 8 === 0 || (block === 0 && at === revision)) changed = at;
  let state = mixed(seed, 'block', changed, block) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  };
  if (isText(name)) {
    let text = '';
    while (text.length < BLOCK)
      text += `${WORDS[(next() >>> 0) % WORDS.length] ?? ''}${next() % 9 === 0 ? '\n' : ' '}`;
    return Buffer.from(text.slice(0, BLOCK), 'latin1');
  }
  const words = new Int32Array(BLOCK / 4);
  for (let at = 0; at < words.length; at += 1) words[at] = next();
  const bytes = new Uint8Array(words.buffer);
  if (block === 0 && DRAWING.test(name)) bytes.set(Buffer.from('AC1032', 'latin1'));
  return bytes;
}

/** Returns a square picture in PNG whose color depends on the seed. */
export function makePicture(seed: number, side = 32): Buffer {
  const [red, green, blue] = [mixed(seed, 1) % 256, mixed(seed, 2) % 256, mixed(seed, 3) % 256];
  const rows = Buffer.alloc(side * (side * 3 + 1));
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1)
      rows.set(
        x > y ? [red, green, blue] : [255 - red, 255 - green, 255 - blue],
        y * (side * 3 + 1) + 1 + x * 3,
      );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
