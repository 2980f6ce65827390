import type * as v from 'valibot';
import { LIMITS } from '#contract/limits.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { deleteList, listGaps, mayReadDownload } from '#server/engine/public/downloads.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import { makeSecret } from '#server/platform/auth/link-secret.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { loadOperatorScope, scopeFor } from '../../backup/engine-calls.ts';
import { findOrganization } from '../../backup/lookup.ts';
import { type DownloadRequest, downloadPath, TICKET_MS } from '../downloads/handlers.ts';
import { insertLink } from '../links.ts';
import { mayRestore } from '../scope.ts';
import { deleteBackgroundDownload } from './job.ts';
import { backgroundMessages as t } from './messages.en.ts';
import { makePartFiles } from './part-files.ts';
import {
  deleteParts,
  type DownloadOut,
  type DownloadRow,
  findDownload,
  isDownloadRunning,
  listParts,
  toOut,
} from './rows.ts';
import type { DownloadId } from '#contract/ids.ts';

type Names =
  | 'listBackgroundDownloads'
  | 'getBackgroundDownload'
  | 'cancelBackgroundDownload'
  | 'deleteBackgroundDownload'
  | 'getBackgroundDownloadFile';

/**
 * DL-3: a user's own downloads in the background. Of anybody else's, nothing is revealed. One whose
 * time is over is gone, also before its files are deleted.
 */
export function backgroundDownloadHandlers(context: AppContext): Pick<Handlers, Names> {
  const { store } = context;

  const withDownload = <T>(
    ctx: SessionContext,
    id: DownloadId,
    work: (tx: TenantTx, row: DownloadRow) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    store.tenant(ctx.tenant, async (tx) => {
      const row = await findDownload(tx, id);
      if (row === null || row.expires_at < ctx.now) return NOT_FOUND_RESULT;
      return (await isOwn(tx, ctx, row)) ? work(tx, row) : NOT_FOUND_RESULT;
    });

  return {
    listBackgroundDownloads: ({ offset, limit }, ctx) =>
      store.tenant(
        ctx.tenant,
        async (tx) => {
          const all = await tx.sql
            .selectFrom('background_download')
            .selectAll()
            .where('tenant_id', '=', tx.tenant)
            .where('user_id', '=', ctx.session.userId)
            .where('expires_at', '>=', ctx.now)
            .orderBy('created_at', 'desc')
            .orderBy('id')
            .limit(MAX_LISTED)
            .execute();
          const own: DownloadRow[] = [];
          for (const row of all) if (await isOwn(tx, ctx, row)) own.push(row);
          const rows = own.slice(offset, offset + limit);
          const parts = await listParts(
            tx,
            rows.map(({ id }) => id),
          );
          return ok({ results: rows.map((row) => toOut(row, parts)), count: own.length });
        },
        { readOnly: true },
      ),

    getBackgroundDownload: ({ id }, ctx) =>
      withDownload<DownloadOut>(ctx, id, async (tx, row) =>
        ok(
          toOut(
            row,
            await listParts(tx, [id]),
            (await listGaps(tx, id, { after: null, limit: MAX_GAPS })).map(({ path, outcome }) => ({
              path,
              outcome,
            })),
          ),
        ),
      ),

    cancelBackgroundDownload: ({ id }, ctx) =>
      withDownload<DownloadOut>(ctx, id, async (tx, row) => {
        if (row.state === 'cancelled') return ok(toOut(row, []));
        if (!isDownloadRunning(row)) return failed({ kind: 'conflict', message: t.ended });
        const changes = {
          state: 'cancelled',
          ended_at: ctx.now,
          expires_at: ctx.now + LIMITS.exportKeepMs,
        };
        await tx.sql
          .updateTable('background_download')
          .set(changes)
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .execute();
        await deleteParts(tx, id);
        // Nothing it would have listed is needed any more.
        if (!row.listed) await deleteList(tx, id);
        await record(tx, ctx, row, 'export.cancelled');
        // A job that is writing notices, and removes what it has written since.
        await makePartFiles(context, tx.tenant).delete(id);
        return ok(toOut({ ...row, ...changes }, []));
      }),

    deleteBackgroundDownload: ({ id }, ctx) =>
      withDownload(ctx, id, async (tx, row) => {
        await deleteBackgroundDownload(tx, context, id);
        await record(tx, ctx, row, 'export.deleted');
        return ok({ success: true as const });
      }),

    getBackgroundDownloadFile: ({ id, part: n }, ctx) =>
      withDownload(ctx, id, async (tx, row) => {
        if (row.state !== 'ready') return failed({ kind: 'conflict', message: t.notReady });
        const part = (await listParts(tx, [id])).find((one) => one.n === n);
        if (part === undefined) return NOT_FOUND_RESULT;
        const { name, bytes, sha256 } = part;
        await record(tx, ctx, row, 'export.opened');
        const link = context.chance.uuid() as DownloadId;
        const ticket = makeSecret(context.chance);
        await insertLink(tx, ctx.session, {
          id: link,
          organization: row.organization_id,
          request: {
            kind: 'file',
            workload: toOut(row, []).workload,
            download: id,
            part: n,
          } satisfies v.InferOutput<typeof DownloadRequest>,
          file: { name, bytes, etag: `"${sha256}"` },
          ticket: { hash: ticket.hash, until: ctx.now + TICKET_MS },
          cookieHash: null,
          createdAt: ctx.now,
          expiresAt: Math.min(row.expires_at, ctx.now + LIMITS.absoluteMs),
        });
        const url = `${downloadPath(link)}${encodeURIComponent(name)}?ticket=${ticket.text}`;
        return ok({ url, name, bytes, sha256 });
      }),
  };

  async function record(
    tx: TenantTx,
    ctx: SessionContext,
    { id, organization_id: organization }: DownloadRow,
    what: string,
  ): Promise<void> {
    const { userId, actor } = ctx.session;
    await audit(tx, context, ctx, {
      what,
      user: null,
      detail: {
        organization,
        ...loadOperatorScope(ctx.session, organization),
        ...(actor !== userId && { actedAs: userId }),
        download: id,
      },
    });
  }
}

/** Items that a page names. A file of the download names all of them. */
const MAX_GAPS = 100;

/** A user has a few, since each is deleted after a week. */
const MAX_LISTED = 1_000;

/** The user's own, of an organization that the user still sees, and may restore. */
const isOwn = async (tx: TenantTx, ctx: SessionContext, row: DownloadRow): Promise<boolean> =>
  row.user_id === ctx.session.userId &&
  mayRestore(ctx.session, toOut(row, []).workload) &&
  (await findOrganization(tx, ctx.session, row.organization_id)) !== null &&
  mayReadDownload(tx, scopeFor(ctx, row.organization_id), {
    table: 'background_download',
    id: row.id,
  });
