import { sql } from 'kysely';
import type {
  EngineResult,
  EngineScope,
  EngineId,
  EnginePage,
  PageInput,
} from '#contract/engine/engine.ts';
import {
  type Import,
  type ImportCalls,
  IMPORTED,
  IMPORTED_DRIVE,
  type ImapServer,
  type ImportedMailbox,
  type ImportInput,
  type ImportResult,
  type UploadStart,
  type WebdavServer,
} from '#contract/engine/imports.ts';
import type { BackupRepositoryId, Bytes, Ms, PointId, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleJob } from '#server/platform/jobs/schedule.ts';
import { cursorAfter, readCursor } from '../../shared/cursor.ts';
import { cleanText } from '../index/text.ts';
import { done, failed, ok } from '../../result.ts';
import { findImport, type ImportRow, selectImports, toImport } from './import-rows.ts';
import { importMessages as t } from './messages.en.ts';
import { testImapServer } from './imap/imap-server.ts';
import { endImport } from './run-import.ts';
import { sealPassword } from './server-secret.ts';
import { makeUploadFiles } from './upload-file.ts';
import { testWebdavServer } from './webdav/webdav-server.ts';

/** Room that has to stay free on the disk of the server. */
const RESERVED_BYTES: Bytes = 1_000_000_000;

