import type { DownloadInput, PreparedDownload } from '#contract/engine/downloads.ts';
import type { EngineResult, EngineScope, RestoreTarget } from '#contract/engine/engine.ts';
import type { DownloadId, OrganizationId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { DownloadFolder } from '#server/platform/db/database-downloads.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { useExplorer } from '../explorer/explorers.ts';
import { parseNodeId } from '../explorer/node-id.ts';
import { measurePlan } from '../restore/measure.ts';
import { planRestore, type Plan } from '../restore/plan.ts';
import { failed, ok } from '../../result.ts';
import { isOutlookTop, parseFolderKey } from '../sources/outlook/keys.ts';
import { deleteGaps } from './gaps.ts';
import { type Listed, listEntries, type ListInput } from './list-entries.ts';
import { downloadMessages as t } from '../../shared/downloads.messages.en.ts';

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

type Found = Pick<ListInput, 'plan' | 'isSingle'>;

/** Selections that a job has not listed yet, as stored in `prepared_download.unlisted`. */
type Unlisted = Found & Pick<ListInput, 'maxBytes' | 'holds'>;

/**
 * Stores the list of what a download holds, once. From then on its size is known and any range of it
 * can be read, also if the index changes. Later, only what was chosen is stored, with an estimate: a
 * list of any length is then made by {@link listDownload}.
 */
export async function prepareDownload(
  context: AppContext,
  scope: EngineScope,
  input: DownloadInput,
  record: RecordDownload,
): Promise<EngineResult<PreparedDownload>> {
  const { store, chance } = context;
  const { tenant } = scope;
  const id = chance.uuid() as DownloadId;
  const found = await store.tenant(tenant, (tx) => begin(context, tx, scope, input, id));
  if (!found.ok) return found;
  // A single item is listed at once, and its name is known.
  if (input.isLater && !found.value.isSingle)
    return store.tenant(tenant, (tx) => postpone(tx, id, found.value, input, record));
  const list = await listEntries(store, { ...input, ...found.value, tenant, id });
  if (!list.ok || list.value.kind !== 'listed') {
    await store.tenant(tenant, (tx) => deleteDownload(tx, id));
    return list.ok ? ok({ kind: 'too-large' }) : list;
  }
  const { prepared } = list.value;
  await store.tenant(tenant, async (tx) => {
    await complete(tx, list.value);
    await record(tx, prepared);
  });
  return ok(prepared);
}

/** Stores what was chosen for a job, and says about how much it is. */
async function postpone(
  tx: TenantTx,
  id: DownloadId,
  { plan, isSingle }: Found,
  { maxBytes, holds }: DownloadInput,
  record: RecordDownload,
): Promise<EngineResult<PreparedDownload>> {
  const { items, bytes } = await measurePlan(tx, plan);
  if (items === 0 || (maxBytes !== null && bytes > maxBytes)) {
    await deleteDownload(tx, id);
    return items === 0 ? failed('missing', t.nothing) : ok({ kind: 'too-large' });
  }
  const unlisted: Unlisted = { plan, isSingle, maxBytes, ...(holds !== undefined && { holds }) };
  await tx.sql
    .updateTable('prepared_download')
    .set({ unlisted: JSON.stringify(unlisted) })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute();
  const kind = 'prepared' as const;
  const prepared = {
    kind,
    id,
    fileName: null,
    isListed: false,
    bytes,
    items,
    missing: 0,
    hash: id,
  };
  await record(tx, prepared);
  return ok(prepared);
}

/**
 * Lists what a download holds that was postponed. After an interruption, it begins again. Null: it
 * was listed before.
 */
export async function listDownload(
  { store }: AppContext,
  { tenant, id, isWanted }: Required<Pick<ListInput, 'tenant' | 'id' | 'isWanted'>>,
): Promise<EngineResult<Listed | null>> {
  const unlisted = await store.tenant(tenant, async (tx) => {
    const row = await tx.sql
      .selectFrom('prepared_download')
      .select('unlisted')
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined || row.unlisted === null) return null;
    await deleteGaps(tx, id);
    await deleteEntries(tx, id);
    return row.unlisted as Unlisted;
  });
  if (unlisted === null) return ok(null);
  const list = await listEntries(store, { ...unlisted, tenant, id, isLater: true, isWanted });
  if (list.ok) await store.tenant(tenant, (tx) => complete(tx, list.value));
  return list;
}

async function complete({ sql, tenant }: TenantTx, list: Listed): Promise<void> {
  if (list.kind !== 'listed') return;
  const { prepared, layout } = list;
  await sql
    .updateTable('prepared_download')
    .set({
      file_name: prepared.fileName,
      bytes: prepared.bytes,
      count: layout.count,
      directory_at: layout.directoryAt,
      directory_bytes: layout.directoryBytes,
      complete: true,
      unlisted: null,
    })
    .where('tenant_id', '=', tenant)
    .where('id', '=', prepared.id)
    .execute();
}

/** Resolves what was chosen, and keeps clean-ups from removing it while the list is made. */
async function begin(
  { clock }: AppContext,
  tx: TenantTx,
  scope: EngineScope,
  { explorer, nodes, within, expiresAt, holds, format }: DownloadInput,
  id: DownloadId,
): Promise<EngineResult<Found>> {
  if (scope.user === null) throw new Error('Only users download.');
  const [only = '', second] = nodes;
  const isSingle = second === undefined && parseNodeId(only)?.kind === 'item';
  if (format === 'eml' && !isSingle) return failed('conflict', t.onlySingle);
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
  const objects = [
    ...new Set([...plan.value.folders, ...plan.value.items].map(({ object }) => object)),
  ];
  if (!(await isEachBackedUp(tx, objects))) return failed('missing', t.nothing);
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
      objects: JSON.stringify(objects),
      folders: JSON.stringify(holds === 'mailbox-items' ? listFolders(plan.value) : []),
    })
    .execute();
  return ok({ plan: plan.value, isSingle });
}

/** Whoever excludes the person of an object waits, and then withdraws the download. */
async function isEachBackedUp(
  { sql, tenant }: TenantTx,
  objects: readonly number[],
): Promise<boolean> {
  if (objects.length === 0) return true;
  const rows = await sql
    .selectFrom('backup_object')
    .select('excluded_at')
    .where('tenant_id', '=', tenant)
    .where('n', 'in', [...objects])
    .orderBy('n')
    .forShare()
    .execute();
  return rows.every(({ excluded_at: at }) => at === null);
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

export async function deleteDownload(tx: TenantTx, id: DownloadId): Promise<void> {
  await deleteGaps(tx, id);
  await deleteList(tx, id);
}

/** Deletes what a download takes from backups. What it lacks stays named. */
export async function deleteList(tx: TenantTx, id: DownloadId): Promise<void> {
  await deleteEntries(tx, id);
  await tx.sql
    .deleteFrom('prepared_download')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute();
}

const deleteEntries = ({ sql, tenant }: TenantTx, id: DownloadId): Promise<unknown> =>
  sql
    .deleteFrom('prepared_part')
    .where('tenant_id', '=', tenant)
    .where('download_id', '=', id)
    .execute();

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
