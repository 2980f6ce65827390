import type { EngineResult } from '#contract/engine/engine.ts';
import { BlobTable, type PackN } from './blob-table.ts';
import { decodeIndex } from './index-file.ts';
import { readHeader } from './pack-header.ts';
import { done } from '../../result.ts';
import type { Sealer } from './seal.ts';
import type { RepositoryTarget } from './target.ts';
import { readDocument } from './unpacked.ts';

/** The index files of a repository, read into a table. */
export class LoadedIndex {
  readonly table = new BlobTable();
  /** Unreadable files. What they listed is read from the packs themselves (ENG-8). */
  readonly damaged = new Set<string>();
  /** Packs that no readable file lists. */
  readonly recovered: PackN[] = [];
  readonly #read = new Set<string>();
  readonly #target: RepositoryTarget;
  readonly #sealer: Sealer;

  constructor(target: RepositoryTarget, sealer: Sealer) {
    this.#target = target;
    this.#sealer = sealer;
  }

  /** Reads index files that were not read before. */
  async load(): Promise<EngineResult<void>> {
    const listed = await this.#target.list('index');
    if (!listed.ok) return listed;
    const damagedBefore = this.damaged.size;
    for (const { name } of listed.value) {
      if (this.#read.has(name)) continue;
      const document = await readDocument(this.#target, this.#sealer, 'index', name);
      if (!document.ok && document.error.kind === 'missing') continue; // replaced since
      const packs = document.ok ? decodeIndex(document.value) : document;
      if (packs.ok) for (const { id, entries } of packs.value) this.table.addPack(id, entries);
      else if (packs.error.kind === 'damaged') this.damaged.add(name);
      else return packs;
      this.#read.add(name);
    }
    return this.damaged.size > damagedBefore ? this.#recoverPacks() : done;
  }

  async #recoverPacks(): Promise<EngineResult<void>> {
    const stored = await this.#target.list('data');
    if (!stored.ok) return stored;
    for (const { name, sizeBytes } of stored.value) {
      if (this.table.hasPack(name)) continue;
      const entries = await readHeader(this.#target, this.#sealer, name, sizeBytes);
      if (entries.ok) this.recovered.push(this.table.addPack(name, entries.value));
      else if (entries.error.kind !== 'damaged' && entries.error.kind !== 'missing') return entries;
    }
    return done;
  }
}
