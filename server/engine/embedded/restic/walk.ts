import type { EngineResult } from '#contract/engine/engine.ts';
import type { BlobReader } from './blob-reader.ts';
import type { BlobId } from './pack.ts';
import { decodeTree, type StoredNode } from './tree.ts';

export interface VisitedTree {
  readonly tree: BlobId;
  readonly nodes: EngineResult<StoredNode[]>;
}

export async function readTree(
  reader: BlobReader,
  id: BlobId,
): Promise<EngineResult<StoredNode[]>> {
  const bytes = await reader.read('tree', id);
  return bytes.ok ? decodeTree(bytes.value) : bytes;
}

/**
 * Visits every tree below the roots once, however many folders and restore points share it, and none
 * that was `seen`.
 */
export async function* walkTrees(
  reader: BlobReader,
  roots: readonly BlobId[],
  seen: Set<BlobId> = new Set(),
): AsyncGenerator<VisitedTree> {
  const open = [...new Set(roots)].filter((root) => !seen.has(root));
  for (const root of open) seen.add(root);
  for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
    const nodes = await readTree(reader, tree);
    yield { tree, nodes };
    for (const node of nodes.ok ? nodes.value : [])
      if (node.kind === 'dir' && !seen.has(node.subtree)) {
        seen.add(node.subtree);
        open.push(node.subtree);
      }
  }
}
