import { gunzipSync } from 'node:zlib';
import type { OutputOf } from '#contract/calls.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import type { ReportOut } from '#contract/reports/calls.ts';
import { firstRows, rowsIn } from '#contract/reports/report.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { failed, ok } from '#contract/result.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { NOT_FOUND, refuse } from '#server/platform/http/envelope.ts';
import type { Handlers, Principal } from '#server/platform/http/handler.ts';
import { readBlob } from '#server/platform/db/blob-store.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadAllUserNames } from '#server/platform/queries/run-details.ts';
import { manageableOwners, mayUse, seesAll } from './access.ts';
import { asReporter, spoken } from './guards.ts';
import { makeReport } from './make-report.ts';
import { queueReport, sentOut } from './sent.ts';
import type { SentRow } from './sent.ts';
import { listMissingCompanies, findSettingsRefusal, loadSetting } from './settings.ts';

const PREVIEWS_A_MINUTE = 20;
const PREVIEW_ROWS = 200;

/** REPORT-5 to REPORT-7: previews a report, sends it now, and lists sent ones. */
export function historyHandlers(
  context: AppContext,
): Pick<
  Handlers,
  'sendReport' | 'previewReport' | 'listSentReports' | 'openSentReport' | 'getReportFile'
> {
  const previews = makePerMinuteLimit(PREVIEWS_A_MINUTE);
  return {
    sendReport: ({ reportSettingId }, ctx) =>
      asReporter(context, ctx, MESSAGES.sendReport, async (tx, session) => {
        const setting = await loadSetting(tx, session, reportSettingId);
        if (!setting) return failed(NOT_FOUND);
        await tx.lock();
        const { count } = await tx.sql
          .selectFrom('report_sent')
          .select((e) => e.fn.countAll<number>().as('count'))
          .where('tenant_id', '=', tx.tenant)
          .where('due_at', 'is', null)
          .where('made_at', '>', ctx.now - DAY_MS)
          .executeTakeFirstOrThrow();
        if (count >= LIMITS.reportSendsPerDay)
          return failed({ kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs: DAY_MS / 24 });
        const id = await queueReport(tx, context, {
          setting: setting.id,
          owner: setting.owner_id,
          by: session.userId,
          fields: setting.fields,
          dueAt: null,
        });
        if (id === null) throw new Error('a report sent by hand was there already');
        await audit(tx, context, ctx, {
          what: 'report.sent',
          user: setting.owner_id,
          detail: { report: setting.id, recipients: setting.fields.recipients.length },
        });
        return ok({ _id: id });
      }),

    async previewReport({ setting }, ctx) {
      const allowed = await asReporter(
        context,
        ctx,
        MESSAGES.getReport,
        async (tx, session) => {
          const refused =
            findSettingsRefusal(setting, session, session) ??
            (await listMissingCompanies(tx, setting));
          if (refused) return failed(refused);
          const tooMany = previews.check(session.userId, ctx.now);
          return tooMany
            ? failed(tooMany)
            : ok({ session, language: await loadUserLanguage(tx, session.userId) });
        },
        true,
      );
      if (!allowed.ok) return allowed;
      return spoken(context, MESSAGES.getReport, async () => {
        const made = await makeReport(context, ctx.tenant, allowed.value.session, setting, ctx.now);
        if (!made.ok) return made;
        const report = made.value.write(allowed.value.language);
        return ok(toOutput({ report: firstRows(report, PREVIEW_ROWS), rows: rowsIn(report) }));
      });
    },

    listSentReports: ({ reportSettingId, page = 1, pageSize = PAGE_SIZE }, ctx) =>
      asReporter(
        context,
        ctx,
        MESSAGES.getReports,
        async (tx, session) => {
          const owners = await manageableOwners(tx, session);
          let query = tx.sql
            .selectFrom('report_sent')
            .where('tenant_id', '=', tx.tenant)
            .where('owner_id', 'in', [...owners]);
          if (reportSettingId !== undefined)
            query = query.where('setting_id', '=', reportSettingId);
          const { count } = await query
            .select((e) => e.fn.countAll<number>().as('count'))
            .executeTakeFirstOrThrow();
          const rows = await query
            .selectAll()
            .orderBy('made_at', 'desc')
            .orderBy('id')
            .limit(pageSize)
            .offset((page - 1) * pageSize)
            .execute();
          const names = await loadAllUserNames(tx);
          const files = await loadFiles(tx, rows);
          return ok({
            rows: rows.map((row) =>
              sentOut(row, names, mayOpen(session, owners, row) ? getFile(files, row) : undefined),
            ),
            count,
            page,
            pageSize,
          });
        },
        true,
      ),

    openSentReport: ({ id }, ctx) =>
      asReporter(
        context,
        ctx,
        MESSAGES.getReport,
        async (tx, session) => {
          const row = await loadSentReport(tx, session, id);
          const data = row?.data_id == null ? null : await readBlob(tx, context, row.data_id);
          if (!row || !data) return failed(NOT_FOUND);
          const files = await loadFiles(tx, [row]);
          // The stored data was written by this server, so it is not validated.
          const { report, rows } = JSON.parse(gunzipSync(data.bytes).toString('utf8')) as ReportOut;
          return ok({
            sent: sentOut(row, await loadAllUserNames(tx), getFile(files, row)),
            ...toOutput({ report, rows }),
          });
        },
        true,
      ),

    async getReportFile({ id }, ctx) {
      const found = await asReporter(
        context,
        ctx,
        MESSAGES.getReport,
        async (tx, session) => {
          const row = await loadSentReport(tx, session, id);
          const file = row?.file_id == null ? null : await readBlob(tx, context, row.file_id);
          return file ? ok(file) : failed(NOT_FOUND);
        },
        true,
      );
      if (!found.ok) return refuse(found.failure);
      const { name, type, bytes } = found.value;
      return new Response(new Uint8Array(bytes), {
        headers: {
          'content-type': type,
          'content-disposition': `attachment; filename="${name}"`,
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          'cache-control': 'no-store',
        },
      });
    },
  };
}

/** Copies the report, because the contract's types have mutable arrays. */
const toOutput = (out: ReportOut): OutputOf<'previewReport'> =>
  structuredClone(out) as OutputOf<'previewReport'>;

/**
 * Returns a sent report if the user can manage its owner's reports and see all of its content;
 * otherwise null.
 */
async function loadSentReport(
  tx: TenantTx,
  session: Principal,
  id: string,
): Promise<SentRow | null> {
  const { sql, tenant } = tx;
  const row = await sql
    .selectFrom('report_sent')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && mayOpen(session, await manageableOwners(tx, session), row) ? row : null;
}
const mayOpen = (session: Principal, owners: ReadonlySet<UserId>, row: SentRow): boolean =>
  owners.has(row.owner_id) &&
  seesAll(session, row.sees) &&
  mayUse(TEMPLATES[row.fields.template], session);

interface About {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly until: Ms;
}
async function loadFiles(
  { sql, tenant }: TenantTx,
  rows: readonly SentRow[],
): Promise<ReadonlyMap<string, About>> {
  const ids = rows.flatMap((row) => row.file_id ?? []);
  return new Map(
    ids.length === 0
      ? []
      : (
          await sql
            .selectFrom('kept_file')
            .select(['id', 'name', 'bytes', 'until'])
            .where('tenant_id', '=', tenant)
            .where('id', 'in', ids)
            .execute()
        ).map((one) => [one.id, one]),
  );
}
const getFile = (files: ReadonlyMap<string, About>, row: SentRow): About | undefined =>
  row.file_id === null ? undefined : files.get(row.file_id);
