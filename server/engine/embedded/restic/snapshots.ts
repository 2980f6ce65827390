import type { EngineResult } from '#contract/engine/engine.ts';
import { ok } from '../../result.ts';
import type { Sealer } from './seal.ts';
import { decodeSnapshot, type Snapshot } from './snapshot.ts';
import type { RepositoryTarget } from './target.ts';
import { readDocument } from './unpacked.ts';

/**
 * Returns all restore points, oldest first. Fails at an unreadable one, unless `onDamaged` takes its
 * id.
 */
export async function listSnapshots(
  target: RepositoryTarget,
  sealer: Sealer,
  onDamaged?: (id: string) => void,
): Promise<EngineResult<Snapshot[]>> {
  const files = await target.list('snapshots');
  if (!files.ok) return files;
  const snapshots: Snapshot[] = [];
  for (const { name } of files.value) {
    const snapshot = await readSnapshot(target, sealer, name);
    if (snapshot.ok) snapshots.push(snapshot.value);
    else if (snapshot.error.kind === 'damaged' && onDamaged) onDamaged(name);
    else if (snapshot.error.kind !== 'missing') return snapshot; // missing: forgotten since
  }
  return ok(snapshots.sort((a, b) => a.at - b.at));
}

export async function readSnapshot(
  target: RepositoryTarget,
  sealer: Sealer,
  name: string,
): Promise<EngineResult<Snapshot>> {
  const document = await readDocument(target, sealer, 'snapshots', name);
  return document.ok ? decodeSnapshot(name, document.value) : document;
}
