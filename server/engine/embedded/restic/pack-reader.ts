import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { BlobTable, PackN } from './blob-table.ts';
import { ok } from '../../result.ts';
import type { RepositoryTarget } from './target.ts';

const AHEAD_BYTES: Bytes = 1 << 20;
/** Readers that each follow a pack of their own. */
const MAX_WINDOWS = 4;

interface Window {
  readonly from: Bytes;
  readonly bytes: Uint8Array;
  /** End of the last read. */
  end: Bytes;
}

/**
 * Reads parts of packs. Items that were backed up together are together in a pack: a read that
 * continues where the last one ended loads a larger piece (ENG-15). Other reads load only what they
 * need.
 */
export class PackReader {
  readonly #target: RepositoryTarget;
  readonly #table: BlobTable;
  /** The last read of each pack, the latest at the end. */
  readonly #windows = new Map<PackN, Window>();

  constructor(target: RepositoryTarget, table: BlobTable) {
    this.#target = target;
    this.#table = table;
  }

  async read(pack: PackN, from: Bytes, to: Bytes): Promise<EngineResult<Uint8Array>> {
    const last = this.#windows.get(pack);
    if (last && from >= last.from && to <= last.from + last.bytes.length) {
      last.end = to;
      return ok(last.bytes.subarray(from - last.from, to - last.from));
    }
    const isNext = from === last?.end;
    const end = isNext
      ? Math.max(to, Math.min(from + AHEAD_BYTES, this.#table.blobBytes(pack)))
      : to;
    const bytes = await this.#target.read('data', this.#table.packId(pack), from, end);
    if (!bytes.ok) return bytes;
    this.#windows.delete(pack);
    const stored = isNext ? bytes.value : EMPTY;
    this.#windows.set(pack, { from, bytes: stored, end: to });
    for (const [oldest] of this.#windows) {
      if (this.#windows.size <= MAX_WINDOWS) break;
      this.#windows.delete(oldest);
    }
    return ok(bytes.value.subarray(0, to - from));
  }
}
const EMPTY = new Uint8Array(0);
