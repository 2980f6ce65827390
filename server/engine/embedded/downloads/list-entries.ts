import { createHash } from 'node:crypto';
import type { DownloadInput, PreparedDownload } from '#contract/engine/downloads.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Bytes, DownloadId, TenantId } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { Plan } from '../restore/plan.ts';
import { failed, ok } from '../../result.ts';
import { makeNamer, safePart } from '../../shared/entry-names.ts';
import { nextPart, zipBytes, type ZipLayout, type ZipPart } from '../zip/ranged-zip.ts';
import { chosenItems, type DownloadEntry, encodeEntries } from './entries.ts';
import { type DownloadGap, storeGaps } from './gaps.ts';
import { downloadMessages as t } from '../../shared/downloads.messages.en.ts';

/** The maximum number of entries of a part, and about the number of its blobs. */
const PART_ENTRIES = 500;
const PART_BLOBS = 5_000;

/** What a list is made of. */
export interface ListInput extends Pick<DownloadInput, 'maxBytes' | 'holds' | 'isLater'> {
  readonly tenant: TenantId;
  readonly id: DownloadId;
  readonly plan: Plan;
  /** One item was chosen, which is no archive. */
  readonly isSingle: boolean;
  /** Called now and then with the number of items so far. False: it was canceled. */
  readonly isWanted?: (items: number) => Promise<boolean>;
}
type Prepared = Extract<PreparedDownload, { kind: 'prepared' }>;
/** `left`: it was canceled. */
export type Listed =
  | { readonly kind: 'too-large' }
  | { readonly kind: 'left' }
  | { readonly kind: 'listed'; readonly prepared: Prepared; readonly layout: ZipLayout };

/** Stores what a plan takes, item by item, in separate transactions. */
export async function listEntries(
  store: Store,
  { tenant, id, plan, isSingle, maxBytes, holds = 'everything', isLater, isWanted }: ListInput,
): Promise<EngineResult<Listed>> {
  const maxItems = isLater ? LIMITS.exportItems : LIMITS.downloadItems;
  const takeName = makeNamer(plan.folders.map(({ path }) => path.map(({ name }) => name)));
  const hash = createHash('sha256');
  let part: ZipPart<DownloadEntry> = { entries: [], firstByte: 0, firstRecord: 0 };
  let pending: DownloadEntry[] = [];
  let gaps: DownloadGap[] = [];
  let [n, items, missing, others, blobs, bytes] = [0, 0, 0, 0, 0, 0];
  let fileName: string | null = null;

  const flush = async (): Promise<void> => {
    if (pending.length === 0) return;
    const full = { ...part, entries: pending };
    const entries = encodeEntries(pending);
    hash.update(entries);
    await store.tenant(tenant, ({ sql }) =>
      sql
        .insertInto('prepared_part')
        .values({
          tenant_id: tenant,
          download_id: id,
          n,
          first_byte: full.firstByte,
          first_record: full.firstRecord,
          entries,
        })
        .execute(),
    );
    part = nextPart(full);
    pending = [];
    n += 1;
    blobs = 0;
  };

  const flushGaps = async (): Promise<void> => {
    const named = gaps;
    gaps = [];
    if (named.length > 0) await store.tenant(tenant, (tx) => storeGaps(tx, id, named));
  };

  for await (const batch of chosenItems((read) => store.tenant(tenant, read), plan, holds)) {
    for (const { path, modifiedAt, part: stored, kind, mail } of batch) {
      if ((holds === 'mails' && kind !== 'mail') || (holds !== 'everything' && mail === null)) {
        others += 1;
        continue;
      }
      if (stored === null) {
        missing += 1;
        gaps.push({ outcome: 'missing', n: missing, path: path.join('/') });
        if (gaps.length >= PART_ENTRIES) await flushGaps();
        continue;
      }
      items += 1;
      if (items > maxItems)
        return failed('invalid', (isLater ? t.tooManyLater : t.tooManyItems)({ limit: maxItems }), {
          field: 'nodes',
        });
      // A post is two files.
      if (isSingle && batch.length === 1) fileName = safePart(path.at(-1) ?? '');
      bytes += stored.bytes;
      if (maxBytes !== null && bytes > maxBytes) return ok({ kind: 'too-large' });
      const { crc } = stored;
      pending.push({
        name: takeName(path),
        bytes: stored.bytes,
        crc,
        modifiedAt,
        blobs: stored.blobs,
        ...(holds !== 'everything' && mail !== null && { mail }),
      });
      blobs += stored.blobs.length;
      if (pending.length >= PART_ENTRIES || blobs >= PART_BLOBS) await flush();
    }
    if (isWanted !== undefined && !(await isWanted(items))) return ok({ kind: 'left' });
  }
  await flush();
  await flushGaps();
  if (items === 0)
    return failed('missing', missing > 0 ? t.noContent : others > 0 ? t.noMails : t.nothing);
  const layout: ZipLayout = {
    count: items,
    directoryAt: part.firstByte,
    directoryBytes: part.firstRecord,
  };
  const size: Bytes = fileName === null ? zipBytes(layout) : bytes;
  if (maxBytes !== null && size > maxBytes) return ok({ kind: 'too-large' });
  hash.update(fileName === null ? 'zip' : 'file');
  return ok({
    kind: 'listed',
    layout,
    prepared: {
      kind: 'prepared',
      id,
      fileName,
      isListed: true,
      bytes: size,
      items,
      missing,
      hash: hash.digest('base64url').slice(0, 22),
    },
  });
}
