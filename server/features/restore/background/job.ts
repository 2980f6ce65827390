import { withLanguage } from '#contract/i18n/messages.ts';
import type { Notification } from '#contract/notifications/notices.ts';
import type { BackupRepositoryId, Bytes, DownloadId, Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { ContentError } from '#server/engine/public/content.ts';
import {
  deleteDownload,
  deleteList,
  type DownloadGap,
  forgetFailures,
  storeGaps,
} from '#server/engine/public/downloads.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { loadMailAddress } from '#server/platform/auth/email-confirmation.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import { backgroundMessages as t } from './messages.en.ts';
import { writeGapFile } from './gap-file.ts';
import { makePartFiles, type PartFiles } from './part-files.ts';
import { getRoom, releaseOnServer, saveOnServer, ServerSaveError } from './save-on-server.ts';
import {
  deleteParts,
  type DownloadRow,
  findDownload,
  GAP_PART,
  getPartFormat,
  listParts,
  RUNNING,
} from './rows.ts';

/** How often the progress is stored, and whether it was cancelled is looked up. */
const PROGRESS_MS: Ms = 1_000;
/** What can't be read for this long ends the download. */
const PATIENCE_MS: Ms = 86_400_000;
const RETRY_MS: Ms = 60_000;

/**
 * DL-3: writes the files of a download. A job that was killed continues with the first part that
 * isn't finished.
 */
export const backgroundDownload =
  (
    context: AppContext,
    maxPartBytes: Bytes = LIMITS.exportPartBytes,
    maxPartItems: number = LIMITS.downloadItems,
  ): JobHandler<'background-download'> =>
  async (job) => {
    const next = await runDownload(context, { maxPartBytes, maxPartItems }, job);
    if (next === null) await releaseOnServer(context, job.tenant, job.payload.download);
    return next;
  };

async function runDownload(
  context: AppContext,
  maxima: Pick<Limits, 'maxPartBytes' | 'maxPartItems'>,
  { tenant, payload: { download: id }, signal }: Parameters<JobHandler<'background-download'>>[0],
): Promise<Ms | null> {
  const first = await begin(context, tenant, id);
  if (first === null) return null;
  const files = makePartFiles(context, tenant);
  try {
    const begun = first.row.listed ? first : await makeList(context, files, first.row, signal);
    if (begun === null) return signal.aborted ? context.clock.now() : null;
    const { repository_id: repository } = begun.row;
    const end =
      repository !== null
        ? await writeParts(context, files, { ...begun, repository }, { signal, ...maxima })
        : await saveOnServer(context, files, begun.row, { isStored: begun.from.part > 1, signal });
    if (end === 'finished') {
      await writeGapFile(context, files, begun.row);
      await finish(context, begun.row, null);
    }
    // A server that stops leaves the rest to the next one.
    return end === 'stopped' && signal.aborted ? context.clock.now() : null;
  } catch (error) {
    const failure = getFailure(context, first.row, error);
    if (failure === null) throw error;
    if (failure.kind === 'later') return context.clock.now() + RETRY_MS;
    await files.delete(id);
    await finish(context, first.row, failure.reason);
    return null;
  }
}

/** Thrown by a list that can't be made, or must not be written. */
class ListError extends Error {
  override readonly name = 'ListError';
}

/**
 * Lists what the download holds, and replaces its estimates. Null: it was canceled, or the
 * server stops.
 * @throws ListError
 */
async function makeList(
  context: AppContext,
  files: PartFiles,
  row: DownloadRow,
  signal: AbortSignal,
): Promise<Begun | null> {
  const { tenant_id: tenant, id } = row;
  const update = (values: object): Promise<boolean> =>
    context.store.tenant(tenant, async ({ sql }) => {
      const { numUpdatedRows } = await sql
        .updateTable('background_download')
        .set(values)
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .where('state', '=', 'running')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });
  let storedAt = context.clock.now();
  const made = await context.embeddedEngine.listDownload({
    tenant,
    id,
    async isWanted(items) {
      if (signal.aborted) return false;
      const now = context.clock.now();
      if (Math.abs(now - storedAt) < PROGRESS_MS) return true;
      storedAt = now;
      // More than expected: the estimate follows.
      return update({ items: Math.max(items, row.items) });
    },
  });
  if (!made.ok) throw new ListError(made.error.message);
  const list = made.value;
  if (list?.kind === 'too-large')
    throw new ListError(t.tooLarge({ size: `${LIMITS.downloadPlainBytes / 1e9} GB` }));
  if (list?.kind === 'left') {
    if (!signal.aborted) await context.store.tenant(tenant, (tx) => deleteDownload(tx, id));
    return null;
  }
  const { items, bytes, missing } = list === null ? row : list.prepared;
  if (bytes > (await getRoom(context, files, row))) throw new ListError(t.noRoom);
  return (await update({ items, bytes, missing, listed: true }))
    ? begin(context, tenant, id)
    : null;
}

interface Begun {
  readonly row: DownloadRow;
  readonly from: { readonly part: number; readonly item: number };
  /** What the finished parts have. */
  readonly bytes: Bytes;
  readonly failed: number;
}

/** Null: it has ended, or it was canceled. */
const begin = (context: AppContext, tenant: TenantId, id: DownloadId): Promise<Begun | null> =>
  context.store.tenant(tenant, async (tx) => {
    // At the same time, it may be canceled, or its person excluded from backups.
    const { numUpdatedRows } = await tx.sql
      .updateTable('background_download')
      .set({ state: 'running' })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('state', 'in', [...RUNNING])
      .executeTakeFirst();
    const row = numUpdatedRows === 0n ? null : await findDownload(tx, id);
    if (row === null) return null;
    const parts = await listParts(tx, [id]);
    const last = parts.findLast(({ n }) => n !== GAP_PART);
    // What wasn't in a finished part is read again.
    await forgetFailures(tx, id, last?.next_item ?? 0);
    return {
      row,
      from: { part: (last?.n ?? 0) + 1, item: last?.next_item ?? 0 },
      bytes: last?.bytes_read ?? 0,
      failed: last?.failed ?? 0,
    };
  });

interface Limits {
  readonly signal: AbortSignal;
  readonly maxPartBytes: Bytes;
  readonly maxPartItems: number;
}

async function writeParts(
  context: AppContext,
  files: PartFiles,
  { row, repository, from, ...begun }: Begun & { readonly repository: BackupRepositoryId },
  { signal, maxPartBytes, maxPartItems }: Limits,
): Promise<'finished' | 'stopped'> {
  const { tenant_id: tenant, id } = row;
  let open: Awaited<ReturnType<PartFiles['create']>> | null = null;
  let storedAt = context.clock.now();
  let { bytes, failed } = begun;
  let items = from.item;
  let gaps: DownloadGap[] = [];

  const storeProgress = (): Promise<boolean> =>
    context.store.tenant(tenant, async (tx) => {
      const { sql } = tx;
      await storeGaps(tx, id, gaps);
      gaps = [];
      const { numUpdatedRows } = await sql
        .updateTable('background_download')
        .set({ items_done: items, bytes_done: Math.min(bytes, row.bytes), failed })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .where('state', '=', 'running')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    });

  try {
    const end = await context.embeddedEngine.writeParts({
      tenant,
      repository,
      download: id,
      format: getPartFormat(row),
      name: row.name,
      from,
      maxPartBytes,
      maxPartItems,
      async openPart(n) {
        open = await files.create(id, n);
        return open;
      },
      async onPart({ n, nextItem }) {
        const stored = await open?.finish();
        open = null;
        if (stored === undefined) return;
        await context.store.tenant(tenant, async ({ sql }) => {
          await sql
            .insertInto('background_part')
            .values({
              tenant_id: tenant,
              download_id: id,
              n,
              name: getPartName(row, n),
              next_item: nextItem,
              bytes_read: bytes,
              failed,
              ...stored,
            })
            .onConflict((on) => on.columns(['tenant_id', 'download_id', 'n']).doUpdateSet(stored))
            .execute();
        });
        await storeProgress();
      },
      async onItem(item) {
        items += 1;
        bytes += item.bytes;
        if (item.isFailed) {
          failed += 1;
          gaps.push({ outcome: 'failed', n: item.n, path: item.name });
        }
        if (signal.aborted) return false;
        const now = context.clock.now();
        if (Math.abs(now - storedAt) < PROGRESS_MS) return true;
        storedAt = now;
        return storeProgress();
      },
    });
    // Files of a download that was cancelled meanwhile belong to nobody.
    const isWanted = signal.aborted || (await storeProgress());
    if (!isWanted) await files.delete(id);
    return isWanted ? end : 'stopped';
  } finally {
    // Closed already if the part was finished.
    await (open as { close(): Promise<void> } | null)?.close().catch(() => undefined);
  }
}

/** `…-mailbox.pst`, and with several parts `…-mailbox.2.pst`. The first keeps the plain name. */
function getPartName({ name }: DownloadRow, n: number): string {
  if (n === 1) return name;
  const dot = name.lastIndexOf('.');
  return dot > 0 ? `${name.slice(0, dot)}.${n}${name.slice(dot)}` : `${name}.${n}`;
}

type Failure = { readonly kind: 'end'; readonly reason: string } | { readonly kind: 'later' };

/** What follows from an error. Null: it is a defect, which the job runner reports. */
function getFailure(context: AppContext, row: DownloadRow, error: unknown): Failure | null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
    return { kind: 'end', reason: t.diskFull };
  if (error instanceof ListError) return { kind: 'end', reason: error.message };
  const isOnServer = error instanceof ServerSaveError;
  if (isOnServer && !error.isForNow) return { kind: 'end', reason: error.message };
  if (!isOnServer && !(error instanceof ContentError)) return null;
  const { message } = isOnServer ? error : error.error;
  return context.clock.now() - row.created_at < PATIENCE_MS
    ? { kind: 'later' }
    : { kind: 'end', reason: t.unreadable({ reason: message }) };
}

