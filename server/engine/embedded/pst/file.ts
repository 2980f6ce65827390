import type { Bytes } from '#contract/ids.ts';
import { makePackedList } from './packed-list.ts';
import { makePageTree, type Reference } from './page-tree.ts';
import {
  getChecksum,
  getSignature,
  HEADER_BYTES,
  makeSpace,
  PAGE_BYTES,
  PAGE_TYPES,
  type PlacedBytes,
  roundUp,
  writeLong,
  writePage,
} from './space.ts';

/** A block in the file. `bytes`: of its data. */
export interface Block {
  readonly id: number;
  readonly bytes: Bytes;
}
/** What a node consists of: a block or tree of data, and a tree of nodes below it. 0: none. */
export interface NodeContent {
  readonly data: number;
  readonly subnodes: number;
}

/** The lowest layer of a PST file (NDB, [MS-PST] 2.2): blocks, and nodes that have some. */
export interface PstFile {
  /** Stores up to 8,176 bytes of data. */
  addBlock(data: Uint8Array): Block;
  /** Stores a block that has references to others. */
  addInternalBlock(data: Uint8Array): Block;
  /** `parent`: the folder, of folders and messages. */
  addNode(nid: number, content: NodeContent, parent?: number): void;
  readonly bytes: Bytes;
  /** Returns what is to be written, since the last call. */
  takeWritten(): PlacedBytes[];
  /** Ends the file. Returns the rest, which has its header. */
  finish(): PlacedBytes[];
}

/** The most data of a block in a Unicode file. */
export const BLOCK_BYTES: Bytes = 8_176;
const BLOCK_TRAILER_BYTES: Bytes = 16;
const BLOCK_ENTRY_BYTES = 24;
const NODE_ENTRY_BYTES = 32;
const TYPE_MASK = 0x1f;

export function makePstFile(): PstFile {
  const space = makeSpace();
  /** As entries of [MS-PST] 2.2.2.7.7.4. */
  const nodes = makePackedList(NODE_ENTRY_BYTES);
  let nextBlock = 4;
  let nextPage = 1;

  const pageWriter =
    (type: typeof PAGE_TYPES.blocks | typeof PAGE_TYPES.nodes) =>
    (content: Buffer): Reference => {
      const id = nextPage++;
      const page = Buffer.alloc(PAGE_BYTES);
      // The signature depends on where the page is: it is placed first, with the right size.
      const at = space.place(page, PAGE_BYTES);
      writePage(page, 0, content, { type, id, signature: getSignature(at, id) });
      space.replace(at, page);
      return { id, at };
    };
  const blocks = makePageTree(BLOCK_ENTRY_BYTES, pageWriter(PAGE_TYPES.blocks));

  function add(data: Uint8Array, isInternal: boolean): Block {
    if (data.length === 0 || data.length > BLOCK_BYTES) throw new RangeError('Wrong block size.');
    const id = nextBlock + (isInternal ? 2 : 0);
    nextBlock += 4;
    const block = Buffer.alloc(roundUp(data.length + BLOCK_TRAILER_BYTES, 64));
    block.set(data, 0);
    const at = space.place(block, 64);
    const trailer = block.length - BLOCK_TRAILER_BYTES;
    block.writeUInt16LE(data.length, trailer);
    block.writeUInt16LE(getSignature(at, id), trailer + 2);
    block.writeUInt32LE(getChecksum(data), trailer + 4);
    writeLong(block, id, trailer + 8);
    space.replace(at, block);
    const entry = Buffer.alloc(BLOCK_ENTRY_BYTES);
    writeLong(entry, id, 0);
    writeLong(entry, at, 8);
    entry.writeUInt16LE(data.length, 16);
    // Referenced once, and by this entry.
    entry.writeUInt16LE(2, 18);
    blocks.push(id, entry);
    return { id, bytes: data.length };
  }

  function writeNodes(): Reference {
    const tree = makePageTree(NODE_ENTRY_BYTES, pageWriter(PAGE_TYPES.nodes));
    const getNid = (n: number): number => nodes.get(n).readUInt32LE(0);
    const order = Uint32Array.from({ length: nodes.count }, (_, n) => n);
    for (const n of order.sort((a, b) => getNid(a) - getNid(b))) tree.push(getNid(n), nodes.get(n));
    return tree.finish();
  }

  return {
    addBlock: (data) => add(data, false),
    addInternalBlock: (data) => add(data, true),
    addNode(nid, content, parent = 0) {
      const entry = nodes.add();
      writeLong(entry, nid, 0);
      writeLong(entry, content.data, 8);
      writeLong(entry, content.subnodes, 16);
      entry.writeUInt32LE(parent, 24);
    },
    get bytes() {
      return space.end;
    },
    takeWritten: () => space.takeFull(),
    finish() {
      const nodeRoot = writeNodes();
      const blockRoot = blocks.finish();
      const layout = space.finish();
      const header = makeHeader({
        ...layout,
        nodeRoot,
        blockRoot,
        nextBlock,
        nextPage,
        lastIndexes: getLastIndexes(nodes.all()),
      });
      return [...space.takeFull(), { at: 0, bytes: header }];
    },
  };
}