/** Each call sees the imports of one organization. */
export function makeImportCalls(context: () => AppContext): ImportCalls {
  const inTx = <T>(scope: EngineScope, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context().store.tenant(scope.tenant, work);
  const read = <T>(scope: EngineScope, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context().store.tenant(scope.tenant, work, { readOnly: true });
  return {
    create: (scope, input) => createImport(context(), scope, input),
    startUpload: (scope, input) => inTx(scope, (tx) => startUpload(tx, scope, input)),
    list: (scope, input) => read(scope, (tx) => listImports(tx, scope, input)),
    get: (scope, { id }) =>
      read(scope, async (tx) => {
        const row = await findWithPoint(tx, scope, id);
        return row === null ? NO_IMPORT : ok(toImport(row));
      }),
    listResults: (scope, input) => read(scope, (tx) => listResults(tx, scope, input)),
    stop: (scope, { id }) => stopImport(context(), scope, id),
    testImapServer: (_scope, server) => testImapServer(context(), server),
    testWebdavServer: (_scope, server) => testWebdavServer(context(), server),
    listMailboxes: (scope) => read(scope, async (tx) => ok(await listMailboxes(tx, scope))),
  };
}
const NO_IMPORT = failed('missing', t.noImport);

async function createImport(
  context: AppContext,
  scope: EngineScope,
  { repository, source, mailbox }: ImportInput,
): Promise<EngineResult<EngineId>> {
  const { tenant, organization, user } = scope;
  if (user === null) throw new Error('Only users import archives.');
  const bytes = source.kind === 'archive' ? source.bytes : 0;
  const isDrive =
    source.kind === 'webdav' || (source.kind === 'archive' && source.content === 'files');
  if (bytes > LIMITS.importBytes)
    return failed('invalid', t.tooLarge({ max: '50 GB' }), { field: 'bytes' });
  const freeBytes = await makeUploadFiles(context, tenant).getFreeBytes();
  return context.store.tenant(tenant, async (tx) => {
    const { waiting, missingBytes } = await countWaiting(tx);
    if (waiting >= LIMITS.importsRunning)
      return failed('conflict', t.tooMany({ max: LIMITS.importsRunning }));
    if (bytes + missingBytes + RESERVED_BYTES > freeBytes) return failed('conflict', t.noRoom);
    const target =
      'id' in mailbox
        ? (await listMailboxes(tx, scope)).find(
            (known) =>
              known.id === mailbox.id &&
              known.repository === repository &&
              known.id.startsWith(IMPORTED_DRIVE) === isDrive,
          )
        : {
            id: (isDrive ? IMPORTED_DRIVE : IMPORTED) + context.chance.uuid(),
            name: mailbox.name,
          };
    if (target === undefined) return failed('missing', t.noMailbox, { field: 'mailbox' });
    const id = context.chance.uuid();
    const now = context.clock.now();
    await tx.sql
      .insertInto('import_task')
      .values({
        tenant_id: tenant,
        id,
        organization_id: organization,
        repository_id: repository,
        user_id: user,
        object_id: target.id,
        object_name: cleanText(target.name),
        name: cleanText(
          source.kind === 'archive'
            ? source.name
            : source.kind === 'imap'
              ? `${source.server.username} (${source.server.host})`
              : source.server.url,
        ),
        // Of a mailbox, nothing is to be uploaded.
        ...(source.kind !== 'archive' && { state: 'queued' as const }),
        bytes,
        uploaded_at: now,
        session_id: null,
        ticket_hash: null,
        result: null,
        message: null,
        point_id: context.chance.uuid() as PointId,
        created_at: now,
        started_at: null,
        ended_at: null,
      })
      .execute();
    if (source.kind !== 'archive') {
      await insertServer(tx, context, id, source.server);
      await scheduleJob(tx, 'import', id, { import: id }, now);
    }
    return ok(id);
  });
}

async function insertServer(
  tx: TenantTx,
  context: AppContext,
  id: EngineId,
  { password, ...account }: ImapServer | WebdavServer,
): Promise<void> {
  await tx.sql
    .insertInto('import_server')
    .values({
      tenant_id: tx.tenant,
      import_id: id,
      account: JSON.stringify(account),
      sealed: await sealPassword(tx, context, id, password),
      mails: null,
    })
    .execute();
}

/** Imports that have not ended, and how much of their archives is still to come. */
async function countWaiting({ sql: db, tenant }: TenantTx) {
  const { rows } = await sql<{ readonly waiting: number; readonly missingBytes: Bytes }>`
    select count(*) as waiting, coalesce(sum(bytes - received_bytes), 0)::bigint as "missingBytes"
    from import_task where tenant_id = ${tenant} and state <> 'done'`.execute(db);
  return rows[0] ?? { waiting: 0, missingBytes: 0 };
}

async function startUpload(
  tx: TenantTx,
  scope: EngineScope,
  { id, session, ticketHash }: UploadStart,
): Promise<EngineResult<{ readonly receivedBytes: Bytes }>> {
  const row = await findOwn(tx, scope, id);
  if (row === null) return NO_IMPORT;
  if (row.state !== 'uploading')
    return failed('conflict', row.state === 'done' ? t.ended : t.uploaded);
  await tx.sql
    .updateTable('import_task')
    .set({ session_id: session, ticket_hash: ticketHash })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute();
  return ok({ receivedBytes: row.received_bytes });
}

/** Notes that a part of an archive arrived. After the last one, the import begins. */
export async function receivePart(
  tx: TenantTx,
  { id, bytes }: Pick<ImportRow, 'id' | 'bytes'>,
  part: { readonly from: Bytes; readonly to: Bytes; readonly at: Ms },
): Promise<boolean> {
  const isLast = part.to === bytes;
  const { numUpdatedRows } = await tx.sql
    .updateTable('import_task')
    .set({
      received_bytes: part.to,
      uploaded_at: part.at,
      ...(isLast && { state: 'queued' as const }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .where('received_bytes', '=', part.from)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  if (isLast) await scheduleJob(tx, 'import', id, { import: id }, part.at);
  return true;
}

const findOwn = async (
  tx: TenantTx,
  { organization }: EngineScope,
  id: EngineId,
): Promise<ImportRow | null> => {
  const row = await findImport(tx, id);
  return row?.organization_id === organization ? row : null;
};

const selectWithPoint = (tx: TenantTx, { organization }: EngineScope) =>
  selectImports(tx)
    .leftJoin('restore_point as p', (join) =>
      join
        .onRef('p.tenant_id', '=', 'i.tenant_id')
        .onRef('p.id', '=', 'i.point_id')
        .on('p.complete', '=', true),
    )
    .select('p.at as point_at')
    .where('i.organization_id', '=', organization);

const findWithPoint = async (tx: TenantTx, scope: EngineScope, id: EngineId) =>
  (await selectWithPoint(tx, scope).where('i.id', '=', id).executeTakeFirst()) ?? null;

async function listImports(
  tx: TenantTx,
  scope: EngineScope,
  { cursor, limit }: PageInput,
): Promise<EngineResult<EnginePage<Import>>> {
  const after = readCursor(cursor);
  if (!after.ok) return after;
  const { value } = after;
  const rows = await selectWithPoint(tx, scope)
    .$if(value !== null, (query) =>
      query.where(
        sql<boolean>`(i.created_at, i.id) < (${value?.key ?? 0}::bigint, ${value?.n ?? ''}::uuid)`,
      ),
    )
    .orderBy('i.created_at', 'desc')
    .orderBy('i.id', 'desc')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return ok({
    rows: shown.map(toImport),
    next: rows.length > limit && last ? cursorAfter({ key: last.created_at, n: last.id }) : null,
    count: null,
  });
}

async function listResults(
  tx: TenantTx,
  scope: EngineScope,
  { id, cursor, limit }: { readonly id: EngineId } & PageInput,
): Promise<EngineResult<EnginePage<ImportResult>>> {
  if ((await findOwn(tx, scope, id)) === null) return NO_IMPORT;
  const after = readCursor(cursor);
  if (!after.ok) return after;
  const rows = await tx.sql
    .selectFrom('import_result')
    .select(['n', 'path', 'name', 'outcome', 'message'])
    .where('tenant_id', '=', tx.tenant)
    .where('import_id', '=', id)
    .where('n', '>', Number(after.value?.n ?? 0))
    .orderBy('n')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return ok({
    rows: shown,
    next: rows.length > limit && last ? cursorAfter({ key: last.n, n: last.n }) : null,
    count: null,
  });
}

/** One that waits ends at once; one that runs ends after what it reads now. */
async function stopImport(
  context: AppContext,
  scope: EngineScope,
  id: EngineId,
): Promise<EngineResult<void>> {
  const stopped = await context.store.tenant(scope.tenant, async (tx) => {
    const row = await findOwn(tx, scope, id);
    if (row === null) return NO_IMPORT;
    if (row.state === 'done') return failed('conflict', t.ended);
    const isWaiting = row.state === 'uploading' || row.state === 'queued';
    const at = context.clock.now();
    if (isWaiting)
      await endImport(tx, context, row, { result: 'cancelled', message: t.cancelled, at });
    else {
      await tx.sql
        .updateTable('import_task')
        .set({ state: 'stopping' })
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', id)
        .execute();
      await scheduleJob(tx, 'import', id, { import: id }, at);
    }
    return ok(isWaiting);
  });
  if (!stopped.ok) return stopped;
  if (stopped.value) await makeUploadFiles(context, scope.tenant).delete(id);
  return done;
}

async function listMailboxes(
  { sql: db, tenant }: TenantTx,
  { organization }: EngineScope,
): Promise<readonly ImportedMailbox[]> {
  const { rows } = await sql<ImportedMailbox>`
    select o.directory_id as id, o.kind, o.name, o.repository_id as repository, o.items from backup_object as o
    where o.tenant_id = ${tenant} and o.organization_id = ${organization} and starts_with(o.directory_id, ${IMPORTED})
    order by lower(o.name), o.directory_id`.execute(db);
  return rows;
}

/** Ends imports whose archive was never uploaded to its end. */
export const endAbandonedImports =
  (context: AppContext) =>
  async (tx: TenantTx, now: Ms): Promise<void> => {
    const rows = await selectImports(tx)
      .where('i.state', '=', 'uploading')
      .where('i.uploaded_at', '<', now - LIMITS.importIdleMs)
      .execute();
    for (const row of rows) {
      await endImport(tx, context, row, { result: 'failed', message: t.abandoned, at: now });
      await makeUploadFiles(context, tx.tenant).delete(row.id);
    }
  };

/** Removes the imports into a repository that is deleted, with their archives. */
export async function deleteImports(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
): Promise<void> {
  const ids = await context.store.tenant(tenant, async ({ sql: db }) => {
    const rows = await db
      .deleteFrom('import_task')
      .where('tenant_id', '=', tenant)
      .where('repository_id', '=', repository)
      .returning('id')
      .execute();
    for (const { id } of rows)
      for (const table of ['import_result', 'import_server'] as const)
        await db
          .deleteFrom(table)
          .where('tenant_id', '=', tenant)
          .where('import_id', '=', id)
          .execute();
    return rows.map(({ id }) => id);
  });
  for (const id of ids) await makeUploadFiles(context, tenant).delete(id);
}
