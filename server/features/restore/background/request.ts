import type { OutputOf } from '#contract/calls.ts';
import type { Workload } from '#contract/engine/engine.ts';
import type { Bytes, ExplorerId, NodeId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { isFresh, REAUTH } from '#server/platform/auth/guards.ts';
import type { ServerDownload } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import { scheduleJob } from '#server/platform/jobs/schedule.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import { deleteDownload, WITHDRAWN_AT } from '#server/engine/public/downloads.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { archiveName } from '../downloads/file-name.ts';
import type { EngineAt } from '../scope.ts';
import { backgroundMessages as t } from './messages.en.ts';
import { makePartFiles } from './part-files.ts';
import { chooseHolds, type Format, isForMailboxes, RUNNING } from './rows.ts';

interface BackgroundRequest {
  readonly explorer: ExplorerId;
  readonly nodes: readonly NodeId[];
  /** The object that the nodes must belong to. */
  readonly within?: NodeId;
  readonly workload: Workload & ('outlook' | 'onedrive' | 'sharepoint' | 'teams');
  /** Undefined: as the engine gives it. */
  readonly format: Format | undefined;
  /** Of the name, without an extension. */
  readonly suffix: string;
}

/** Room that has to stay free on the disk of the server. */
export const RESERVED_BYTES: Bytes = 1_000_000_000;

/** DL-3: stores what was chosen, and about how much it is. A background job lists and writes it. */
export async function requestBackgroundDownload(
  context: AppContext,
  ctx: SessionContext,
  { kind, engine, scope }: EngineAt,
  { explorer, nodes, within, workload, format: wanted, suffix }: BackgroundRequest,
): Promise<Result<OutputOf<'downloadMailbox'>>> {
  const isOnServer = kind === 'vb365';
  const format = wanted ?? 'zip';
  const { store, clock } = context;
  const now = clock.now();
  const maxBytes = isFresh(ctx) ? null : LIMITS.downloadPlainBytes;
  const answer = getAnswer(
    await engine.prepareDownload(scope, {
      explorer,
      nodes,
      ...(within !== undefined && { within }),
      holds: chooseHolds(format),
      ...(wanted !== undefined && { format: wanted }),
      maxBytes,
      isLater: true,
      expiresAt: now + LIMITS.exportKeepMs,
    }),
  );
  if (!answer.ok) return answer;
  const prepared = answer.value;
  if (prepared.kind === 'too-large') return REAUTH;
  const { id, isListed: listed, bytes, items, missing } = prepared;
  const fileName = isOnServer ? prepared.fileName : getFileName(format, prepared.fileName);
  const freeBytes = await makePartFiles(context, ctx.tenant).getFreeBytes();
  return store.tenant(ctx.tenant, async (tx) => {
    const refusal = await findRefusal(tx, ctx, { bytes, freeBytes });
    if (refusal !== null) {
      await deleteDownload(tx, id);
      return conflict(refusal);
    }
    const made = prepared.format ?? format;
    const name =
      fileName ??
      archiveName(
        `${suffix}${made === 'pst' ? '.pst' : '.zip'}`,
        now,
        (await loadCompanyLimit(tx)).timeZone,
      );
    const from = isOnServer
      ? { repository_id: null, operator_id: null, objects: [], expires_at: now }
      : await tx.sql
          .selectFrom('prepared_download')
          .select(['repository_id', 'operator_id', 'objects', 'expires_at'])
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirstOrThrow();
    if (from.expires_at === WITHDRAWN_AT) return failed(NOT_FOUND);
    const request: ServerDownload = { explorer, nodes, format: made, maxBytes, attempts: 0 };
    await tx.sql
      .insertInto('background_download')
      .values({
        tenant_id: tx.tenant,
        id,
        organization_id: scope.organization,
        repository_id: from.repository_id,
        ...(isOnServer && { server_request: JSON.stringify(request) }),
        user_id: ctx.session.userId,
        workload,
        format: made,
        name,
        file_name: fileName,
        message: null,
        items,
        bytes,
        missing,
        listed,
        created_at: now,
        ended_at: null,
        expires_at: now + LIMITS.exportKeepMs,
        operator_id: from.operator_id,
        objects: JSON.stringify(from.objects),
      })
      .execute();
    await audit(tx, context, ctx, {
      what: 'export.requested',
      user: null,
      detail: {
        organization: scope.organization,
        ...(scope.operator !== undefined && { operator: scope.operator }),
        ...(ctx.session.actor !== ctx.session.userId && { actedAs: ctx.session.userId }),
        session: explorer,
        node: nodes[0] ?? null,
        download: id,
        format: made,
        rows: items,
        bytes,
      },
    });
    await scheduleJob(tx, 'background-download', id, { download: id }, now);
    return ok({ _id: id, id, url: null, name, bytes, items, missing });
  });
}

/** The name of a single item's file. Null: it is in an archive, as are several. */
function getFileName(format: Format, name: string | null): string | null {
  if (format === 'msg') return name?.replace(/\.eml$/, '.msg') ?? null;
  return isForMailboxes(format) ? null : name;
}

/** Returns why there is no place for another download; null if there is. */
async function findRefusal(
  { sql, tenant }: TenantTx,
  { session }: SessionContext,
  { bytes, freeBytes }: { readonly bytes: Bytes; readonly freeBytes: Bytes },
): Promise<string | null> {
  const { running } = await sql
    .selectFrom('background_download')
    .select(({ fn }) => fn.countAll<number>().as('running'))
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', session.userId)
    .where('state', 'in', RUNNING)
    .executeTakeFirstOrThrow();
  if (running >= LIMITS.exportsRunning) return t.tooManyRunning({ limit: LIMITS.exportsRunning });
  const { stored } = await sql
    .selectFrom('background_download')
    .select(({ fn }) => fn.sum<string | null>('bytes').as('stored'))
    .where('tenant_id', '=', tenant)
    .where('state', 'in', [...RUNNING, 'ready'])
    .executeTakeFirstOrThrow();
  const hasRoom =
    Number(stored ?? 0) + bytes <= LIMITS.exportBytes && bytes + RESERVED_BYTES <= freeBytes;
  return hasRoom ? null : t.noRoom;
}

const conflict = (message: string): Result<never> => failed({ kind: 'conflict', message });