/** `reason` null: it is ready. Records the end, and informs its user by email and in the portal. */
const finish = (context: AppContext, row: DownloadRow, reason: string | null): Promise<void> =>
  context.store.tenant(row.tenant_id, async (tx) => {
    const { id, tenant_id: tenant, user_id: user } = row;
    const now = context.clock.now();
    const { numUpdatedRows } = await tx.sql
      .updateTable('background_download')
      .set({
        state: reason === null ? 'ready' : 'failed',
        message: reason,
        ended_at: now,
        expires_at: now + LIMITS.exportKeepMs,
      })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    const parts = (await listParts(tx, [id])).length;
    // The backup may be cleaned up: the files have everything.
    await deleteList(tx, id);
    if (reason !== null) await deleteParts(tx, id);
    await auditOrigin(tx, context, {
      what: reason === null ? 'export.ended' : 'export.failed',
      user,
      detail: { download: id, organization: row.organization_id, rows: row.items },
      at: now,
      origin: { ip: '', agent: '', actor: null, impersonation: null, key: null },
    });
    await inform(tx, context, row, { reason, parts, until: now + LIMITS.exportKeepMs });
  });

interface End {
  readonly reason: string | null;
  readonly parts: number;
  readonly until: Ms;
}

async function inform(
  tx: TenantTx,
  context: AppContext,
  { id, user_id: user, name }: DownloadRow,
  { reason, parts, until }: End,
): Promise<void> {
  const path = `/o365/restore/downloads/${id}`;
  const address = await loadPortalAddress(tx, context);
  const link = address === null ? null : `${address}${path}`;
  const language = await loadUserLanguage(tx, user);
  const { mail, message } = withLanguage(language, () => ({
    mail: {
      subject: (reason === null ? t.readySubject : t.failedSubject)({ name }),
      text: `${[
        reason === null
          ? t.ready({ name, parts, until: new Date(until).toISOString().slice(0, 10) })
          : t.failed({ name, reason }),
        ...(link === null ? [] : [t.openAt({ link })]),
      ].join('\n\n')}\n`,
    },
    message: (reason === null ? t.noticeReady : t.noticeFailed)({ name }),
  }));
  const to = await loadMailAddress(tx, user);
  if (to !== null) await post(tx, context, { kind: 'mail', to, ...mail });
  const noticeId = context.chance.uuid();
  const notice: Notification = {
    _id: noticeId,
    app: 'o365',
    severity: reason === null ? 'success' : 'error',
    message: message.slice(0, LIMITS.messageChars),
    link: path,
    copy: false,
    event: null,
    hideAck: false,
    hideClose: false,
    userId: user,
    roles: null,
  };
  await tx.sql
    .insertInto('notification')
    .values({
      tenant_id: tx.tenant,
      id: noticeId,
      row: JSON.stringify(notice),
      made_at: context.clock.now(),
      ended_at: null,
    })
    .execute();
}

/** Removes downloads whose time is over, with their files. */
export const deleteExpiredBackgroundDownloads =
  (context: AppContext) =>
  async (tx: TenantTx, now: Ms): Promise<void> => {
    const rows = await tx.sql
      .selectFrom('background_download')
      .select('id')
      .where('tenant_id', '=', tx.tenant)
      .where('expires_at', '<', now)
      .execute();
    for (const { id } of rows) await deleteBackgroundDownload(tx, context, id);
  };

/** The files go first: a row without files is removed again later. */
export async function deleteBackgroundDownload(
  tx: TenantTx,
  context: AppContext,
  id: DownloadId,
): Promise<void> {
  await makePartFiles(context, tx.tenant).delete(id);
  await deleteParts(tx, id);
  await deleteDownload(tx, id);
  await tx.sql
    .deleteFrom('background_download')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute();
}
