import type { Bytes } from '#contract/ids.ts';
import { makeDataTree } from './data.ts';
import { BLOCK_BYTES, type PstFile } from './file.ts';

/** Small values of a node in its data blocks (heap-on-node, [MS-PST] 2.3.1). */
export interface Heap {
  /** Stores up to 3,580 bytes, and returns the id of the value. */
  add(value: Uint8Array): number;
  /** Leaves room in the first block, to be filled before `finish`. */
  reserve(size: Bytes): { readonly hid: number; readonly value: Buffer };
  /** Writes the rest. `root`: the value with which readers begin. Returns the id of the data. */
  finish(root: number): number;
}

export const MAX_VALUE_BYTES: Bytes = 3_580;
const MAX_VALUES = 2_047;
const MAX_BLOCKS = 0x1_0000;
const SIGNATURE = 0xec;

interface OpenBlock {
  readonly n: number;
  readonly headBytes: Bytes;
  readonly values: Uint8Array[];
  valueBytes: Bytes;
}

/**
 * Full blocks are written at once, except those whose heads say how full the blocks after them are.
 * `type`: what the values are ([MS-PST] 2.3.1.2).
 */
export function makeHeap(file: PstFile, type: 0xbc | 0x7c): Heap {
  const tree = makeDataTree(file);
  /** Blocks that have a list of fill levels. */
  const listing: { readonly place: number; readonly bytes: Buffer; readonly at: number }[] = [];
  const reserved: { readonly at: number; readonly value: Buffer }[] = [];
  let block = openBlock(0);

  function close(): void {
    const { n, headBytes, values } = block;
    const mapAt = getMapAt(block);
    const out = Buffer.alloc(getBlockBytes(block));
    out.writeUInt16LE(mapAt, 0);
    out.writeUInt16LE(values.length, mapAt);
    let at = headBytes;
    values.forEach((value, index) => {
      out.set(value, at);
      out.writeUInt16LE(at, mapAt + 4 + 2 * index);
      at += value.length;
    });
    out.writeUInt16LE(at, mapAt + 4 + 2 * values.length);
    if (headBytes === PLAIN_HEAD) tree.append(out);
    else listing.push({ place: tree.reserve(), bytes: out, at: n === 0 ? 8 : 2 });
    const list = listing.at(-1);
    // Four bits for each block, beginning with the one that has the list.
    const place = n - (list?.place ?? 0);
    const byte = (list?.at ?? 0) + (place >> 1);
    const level = getFillLevel(BLOCK_BYTES - out.length) << (4 * (place & 1));
    list?.bytes.writeUInt8((list.bytes[byte] ?? 0) | level, byte);
  }

  function add(value: Uint8Array): number {
    if (value.length === 0 || value.length > MAX_VALUE_BYTES)
      throw new RangeError('Wrong size of a value.');
    if (
      block.values.length >= MAX_VALUES ||
      getBlockBytes(block) + value.length + 3 > BLOCK_BYTES
    ) {
      close();
      block = openBlock(block.n + 1);
    }
    block.values.push(value);
    block.valueBytes += value.length;
    return ((block.n << 16) | (block.values.length << 5)) >>> 0;
  }

  return {
    add,
    reserve(size) {
      const value = Buffer.alloc(size);
      const at = block.headBytes + block.valueBytes;
      const hid = add(value);
      if (block.n !== 0) throw new Error('Only the first block has reserved values.');
      reserved.push({ at, value });
      return { hid, value };
    },
    finish(root) {
      close();
      const [first] = listing;
      first?.bytes.writeUInt8(SIGNATURE, 2);
      first?.bytes.writeUInt8(type, 3);
      first?.bytes.writeUInt32LE(root, 4);
      for (const { at, value } of reserved) first?.bytes.set(value, at);
      for (const { place, bytes } of listing) tree.fill(place, bytes);
      return tree.finish();
    },
  };
}

function openBlock(n: number): OpenBlock {
  if (n >= MAX_BLOCKS) throw new RangeError('A heap has too many blocks.');
  return { n, headBytes: getHeadBytes(n), values: [], valueBytes: 0 };
}

const PLAIN_HEAD: Bytes = 2;
/** The first block, the ninth, and then every 128th have a list of fill levels. */
function getHeadBytes(n: number): Bytes {
  if (n === 0) return 12;
  return n >= 8 && (n - 8) % 128 === 0 ? 66 : PLAIN_HEAD;
}

const getMapAt = ({ headBytes, valueBytes }: OpenBlock): number =>
  headBytes + valueBytes + ((headBytes + valueBytes) & 1);
const getBlockBytes = (block: OpenBlock): Bytes => getMapAt(block) + 6 + 2 * block.values.length;

/** [MS-PST] 2.3.1.2: how much of a block is free. */
function getFillLevel(free: Bytes): number {
  const level = FREE_BYTES.findIndex((min) => free >= min);
  return level < 0 ? FREE_BYTES.length : level;
}
const FREE_BYTES: readonly Bytes[] = [
  3_584, 2_560, 2_048, 1_792, 1_536, 1_280, 1_024, 768, 512, 256, 128, 64, 32, 16, 8,
];

/** A B-tree in a heap ([MS-PST] 2.3.2). Its records come in the order of their keys. */
export const BTH_HEAD_BYTES: Bytes = 8;

/** `head`: reserved before, with `BTH_HEAD_BYTES`. */
export function writeHeapTree(
  heap: Heap,
  head: Buffer,
  { keyBytes, dataBytes }: { readonly keyBytes: 2 | 4; readonly dataBytes: Bytes },
  records: Iterable<Uint8Array>,
): void {
  let levels = 0;
  let top = addRecords(heap, records, keyBytes + dataBytes, keyBytes);
  for (; top.length > 1; levels++)
    top = addRecords(heap, top.map(toRecord), keyBytes + 4, keyBytes);
  head.writeUInt8(0xb5, 0);
  head.writeUInt8(keyBytes, 1);
  head.writeUInt8(dataBytes, 2);
  head.writeUInt8(levels, 3);
  head.writeUInt32LE(top[0]?.hid ?? 0, 4);
}

interface Records {
  readonly firstKey: Uint8Array;
  readonly hid: number;
}

function addRecords(
  heap: Heap,
  records: Iterable<Uint8Array>,
  size: Bytes,
  keyBytes: Bytes,
): Records[] {
  const max = Math.floor(MAX_VALUE_BYTES / size);
  const all: Records[] = [];
  let part: Uint8Array[] = [];
  const end = (): void => {
    const [first] = part;
    if (first === undefined) return;
    all.push({ firstKey: first.subarray(0, keyBytes), hid: heap.add(Buffer.concat(part)) });
    part = [];
  };
  for (const record of records) {
    part.push(record);
    if (part.length === max) end();
  }
  end();
  return all;
}

function toRecord({ firstKey, hid }: Records): Buffer {
  const out = Buffer.alloc(firstKey.length + 4);
  out.set(firstKey, 0);
  out.writeUInt32LE(hid, firstKey.length);
  return out;
}
