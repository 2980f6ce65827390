import type { EngineResult } from '#contract/engine/engine.ts';
import { hash } from 'node:crypto';
import { decompress } from './compress.ts';
import type { BlobId, BlobType, PackEntry } from './pack.ts';
import { failed } from '../../result.ts';
import type { Sealer } from './seal.ts';
import { resticMessages as t } from './messages.en.ts';

export const getBlobId = (plain: Uint8Array): BlobId => hash('sha256', plain);

/** Two blobs of different types may have the same id. */
export const blobKey = (type: BlobType, id: BlobId): string => `${type} ${id}`;

/** Returns the plain bytes of a sealed blob, or `damaged` unless they are those of its id (ENG-8). */
export async function openBlob(
  sealer: Sealer,
  { id, rawLength }: Pick<PackEntry, 'id' | 'rawLength'>,
  sealed: Uint8Array,
): Promise<EngineResult<Uint8Array>> {
  const opened = sealer.open(sealed);
  const plain = opened.ok && rawLength > 0 ? await decompress(opened.value, rawLength) : opened;
  return plain.ok && getBlobId(plain.value) === id
    ? plain
    : failed('damaged', t.blobDamaged({ id }));
}