/** The highest index of each type of node, from which new ones count on. */
function getLastIndexes(nodes: Iterable<Buffer>): number[] {
  const last = Array.from({ length: 32 }, (_, type) => FIRST_INDEXES[type] ?? 0x400);
  for (const entry of nodes) {
    const nid = entry.readUInt32LE(0);
    const type = nid & TYPE_MASK;
    last[type] = Math.max(last[type] ?? 0, nid >>> 5);
  }
  return last;
}
/** [MS-PST] 2.2.2.6: where indexes of search folders, messages and hidden messages begin. */
const FIRST_INDEXES: Readonly<Partial<Record<number, number>>> = {
  3: 0x4000,
  4: 0x1_0000,
  8: 0x8000,
};

interface HeaderInput {
  readonly fileBytes: Bytes;
  readonly lastMapAt: Bytes;
  readonly freeBytes: Bytes;
  readonly nodeRoot: Reference;
  readonly blockRoot: Reference;
  readonly nextBlock: number;
  readonly nextPage: number;
  readonly lastIndexes: readonly number[];
}

/** The header and the density list behind it, [MS-PST] 2.2.2.6 and 2.2.2.8. */
function makeHeader(input: HeaderInput): Buffer {
  const out = Buffer.alloc(HEADER_BYTES);
  out.write('!BDN', 0, 'latin1');
  out.write('SM', 8, 'latin1');
  // A Unicode file, as programs since 2003 write it.
  out.writeUInt16LE(23, 10);
  out.writeUInt16LE(19, 12);
  out.writeUInt8(1, 14);
  out.writeUInt8(1, 15);
  writeLong(out, input.nextPage + 1, 32);
  out.writeUInt32LE(1, 40);
  input.lastIndexes.forEach((index, type) => out.writeUInt32LE(index, 44 + 4 * type));
  writeLong(out, input.fileBytes, 184);
  writeLong(out, input.lastMapAt, 192);
  writeLong(out, input.freeBytes, 200);
  writeLong(out, input.nodeRoot.id, 216);
  writeLong(out, input.nodeRoot.at, 224);
  writeLong(out, input.blockRoot.id, 232);
  writeLong(out, input.blockRoot.at, 240);
  // The allocation maps are valid.
  out.writeUInt8(2, 248);
  out.fill(0xff, 256, 512);
  out.writeUInt8(0x80, 512);
  writeLong(out, input.nextBlock, 516);
  out.writeUInt32LE(getChecksum(out.subarray(8, 8 + 471)), 4);
  out.writeUInt32LE(getChecksum(out.subarray(8, 8 + 516)), 524);
  const at = 0x4200;
  const list = { type: PAGE_TYPES.densityList, id: input.nextPage };
  writePage(out, at, Buffer.alloc(0), { ...list, signature: getSignature(at, list.id) });
  return out;
}
