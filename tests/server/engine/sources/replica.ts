import { isMainScope } from '#server/engine/embedded/types.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { ChangePage, FolderChange, ItemChange } from '#server/engine/embedded/types.ts';

/**
 * What a backup knows of an object, kept as simply as the interface says: pages are applied one by
 * one, with their cursors; what a complete listing does not name is gone.
 */
export class Replica {
  readonly items = new Map<string, ItemChange>();
  readonly folders = new Map<string, FolderChange>();
  readonly cursors = new Map<string, string>();
  readonly #listings = new Map<string, Set<string>>();

  /** Applies pages until `cut` of them were applied. Returns whether it read to the end. */
  async read(
    pages: AsyncIterable<EngineResult<ChangePage>>,
    { cut = Number.POSITIVE_INFINITY, repeats = false } = {},
  ): Promise<boolean> {
    let applied = 0;
    for await (const page of pages) {
      if (!page.ok) throw new Error(`${page.error.kind}: ${page.error.message}`);
      if (applied === cut) return false;
      applied += 1;
      this.#apply(page.value);
      if (repeats) this.#apply({ ...page.value, restart: false });
    }
    return true;
  }

  #apply(page: ChangePage): void {
    const { scope, restart, folders, items, removed, isComplete } = page;
    if (restart) this.#listings.set(scope, new Set());
    const listed = this.#listings.get(scope);
    for (const folder of folders) {
      this.folders.set(folder.key, folder);
      listed?.add(folder.key);
    }
    for (const item of items) {
      this.items.set(item.key, item);
      listed?.add(item.key);
    }
    for (const key of removed) {
      listed?.delete(key);
      this.#remove(scope, key);
    }
    this.cursors.set(scope, page.cursor);
    if (!isComplete || listed === undefined) return;
    this.#listings.delete(scope);
    for (const key of [...this.items.keys(), ...this.folders.keys()])
      if (!listed.has(key)) this.#remove(scope, key);
  }

  /** The scope, other than the main one, that lists a key in a folder; null: the main scope does. */
  #findOwner(key: string, folder: string | null): string | null {
    for (const scope of this.cursors.keys())
      if (scope === folder || key.startsWith(`${scope}:`)) return scope;
    return null;
  }

  /** Removes what belongs to the scope: an item that moved to another folder stays. */
  #remove(scope: string, key: string): void {
    const item = this.items.get(key);
    const owner = item ? this.#findOwner(key, item.folder) : null;
    if (owner === (isMainScope(scope) ? null : scope)) this.items.delete(key);
    const lister = this.#findOwner(key, null);
    const isLister = this.folders.has(scope) ? lister === scope : lister === null;
    if (!isLister || !this.folders.delete(key)) return;
    this.cursors.delete(key);
    for (const below of this.folders.values())
      if (below.parent === key) this.#remove(scope, below.key);
    for (const inside of this.items.values())
      if (inside.folder === key) this.items.delete(inside.key);
  }
}
