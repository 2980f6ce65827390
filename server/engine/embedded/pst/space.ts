import { crc32 } from 'node:zlib';
import type { Bytes } from '#contract/ids.ts';

/** Bytes that belong at a place of the file. */
export interface PlacedBytes {
  readonly at: Bytes;
  readonly bytes: Buffer;
}

/** The pages and blocks of a PST file, in the order in which they are placed. */
export interface Space {
  /** Places bytes at a multiple of `alignment`, and returns where. They are copied. */
  place(bytes: Uint8Array, alignment: 64 | 512): Bytes;
  /** Replaces what was placed last. */
  replace(at: Bytes, bytes: Uint8Array): void;
  /** Where the next bytes would be placed at the earliest. */
  readonly end: Bytes;
  /** Returns the finished regions since the last call, in their order. */
  takeFull(): PlacedBytes[];
  /** Ends the last region. */
  finish(): Layout;
}
interface Layout {
  readonly fileBytes: Bytes;
  readonly lastMapAt: Bytes;
  readonly freeBytes: Bytes;
}

/** [MS-PST] 2.2.2.7: pages have 512 bytes, with a trailer of 16. */
export const PAGE_BYTES = 512;
const PAGE_TRAILER_BYTES: Bytes = 16;
const MAP_BYTES = PAGE_BYTES - PAGE_TRAILER_BYTES;
export const HEADER_BYTES: Bytes = 0x4400;
/** What one allocation map (AMap) is about: a bit for every 64 bytes. */
const SLOT_BYTES = 64;
const REGION_BYTES: Bytes = MAP_BYTES * 8 * SLOT_BYTES;

/** Page types and what follows them, [MS-PST] 2.2.2.7.1. */
export const PAGE_TYPES = {
  blocks: 0x80,
  nodes: 0x81,
  freeMap: 0x82,
  pageMap: 0x83,
  allocationMap: 0x84,
  freePageMap: 0x85,
  densityList: 0x86,
} as const;
type PageType = (typeof PAGE_TYPES)[keyof typeof PAGE_TYPES];

/**
 * Gives out the space of a file from its beginning to its end. A region is finished as a whole, so
 * the file is written once and in order, except for its header.
 */
export function makeSpace(): Space {
  let full: PlacedBytes[] = [];
  let index = -1;
  let region = Buffer.alloc(0);
  let used = 0;
  let freeBytes = 0;
  let slots = Buffer.alloc(0);
  const regionAt = (): Bytes => HEADER_BYTES + index * REGION_BYTES;

  function occupy(from: Bytes, size: Bytes): void {
    for (let slot = from / SLOT_BYTES; slot < (from + size) / SLOT_BYTES; slot++)
      slots[slot >> 3] = (slots[slot >> 3] ?? 0) | (0x80 >> (slot & 7));
    freeBytes -= size;
    used = from + size;
  }

  function open(): void {
    index += 1;
    region = Buffer.alloc(REGION_BYTES);
    slots = Buffer.alloc(MAP_BYTES);
    freeBytes += REGION_BYTES;
    used = 0;
    occupy(0, PAGE_BYTES);
    // Maps that no program uses since 2007. They have to be there, without anything free.
    for (const [type, first, every] of OLD_MAPS)
      if (index >= first && (index - first) % every === 0) {
        const at = used;
        writePage(region, at, FULL_MAP, { type, id: regionAt() + at, signature: 0 });
        occupy(at, PAGE_BYTES);
      }
  }

  function close(): void {
    const at = regionAt();
    writePage(region, 0, slots, { type: PAGE_TYPES.allocationMap, id: at, signature: 0 });
    full.push({ at, bytes: region });
  }

  open();
  return {
    place(bytes, alignment) {
      const size = roundUp(bytes.length, SLOT_BYTES);
      if (roundUp(used, alignment) + size > REGION_BYTES) {
        close();
        open();
      }
      const from = roundUp(used, alignment);
      region.set(bytes, from);
      occupy(from, size);
      return regionAt() + from;
    },
    replace(at, bytes) {
      region.set(bytes, at - regionAt());
    },
    get end() {
      return regionAt() + used;
    },
    takeFull() {
      const taken = full;
      full = [];
      return taken;
    },
    finish() {
      close();
      return { fileBytes: regionAt() + REGION_BYTES, lastMapAt: regionAt(), freeBytes };
    },
  };
}

/** Type, first region and how many regions apart ([MS-PST] 2.2.2.7.3 to 2.2.2.7.6). */
const OLD_MAPS: readonly (readonly [PageType, number, number])[] = [
  [PAGE_TYPES.pageMap, 0, 8],
  [PAGE_TYPES.freeMap, 128, MAP_BYTES],
  [PAGE_TYPES.freePageMap, 128 * 8 * 8, MAP_BYTES * 8 * 8],
];
const FULL_MAP = Buffer.alloc(MAP_BYTES, 0xff);

interface PageTrailer {
  readonly type: PageType;
  readonly id: number;
  readonly signature: number;
}

/** Writes content and trailer of a page. */
export function writePage(
  out: Buffer,
  at: number,
  content: Uint8Array,
  { type, id, signature }: PageTrailer,
): void {
  const trailer = at + MAP_BYTES;
  out.set(content, at);
  out.writeUInt8(type, trailer);
  out.writeUInt8(type, trailer + 1);
  out.writeUInt16LE(signature, trailer + 2);
  out.writeUInt32LE(getChecksum(out.subarray(at, trailer)), trailer + 4);
  writeLong(out, id, trailer + 8);
}

/** [MS-PST] 5.3: CRC-32 with the common polynomial, that neither begins nor ends inverted. */
export const getChecksum = (bytes: Uint8Array): number => ~crc32(bytes, 0xffff_ffff) >>> 0;

/** [MS-PST] 5.5: a signature of where a page or block is, and of its id. */
export function getSignature(at: Bytes, id: number): number {
  const mixed = ((at % 2 ** 32) ^ (id % 2 ** 32)) >>> 0;
  return (mixed >>> 16) ^ (mixed & 0xffff);
}

export const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

/** Writes a whole number up to 2^53 in eight bytes. */
export function writeLong(out: Buffer, value: number, at: number): void {
  out.writeUInt32LE(value % 2 ** 32, at);
  out.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}
