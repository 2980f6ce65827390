import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { OpenedRepository } from './opened.ts';
import type { BlobId, BlobType } from './pack.ts';
import { ok } from '../../result.ts';
import { walkTrees } from './walk.ts';

/** A restore point, and until when it is needed. */
export interface NeededPoint {
  readonly tree: BlobId;
  readonly until: Ms;
}

/** A file of a restore point. */
export interface NeededFile {
  readonly name: string;
  readonly modifiedAt: Ms;
}

/**
 * Returns until when each pack is needed: as long as the restore point that needs it longest.
 * `getFileUntil`: until when a file of a point is needed. Each folder is read once. What an unreadable folder
 * needs is not known; a verification reports it. `without`: folders that are left out.
 */
export async function findNeededPacks(
  { index: { table }, reader }: Pick<OpenedRepository, 'index' | 'reader'>,
  points: readonly NeededPoint[],
  getFileUntil: (file: NeededFile, until: Ms) => Ms = (_, until) => until,
  without: ReadonlySet<BlobId> = new Set(),
): Promise<EngineResult<Map<string, Ms>>> {
  const packs = new Map<string, Ms>();
  const need = (type: BlobType, id: BlobId, until: Ms): void => {
    for (const row of table.find(type, id)) {
      const pack = table.packId(table.place(row).pack);
      packs.set(pack, Math.max(until, packs.get(pack) ?? 0));
    }
  };
  const seen = new Set<BlobId>(without);
  for (const { tree: root, until } of points.toSorted((a, b) => b.until - a.until))
    for await (const { tree, nodes } of walkTrees(reader, [root], seen)) {
      need('tree', tree, until);
      if (!nodes.ok && nodes.error.kind !== 'damaged' && nodes.error.kind !== 'missing')
        return nodes;
      for (const node of nodes.ok ? nodes.value : [])
        if (node.kind === 'file')
          for (const id of node.content) need('data', id, getFileUntil(node, until));
    }
  return ok(packs);
}
