import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import { decodeHeader, type PackEntry } from './pack.ts';
import { failed } from '../../result.ts';
import type { Sealer } from './seal.ts';
import type { RepositoryTarget } from './target.ts';
import { resticMessages as t } from './messages.en.ts';

/** The header of most packs is shorter. */
const TAIL_BYTES: Bytes = 64 << 10;
const LENGTH_BYTES: Bytes = 4;

/** Returns what a pack says that it contains, from its end. */
export async function readHeader(
  target: RepositoryTarget,
  sealer: Sealer,
  packId: string,
  sizeBytes: Bytes,
): Promise<EngineResult<PackEntry[]>> {
  const from = Math.max(0, sizeBytes - TAIL_BYTES);
  const tail = await target.read('data', packId, from, sizeBytes);
  if (!tail.ok) return tail;
  const needed = headerLength(tail.value) + LENGTH_BYTES;
  if (needed <= tail.value.length || needed > sizeBytes) return openHeader(sealer, tail.value);
  const whole = await target.read('data', packId, sizeBytes - needed, sizeBytes);
  return whole.ok ? openHeader(sealer, whole.value) : whole;
}

/** `bytes`: a pack, or its end. */
export function openHeader(sealer: Sealer, bytes: Uint8Array): EngineResult<PackEntry[]> {
  const end = bytes.length - LENGTH_BYTES;
  const start = end - headerLength(bytes);
  if (start < 0) return failed('damaged', t.headerUnreadable);
  const header = sealer.open(bytes.subarray(start, end));
  return header.ok ? decodeHeader(header.value) : header;
}

const headerLength = (bytes: Uint8Array): Bytes =>
  bytes.length < LENGTH_BYTES
    ? bytes.length
    : Buffer.from(bytes.subarray(bytes.length - LENGTH_BYTES)).readUInt32LE();
