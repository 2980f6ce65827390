import type { EngineResult } from '#contract/engine/engine.ts';
import * as v from 'valibot';
import { failed, ok } from '../../result.ts';
import type { PackEntry } from './pack.ts';
import { resticMessages as t } from './messages.en.ts';

/** What one index file says of packs. */
export interface IndexedPack {
  readonly id: string;
  readonly entries: readonly PackEntry[];
}

/** restic's own limit, which keeps a file below 8 MiB. */
export const BLOBS_PER_INDEX = 50_000;

/** The JSON of an index file. `supersedes`: the index files that it replaces. */
export const encodeIndex = (
  packs: readonly IndexedPack[],
  supersedes: readonly string[] = [],
): string =>
  JSON.stringify({
    ...(supersedes.length > 0 ? { supersedes } : {}),
    packs: packs.map(({ id, entries }) => ({
      id,
      blobs: entries.map(({ id: blob, type, offset, length, rawLength }) => ({
        id: blob,
        type,
        offset,
        length,
        ...(rawLength === 0 ? {} : { uncompressed_length: rawLength }),
      })),
    })),
  });

export function decodeIndex(document: unknown): EngineResult<IndexedPack[]> {
  const parsed = v.safeParse(INDEX, document);
  if (!parsed.success) return failed('damaged', t.indexInvalid);
  return ok(
    parsed.output.packs.map(({ id, blobs }) => ({
      id,
      entries: blobs.map((blob) => ({
        id: blob.id,
        type: blob.type,
        offset: blob.offset,
        length: blob.length,
        rawLength: blob.uncompressed_length ?? 0,
      })),
    })),
  );
}

const ID = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const LENGTH = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffff_ffff));
const INDEX = v.object({
  packs: v.array(
    v.object({
      id: ID,
      blobs: v.array(
        v.object({
          id: ID,
          type: v.picklist(['data', 'tree']),
          offset: LENGTH,
          length: LENGTH,
          uncompressed_length: v.optional(LENGTH),
        }),
      ),
    }),
  ),
});
