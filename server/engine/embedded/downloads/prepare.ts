import { createHash } from 'node:crypto';
import type { DownloadInput, PreparedDownload } from '#contract/engine/downloads.ts';
import type { EngineResult, EngineScope, RestoreTarget } from '#contract/engine/engine.ts';
import { LIMITS } from '#contract/limits.ts';
import type { BackupRepositoryId, Bytes, DownloadId, OrganizationId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { DownloadFolder } from '#server/platform/db/database-downloads.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { useExplorer } from '../explorer/explorers.ts';
import { parseNodeId } from '../explorer/node-id.ts';
import { planRestore, type Plan } from '../restore/plan.ts';
import { failed, ok } from '../../result.ts';
import { isOutlookTop, parseFolderKey } from '../sources/outlook/keys.ts';
import { makeNamer, safePart } from '../zip/entry-names.ts';
import { nextPart, zipBytes, type ZipLayout, type ZipPart } from '../zip/ranged-zip.ts';
import { chosenItems, type DownloadEntry, encodeEntries } from './entries.ts';
import { deleteGaps, type DownloadGap, storeGaps } from './gaps.ts';
import { downloadMessages as t } from './messages.en.ts';

/** The maximum number of entries of a part, and about the number of its blobs. */
const PART_ENTRIES = 500;
const PART_BLOBS = 5_000;
/** Paths in an archive begin at what was chosen, as in a restore to another folder. */
const FROM_CHOSEN: RestoreTarget = {
  kind: 'other',
  organization: '' as OrganizationId,
  object: '',
  folder: '',
};

/** How a download is recorded, in the transaction that makes it readable (G63). */
export type RecordDownload = (tx: TenantTx, download: Prepared) => Promise<void>;
type Prepared = Extract<PreparedDownload, { kind: 'prepared' }>;

interface Found {
  readonly plan: Plan;
  readonly repository: BackupRepositoryId;
  readonly isSingle: boolean;
}

/**
 * Stores the list of what a download holds, once. From then on its size is known and any range of it
 * can be read, also if the index changes.
 */
export async function prepareDownload(
  context: AppContext,
  scope: EngineScope,
  input: DownloadInput,
  record: RecordDownload,
): Promise<EngineResult<PreparedDownload>> {
  const { store, chance } = context;
  const id = chance.uuid() as DownloadId;
  const found = await store.tenant(scope.tenant, (tx) => begin(context, tx, scope, input, id));
  if (!found.ok) return found;
  const list = await listEntries(context, scope, input, id, found.value);
  if (!list.ok || list.value.kind === 'too-large') {
    await store.tenant(scope.tenant, (tx) => deleteDownload(tx, id));
    return list.ok ? ok({ kind: 'too-large' }) : list;
  }
  const { prepared, layout } = list.value;
  await store.tenant(scope.tenant, async (tx) => {
    await tx.sql
      .updateTable('prepared_download')
      .set({
        file_name: prepared.fileName,
        bytes: prepared.bytes,
        count: layout.count,
        directory_at: layout.directoryAt,
        directory_bytes: layout.directoryBytes,
        complete: true,
      })
      .where('tenant_id', '=', scope.tenant)
      .where('id', '=', id)
      .execute();
    await record(tx, prepared);
  });
  return ok(prepared);
}

/** Resolves what was chosen, and keeps clean-ups from removing it while the list is made. */
async function begin(
  { clock }: AppContext,
  tx: TenantTx,
  scope: EngineScope,
  { explorer, nodes, within, expiresAt, holds }: DownloadInput,
  id: DownloadId,
): Promise<EngineResult<Found>> {
  if (scope.user === null) throw new Error('Only users download.');
  const open = await useExplorer(tx, scope, explorer, clock.now());
  if (!open.ok) return open;
  const plan = await planRestore(
    tx,
    open.value,
    { nodes, target: FROM_CHOSEN, ...(within !== undefined && { within }) },
    ({ downloads }) => (downloads ? null : failed('forbidden', t.noDownloading)),
  );
  if (!plan.ok) return plan;
  const { repository, operator } = open.value;
  const objects = [...plan.value.folders, ...plan.value.items].map(({ object }) => object);
  await tx.sql
    .insertInto('prepared_download')
    .values({
      tenant_id: tx.tenant,
      id,
      organization_id: scope.organization,
      repository_id: repository,
      user_id: scope.user,
      explorer_id: explorer,
      file_name: null,
      expires_at: expiresAt,
      operator_id: operator?.object ?? null,
      objects: JSON.stringify(operator === null ? [] : [...new Set(objects)]),
      folders: JSON.stringify(holds === 'mailbox-items' ? listFolders(plan.value) : []),
    })
    .execute();
  const [only = '', second] = nodes;
  const isSingle = second === undefined && parseNodeId(only)?.kind === 'item';
  return ok({ plan: plan.value, repository, isSingle });
}

/** The folders of a mailbox that a download has even if they are empty. */
const listFolders = ({ folders }: Plan): DownloadFolder[] =>
  folders
    .filter(({ key, path, isAtPoint }) => isAtPoint && path.length > 0 && !isOutlookTop(key))
    .map(({ key, path }) => ({
      path: path.map(({ name }) => name),
      holds: HOLDS[parseFolderKey(key)?.top ?? 'mails'],
    }));
const HOLDS = {
  mails: 'mail',
  calendars: 'event',
  contacts: 'contact',
  tasks: 'task',
} as const;

type Listed =
  | { readonly kind: 'too-large' }
  | { readonly kind: 'listed'; readonly prepared: Prepared; readonly layout: ZipLayout };

async function listEntries(
  { store }: AppContext,
  { tenant }: EngineScope,
  { maxBytes, holds = 'everything' }: DownloadInput,
  id: DownloadId,
  { plan, isSingle }: Found,
): Promise<EngineResult<Listed>> {
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
      if (items > LIMITS.downloadItems)
        return failed('invalid', t.tooManyItems({ limit: LIMITS.downloadItems }), {
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
      bytes: size,
      items,
      missing,
      hash: hash.digest('base64url').slice(0, 22),
    },
  });
}

export async function deleteDownload(tx: TenantTx, id: DownloadId): Promise<void> {
  await deleteGaps(tx, id);
  await deleteList(tx, id);
}

/** Deletes what a download takes from backups. What it lacks stays named. */
export async function deleteList({ sql, tenant }: TenantTx, id: DownloadId): Promise<void> {
  await sql
    .deleteFrom('prepared_part')
    .where('tenant_id', '=', tenant)
    .where('download_id', '=', id)
    .execute();
  await sql
    .deleteFrom('prepared_download')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** Removes the lists of downloads that can't be read any more. */
export async function deleteExpiredDownloads(tx: TenantTx, now: number): Promise<void> {
  const rows = await tx.sql
    .selectFrom('prepared_download')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('expires_at', '<', now)
    .execute();
  for (const { id } of rows) await deleteDownload(tx, id);
}
