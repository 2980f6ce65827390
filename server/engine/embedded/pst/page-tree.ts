import type { Bytes } from '#contract/ids.ts';
import { writeLong } from './space.ts';

/** A page or block: its id and where it is. */
export interface Reference {
  readonly id: number;
  readonly at: Bytes;
}

/** A B-tree of pages ([MS-PST] 2.2.2.7.7) whose entries come in the order of their keys. */
export interface PageTree {
  push(key: number, entry: Uint8Array): void;
  /** Writes what is left. Returns the page at the top. */
  finish(): Reference;
}

const CONTENT_BYTES: Bytes = 488;
const NODE_ENTRY_BYTES: Bytes = 24;

interface Level {
  content: Buffer;
  count: number;
  firstKey: number;
  pages: number;
}

/** Pages are written as soon as they are full: one of each level is in memory. */
export function makePageTree(
  leafEntryBytes: Bytes,
  writePage: (content: Buffer) => Reference,
): PageTree {
  const levels: Level[] = [];

  function pushAt(n: number, key: number, entry: Uint8Array): void {
    const entryBytes = n === 0 ? leafEntryBytes : NODE_ENTRY_BYTES;
    const max = Math.floor(CONTENT_BYTES / entryBytes);
    const level = (levels[n] ??= {
      content: Buffer.alloc(CONTENT_BYTES + 8),
      count: 0,
      firstKey: 0,
      pages: 0,
    });
    if (level.count === max) flush(n, level);
    if (level.count === 0) level.firstKey = key;
    level.content.set(entry, level.count * entryBytes);
    level.count += 1;
  }

  function flush(n: number, level: Level): void {
    const ref = write(n, level);
    const entry = Buffer.alloc(NODE_ENTRY_BYTES);
    writeLong(entry, level.firstKey, 0);
    writeLong(entry, ref.id, 8);
    writeLong(entry, ref.at, 16);
    pushAt(n + 1, level.firstKey, entry);
    level.content = Buffer.alloc(CONTENT_BYTES + 8);
    level.count = 0;
  }

  function write(n: number, level: Level): Reference {
    const entryBytes = n === 0 ? leafEntryBytes : NODE_ENTRY_BYTES;
    level.content.writeUInt8(level.count, CONTENT_BYTES);
    level.content.writeUInt8(Math.floor(CONTENT_BYTES / entryBytes), CONTENT_BYTES + 1);
    level.content.writeUInt8(entryBytes, CONTENT_BYTES + 2);
    level.content.writeUInt8(n, CONTENT_BYTES + 3);
    level.pages += 1;
    return writePage(level.content);
  }

  return {
    push: (key, entry) => pushAt(0, key, entry),
    finish() {
      for (let n = 0; ; n++) {
        const level = levels[n];
        if (level === undefined) throw new Error('A tree needs an entry.');
        if (level.pages === 0) return write(n, level);
        flush(n, level);
      }
    },
  };
}
