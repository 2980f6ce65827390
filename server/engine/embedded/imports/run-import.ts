import { parse } from 'node:path';
import { policyAt, retainedSince } from '#contract/backup/retention.ts';
import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import type { ServerAccount } from '#contract/engine/imports.ts';
import type { SessionResult } from '#contract/engine/sessions.ts';
import type { Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { ensureObject, type IndexedObject } from '../index/objects.ts';
import { loadCursors } from '../index/pages.ts';
import type { Repository } from '../restic/repository.ts';
import { writeTo } from '../sessions/content-writer.ts';
import type { SessionPorts } from '../sessions/run-session.ts';
import { ok } from '../../result.ts';
import {
  type ArchiveEnd,
  type EntryNote,
  readInThread,
  type ReadEntry,
  type ReaderLimits,
} from './archive-thread-reader.ts';
import type { CutStep } from './archives/read-archive.ts';
import { describeCut, isFinalCut } from './cut.ts';
import { readImap } from './imap/imap-server.ts';
import { openServer, type ServerAccess } from './server-secret.ts';
import { readWebdav } from './webdav/webdav-server.ts';
import { completeImportPoint, storeImportPoint } from './import-point.ts';
import { storeBatch } from './import-batch.ts';
import {
  findImport,
  getImportContent,
  loadVersions,
  type ImportRow,
  sumFolders,
} from './import-rows.ts';
import { importMessages as t } from './messages.en.ts';
import { readBatches } from './read-batches.ts';
import { makeUploadFiles } from './upload-file.ts';

/** The pause while somebody else uses the repository or the mailbox. */
const BUSY_MS: Ms = 15_000;
/** A repository that can't be used for this long ends the import. */
const PATIENCE_MS: Ms = 24 * 60 * 60_000;
/** The import ends if the server doesn't answer for this long. */
const CUT_PATIENCE_MS: Ms = 60 * 60_000;
/** How often it is looked up whether the import was stopped. */
const STOP_MS: Ms = 2_000;

export type ImportPorts = Pick<SessionPorts, 'openRepository'>;

/** An import with what its steps share while a process works on it. */
export interface RunningImport {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly task: ImportRow;
  readonly object: IndexedObject;
  readonly directory: string | null;
  readonly retainedSince: Ms | null;
  readonly repository: Repository;
  /** Null: it imports an archive, or its password was deleted. */
  readonly server: ServerAccess | null;
}

/**
 * Imports an archive. The next call continues with the first entry that isn't stored, even after a
 * crash. What was imported is a restore point at the end, also after a stop (IMP-1).
 */
export const runImport =
  (
    context: AppContext,
    ports: ImportPorts,
    limits: Partial<ReaderLimits> = {},
  ): JobHandler<'import'> =>
  async ({ tenant, payload: { import: id }, signal }) => {
    const begun = await context.store.tenant(tenant, (tx) => begin(tx, context, id));
    if (begun === null) return null;
    if (begun === 'busy') return context.clock.now() + BUSY_MS;
    const { task } = begun;
    const opened = await ports.openRepository(tenant, task.repository_id);
    if (!opened.ok) return failOrWait(context, tenant, task, opened.error);
    const running: RunningImport = { context, tenant, ...begun, repository: opened.value };
    try {
      const read = begun.isStored ? STORED : await readAll(running, signal, limits);
      if (!read.ok) return await failOrWait(context, tenant, task, read.error);
      // A server that stops leaves the rest to the next one.
      if (read.value.kind === 'interrupted') return context.clock.now();
      if (read.value.kind === 'cut' && (await mayGoOn(running, read.value)))
        return context.clock.now() + BUSY_MS;
      return await finish(running, read.value);
    } finally {
      await opened.value.close();
    }
  };
const STORED = ok({ kind: 'stored' } as const);

interface Begun extends Pick<
  RunningImport,
  'task' | 'object' | 'directory' | 'retainedSince' | 'server'
> {
  /** All of it was read before, and its state of the mailbox is stored. */
  readonly isStored: boolean;
}

async function begin(
  tx: TenantTx,
  context: AppContext,
  id: string,
): Promise<Begun | 'busy' | null> {
  const { sql: db, tenant } = tx;
  const now = context.clock.now();
  const row = await findImport(tx, id);
  if (row === null || row.state === 'uploading' || row.state === 'done') return null;
  if (row.state === 'queued') {
    const other = await db
      .selectFrom('import_task')
      .select('id')
      .where('tenant_id', '=', tenant)
      .where('object_id', '=', row.object_id)
      .where('state', 'in', ['running', 'stopping'])
      .executeTakeFirst();
    if (other !== undefined) return 'busy';
    await db
      .updateTable('import_task')
      .set({ state: 'running', started_at: row.started_at ?? now })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute();
  }
  const task = await findImport(tx, id);
  if (task === null) return null;
  const repository = (await tx.rows('backupRepository', [task.repository_id])).get(
    task.repository_id,
  );
  const organization = (await tx.rows('organization', [task.organization_id])).get(
    task.organization_id,
  );
  const object = await ensureObject(
    tx,
    { repository: task.repository_id, organization: task.organization_id },
    {
      kind: getImportContent(task) === 'files' ? 'drive' : 'mailbox',
      id: task.object_id,
      name: task.object_name,
      address: '',
    },
  );
  const stored = await db
    .selectFrom('object_point')
    .select('point')
    .where('tenant_id', '=', tenant)
    .where('object_n', '=', object.n)
    .where('point_id', '=', task.point_id)
    .executeTakeFirst();
  return {
    task,
    object,
    directory: organization?.directoryId ?? null,
    retainedSince:
      repository?.retentionType === 'ItemLevel'
        ? retainedSince(policyAt(repository, now), now, (await loadCompanyLimit(tx)).timeZone)
        : null,
    isStored: stored !== undefined,
    server: await openServer(tx, context, task),
  };
}

/** How reading ended. `stopped`: by a person. `interrupted`: by the server. */
type ReadEnd =
  | ArchiveEnd
  | { readonly kind: 'stopped' | 'stored' | 'lost-file' | 'lost-password' | 'interrupted' };

/** A server that can't be reached is tried again for a while. */
async function mayGoOn({ context, tenant, task }: RunningImport, cut: CutStep): Promise<boolean> {
  if (isFinalCut(cut)) return false;
  const row = await context.store.tenant(tenant, (tx) => findImport(tx, task.id), {
    readOnly: true,
  });
  return row?.state === 'running' && context.clock.now() - row.uploaded_at < CUT_PATIENCE_MS;
}

async function readAll(
  running: RunningImport,
  signal: AbortSignal,
  limits: Partial<ReaderLimits>,
): Promise<EngineResult<ReadEnd>> {
  const { context, tenant, task, object, repository } = running;
  if (task.state === 'stopping') return ok({ kind: 'stopped' });
  const watch = watchStop(context, tenant, task.id);
  const content = writeTo(repository);
  const stop = AbortSignal.any([signal, watch.signal]);
  let { folders } = task;
  try {
    const entries = await openSource(running, stop, limits);
    if ('kind' in entries) return ok(entries);
    for await (const read of readBatches(entries, {
      now: task.created_at,
      firstEntry: task.next_entry,
      firstBytes: task.read_bytes,
      retainedSince: running.retainedSince,
      save: (part) => content.save(part),
    })) {
      if (!read.ok) return read;
      const { batch, end } = read.value;
      const flushed = await content.flush();
      if (!flushed.ok) return flushed;
      folders = await context.store.tenant(tenant, (tx) =>
        storeBatch(tx, { id: task.id, folders }, object, batch, context.clock.now()),
      );
      if (end !== null) return ok(end);
    }
    return ok({ kind: watch.signal.aborted ? 'stopped' : 'interrupted' });
  } finally {
    watch.end();
  }
}

/** Begins to read what isn't stored yet. */
async function openSource(
  { context, tenant, task, object, server }: RunningImport,
  signal: AbortSignal,
  limits: Partial<ReaderLimits>,
): Promise<AsyncIterable<ReadEntry | EntryNote | ArchiveEnd> | ReadEnd> {
  if (task.account !== null) {
    if (server === null) return { kind: 'lost-password' };
    const cursors = await context.store.tenant(tenant, (tx) => loadCursors(tx, object), {
      readOnly: true,
    });
    const { account, password } = server;
    const readBytes = task.read_bytes;
    if (account.kind === 'imap')
      return readImap(context, { ...account, password }, { cursors, readBytes }, signal, limits);
    const known = await context.store.tenant(tenant, (tx) => loadVersions(tx, object), {
      readOnly: true,
    });
    const place = { known, skippedEntries: task.next_entry, readBytes };
    return readWebdav(context, { ...account, password }, place, signal, limits);
  }
  const files = makeUploadFiles(context, tenant);
  if (!(await files.has(task.id, task.bytes))) return { kind: 'lost-file' };
  return readInThread(
    context,
    {
      path: files.path(task.id),
      stem: getStem(task.name),
      skippedEntries: task.next_entry,
      content: getImportContent(task),
    },
    signal,
    limits,
  );
}

/** Mails without a folder are in one that is named after the archive. */
const getStem = (name: string): string =>
  /\.eml$/i.test(name) ? t.looseMails : parse(name).name || t.looseMails;

/** Aborts when a person stops the import. */
function watchStop(
  { store, clock }: AppContext,
  tenant: TenantId,
  id: string,
): { readonly signal: AbortSignal; end(): void } {
  const abort = new AbortController();
  let isEnded = false;
  let timer: { cancel(): void };
  const wait = (): void => {
    timer = clock.after(STOP_MS, () => void check());
  };
  async function check(): Promise<void> {
    // Without the database, the next batch fails and says so.
    const row = await store
      .tenant(tenant, (tx) => findImport(tx, id), { readOnly: true })
      .catch(() => null);
    if (row?.state === 'stopping') abort.abort();
    else if (!isEnded) wait();
  }
  wait();
  return {
    signal: abort.signal,
    end() {
      isEnded = true;
      timer.cancel();
    },
  };
}

/** Makes the restore point, if there is something new, and ends the import. */
async function finish(running: RunningImport, end: ReadEnd): Promise<Ms | null> {
  const { context, tenant, task } = running;
  const stored = await storeImportPoint(running, end.kind === 'stored');
  if (!stored.ok) return failOrWait(context, tenant, task, stored.error);
  let size: Bytes | null = null;
  if (stored.value) {
    const measured = await running.repository.measure();
    size = measured.ok ? measured.value : null;
  }
  const now = context.clock.now();
  await context.store.tenant(tenant, async (tx) => {
    const row = await findImport(tx, task.id);
    if (row === null || row.state === 'done') return;
    const outcome = getOutcome(row, row.state === 'stopping' ? { kind: 'stopped' } : end, {
      snapshot: stored.value,
      hadItems: running.object.items > 0,
    });
    if (stored.value !== null)
      await completeImportPoint(tx, running, { snapshot: stored.value, ...outcome, size });
    await endImport(tx, context, row, { ...outcome, at: now });
  });
  await makeUploadFiles(context, tenant).delete(task.id);
  return null;
}

interface Outcome {
  readonly result: SessionResult;
  readonly message: string | null;
}

/** `hadItems`: earlier imports brought some. */
function getOutcome(
  row: ImportRow,
  end: ReadEnd,
  { snapshot, hadItems }: { readonly snapshot: string | null; readonly hadItems: boolean },
): Outcome {
  const { imported, partial, known, skipped, failed: lost } = sumFolders(row.folders);
  const hasMail = imported + known > 0;
  const isArchive = row.account === null;
  if (end.kind === 'stopped')
    return { result: 'cancelled', message: snapshot === null ? t.cancelled : t.stopped };
  const isFiles = getImportContent(row) === 'files';
  if (end.kind === 'unknown') return { result: 'failed', message: isFiles ? t.noZip : t.unknown };
  if (end.kind === 'lost-file') return { result: 'failed', message: t.lostFile };
  if (end.kind === 'lost-password') return { result: 'failed', message: t.noPassword };
  if (end.kind === 'cut') {
    const reason = describeCut(end, row.account === null ? '' : getHost(row.account));
    return imported > 0
      ? { result: 'warning', message: t.cut({ reason }) }
      : { result: 'failed', message: reason };
  }
  if (end.kind === 'damaged') {
    if (!isArchive) return { result: hasMail ? 'warning' : 'failed', message: t.wrongAnswers };
    return hasMail
      ? { result: 'warning', message: t.damaged }
      : { result: 'failed', message: t.damagedFully };
  }
  const left = skipped + lost;
  if (!hasMail) {
    if (left > 0) return { result: 'failed', message: t.someLeft({ count: left }) };
    if (!isArchive && hadItems && isFiles)
      return { result: 'success', message: t.nothingNewFilesThere };
    if (!isArchive && hadItems)
      return { result: 'success', message: snapshot === null ? t.nothingNewThere : t.onlyStates };
    return {
      result: 'warning',
      message: isFiles ? (isArchive ? t.noFiles : t.noFilesThere) : isArchive ? t.empty : t.noMail,
    };
  }
  if (left > 0) return { result: 'warning', message: t.someLeft({ count: left }) };
  if (partial > 0) return { result: 'warning', message: t.someInPart({ count: partial }) };
  const nothingNew = isArchive
    ? isFiles
      ? t.nothingNewFiles
      : t.nothingNew
    : isFiles
      ? t.nothingNewFilesThere
      : t.nothingNewThere;
  return { result: 'success', message: imported === 0 ? nothingNew : null };
}

const getHost = (account: ServerAccount): string =>
  account.kind === 'imap' ? account.host : new URL(account.url).hostname;

/** Stores the end, and records it. */
export async function endImport(
  tx: TenantTx,
  context: AppContext,
  { id, organization_id: organization, user_id: user, folders }: ImportRow,
  { result, message, at }: Outcome & { readonly at: Ms },
): Promise<void> {
  await tx.sql
    .updateTable('import_task')
    .set({ state: 'done', result, message, ended_at: at, ticket_hash: null })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute();
  await tx.sql
    .updateTable('import_server')
    .set({ sealed: null })
    .where('tenant_id', '=', tx.tenant)
    .where('import_id', '=', id)
    .execute();
  await auditOrigin(tx, context, {
    what: 'import.ended',
    user,
    detail: { import: id, organization, result, rows: sumFolders(folders).imported },
    at,
    origin: { ip: '', agent: '', actor: null, impersonation: null, key: null },
  });
}

/** Waits for what may pass, for a while, and ends the import otherwise. */
async function failOrWait(
  context: AppContext,
  tenant: TenantId,
  task: ImportRow,
  { kind, message, waitMs }: EngineError,
): Promise<Ms | null> {
  const now = context.clock.now();
  const mayPass = kind === 'busy' || kind === 'unreachable';
  if (mayPass && now - (task.started_at ?? now) < PATIENCE_MS) return now + (waitMs ?? BUSY_MS);
  await context.store.tenant(tenant, async (tx) => {
    const row = await findImport(tx, task.id);
    if (row === null || row.state === 'done') return;
    await endImport(tx, context, row, {
      result: 'failed',
      message: t.repository({ reason: message }),
      at: now,
    });
  });
  await makeUploadFiles(context, tenant).delete(task.id);
  return null;
}
