import type { OutputOf } from '#contract/calls.ts';
import { utcText, wallText } from '#contract/runs/csv.ts';
import type { Failure } from '#contract/errors.ts';
import { ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { badField } from '#server/platform/auth/guards.ts';
import { refuse } from '#server/platform/http/envelope.ts';
import { csvAnswer, loadZone } from '#server/platform/http/csv-response.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { cursorAfter, readCursor } from '#server/engine/public/restore.ts';
import { restoreAuditMessages as t } from './messages.en.ts';
import { listAuditedUsers, loadAudited, readAudit } from './query.ts';
import { loadRetentionYears } from './retention.ts';

type Names = 'listRestoreAudit' | 'exportRestoreAudit';
const PAGE_ROWS = 100;
const MAX_LINES = 50_000;

const tooMany = (): Failure => {
  const message = t.tooMany({ max: MAX_LINES });
  return { kind: 'bad-input', message, issues: [{ path: 'from', message }] };
};

/** RES-55: what anybody did with backed-up data of the organizations that the caller sees. */
export function restoreAuditHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    listRestoreAudit: ({ cursor, limit = PAGE_ROWS, ...query }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const read = readCursor(cursor ?? null);
          if (!read.ok) return badField('cursor', read.error.message);
          const after =
            read.value === null ? null : { at: Number(read.value.key), id: String(read.value.n) };
          const audited = await loadAudited(tx, ctx.session);
          const { rows, next, count } = await readAudit(tx, audited, query, { after, limit });
          return ok<OutputOf<'listRestoreAudit'>>({
            rows,
            next: next && cursorAfter({ key: next.at, n: next.id }),
            count,
            users: after === null ? await listAuditedUsers(tx, audited) : [],
            retentionYears: await loadRetentionYears(tx),
          });
        },
        { readOnly: true },
      ),

    exportRestoreAudit: (query, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const zone = await loadZone(tx);
          const audited = await loadAudited(tx, ctx.session);
          const { rows, next } = await readAudit(tx, audited, query, {
            after: null,
            limit: MAX_LINES,
          });
          // An audit that silently lacks entries proves nothing.
          if (next !== null) return refuse(tooMany());
          return csvAnswer('RestoreAudit', ctx.now, zone, [
            [
              t.when({ zone }),
              t.whenUtc,
              t.action,
              t.organization,
              t.object,
              t.item,
              t.items,
              t.user,
              t.actedAs,
              t.operator,
              t.ipAddress,
              t.browser,
            ],
            ...rows.map((row) => [
              wallText(row.at, zone),
              utcText(row.at),
              row.words,
              row.organizationName,
              row.object,
              row.item,
              row.count,
              row.isAutomatic ? t.automatic : (row.user?.username ?? null),
              row.actedAs?.username ?? null,
              row.isOperator ? t.yes : t.no,
              row.ip,
              row.agent,
            ]),
          ]);
        },
        { readOnly: true },
      ),
  };
}
