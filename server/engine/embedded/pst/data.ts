import type { Bytes } from '#contract/ids.ts';
import { type Block, BLOCK_BYTES, type NodeContent, type PstFile } from './file.ts';
import { writeLong } from './space.ts';

/** Data of a node in several blocks ([MS-PST] 2.2.2.8.3.2). */
export interface DataTree {
  append(data: Uint8Array): void;
  /** Leaves the place of a block that is written with `fill`. */
  reserve(): number;
  fill(place: number, data: Uint8Array): void;
  readonly count: number;
  /** Returns the id of the block at the top; 0 without data. */
  finish(): number;
}

/** References of eight bytes in a block, after its own eight. */
const MAX_REFERENCES = Math.floor((BLOCK_BYTES - 8) / 8);

export function makeDataTree(file: PstFile): DataTree {
  const blocks: Block[] = [];
  return {
    append(data) {
      blocks.push(file.addBlock(data));
    },
    reserve: () => blocks.push({ id: 0, bytes: 0 }) - 1,
    fill(place, data) {
      blocks[place] = file.addBlock(data);
    },
    get count() {
      return blocks.length;
    },
    finish() {
      let level = blocks;
      for (let height = 1; level.length > 1; height++) level = join(file, level, height);
      return level[0]?.id ?? 0;
    },
  };
}

/** Writes an XBLOCK for every 1,021 blocks, or an XXBLOCK for as many of those. */
function join(file: PstFile, blocks: readonly Block[], height: number): Block[] {
  if (height > 2) throw new RangeError('The data of a node is too large.');
  const joined: Block[] = [];
  for (let at = 0; at < blocks.length; at += MAX_REFERENCES) {
    const part = blocks.slice(at, at + MAX_REFERENCES);
    const bytes = part.reduce((sum, block) => sum + block.bytes, 0);
    if (bytes > MAX_DATA_BYTES) throw new RangeError('The data of a node is too large.');
    const out = Buffer.alloc(8 + 8 * part.length);
    out.writeUInt8(1, 0);
    out.writeUInt8(height, 1);
    out.writeUInt16LE(part.length, 2);
    out.writeUInt32LE(bytes, 4);
    part.forEach(({ id }, n) => writeLong(out, id, 8 + 8 * n));
    joined.push({ id: file.addInternalBlock(out).id, bytes });
  }
  return joined;
}
const MAX_DATA_BYTES: Bytes = 2 ** 31 - 1;

/** Stores data of any length. Returns the id of the block at the top; 0 without data. */
export function addData(file: PstFile, data: Uint8Array): number {
  const tree = makeDataTree(file);
  for (let at = 0; at < data.length; at += BLOCK_BYTES)
    tree.append(data.subarray(at, at + BLOCK_BYTES));
  return tree.finish();
}

/** Nodes below a node, with ids that are unique in it. */
export interface Subnodes {
  add(nid: number, content: NodeContent): void;
  /** Stores data below the node, and returns the id that refers to it. */
  addData(data: Uint8Array): number;
  /** Returns the id of the block at the top; 0 without subnodes. */
  finish(): number;
}

const ENTRY_BYTES: Bytes = 24;
const NODE_ENTRY_BYTES: Bytes = 16;
const MAX_ENTRIES = Math.floor((BLOCK_BYTES - 8) / ENTRY_BYTES);
/** Type of the nodes that have nothing but data ([MS-PST] 2.2.2.1). */
const DATA_TYPE = 0x1f;
const FIRST_INDEX = 0x400;

export function makeSubnodes(file: PstFile): Subnodes {
  const entries: { nid: number; content: NodeContent }[] = [];
  let nextIndex = FIRST_INDEX;

  /** [MS-PST] 2.2.2.8.3.3 */
  function write(type: { height: number; entryBytes: Bytes }, rows: readonly Buffer[]): number {
    const out = Buffer.alloc(8 + type.entryBytes * rows.length);
    out.writeUInt8(2, 0);
    out.writeUInt8(type.height, 1);
    out.writeUInt16LE(rows.length, 2);
    rows.forEach((row, n) => out.set(row, 8 + type.entryBytes * n));
    return file.addInternalBlock(out).id;
  }

  return {
    add(nid, content) {
      entries.push({ nid, content });
    },
    addData(data) {
      const nid = (nextIndex++ << 5) | DATA_TYPE;
      entries.push({ nid, content: { data: addData(file, data), subnodes: 0 } });
      return nid;
    },
    finish() {
      if (entries.length === 0) return 0;
      entries.sort((a, b) => a.nid - b.nid);
      const leaves: { nid: number; id: number }[] = [];
      for (let at = 0; at < entries.length; at += MAX_ENTRIES) {
        const part = entries.slice(at, at + MAX_ENTRIES);
        const rows = part.map(({ nid, content }) => {
          const row = Buffer.alloc(ENTRY_BYTES);
          writeLong(row, nid, 0);
          writeLong(row, content.data, 8);
          writeLong(row, content.subnodes, 16);
          return row;
        });
        leaves.push({
          nid: part[0]?.nid ?? 0,
          id: write({ height: 0, entryBytes: ENTRY_BYTES }, rows),
        });
      }
      const [only, second] = leaves;
      if (only !== undefined && second === undefined) return only.id;
      const rows = leaves.map(({ nid, id }) => {
        const row = Buffer.alloc(NODE_ENTRY_BYTES);
        writeLong(row, nid, 0);
        writeLong(row, id, 8);
        return row;
      });
      return write({ height: 1, entryBytes: NODE_ENTRY_BYTES }, rows);
    },
  };
}
