import { sql } from 'kysely';
import type { Failure } from '#contract/errors.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { isTimeZone } from '#contract/time/day.ts';
import type { SettingOut } from '#contract/reports/calls.ts';
import { findFieldsError } from '#contract/reports/setting.ts';
import type { ReportFields } from '#contract/reports/setting.ts';
import { MAX_CUSTOMERS, TEMPLATE_KEYS } from '#contract/reports/template.ts';
import { TEMPLATES } from '#contract/reports/templates.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '#server/platform/auth/audit.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { loadMailAddress } from '#server/platform/auth/email-confirmation.ts';
import { loadGateways } from '#server/platform/mail/gateways.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleRecurring } from '#server/platform/jobs/schedule.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadAllUserNames } from '#server/platform/queries/run-details.ts';
import { manageableOwners, mayReport, mayUse, loadRights, seesAll } from './access.ts';
import type { Rights } from './access.ts';
import { NOT_FOUND, toFieldFailure } from '#server/platform/http/envelope.ts';
import { asReporter } from './guards.ts';
import { dueAfter } from './schedule.ts';
import { actorMessages } from '#server/platform/tenancy/messages.en.ts';

/** REPORT-1, REPORT-2: users with permission manage scheduled reports, within what they can see. */
export function settingHandlers(
  context: AppContext,
): Pick<
  Handlers,
  | 'listReportSettings'
  | 'listReportTemplates'
  | 'createReportSetting'
  | 'changeReportSetting'
  | 'removeReportSetting'
> {
  return {
    listReportSettings: (_, ctx) =>
      asReporter(context, ctx, MESSAGES.getReports, async (tx, session) => {
        const owners = await manageableOwners(tx, session);
        const rows = (
          await tx.sql
            .selectFrom('report_setting')
            .selectAll()
            .where('tenant_id', '=', tx.tenant)
            .orderBy('made_at')
            .execute()
        ).filter((row) => owners.has(row.owner_id));
        const names = await loadAllUserNames(tx);
        const last = await loadLast(tx);
        const able = new Map<UserId, boolean>();
        for (const owner of new Set(rows.map((row) => row.owner_id)))
          able.set(owner, await stillMay(tx, owner));
        const recipient = await loadMailAddress(tx, session.userId);
        const settings = rows.map((row): SettingOut => ({
          _id: row.id,
          ...row.fields,
          owner: names.get(row.owner_id) ?? actorMessages.formerUser,
          mine: row.owner_id === session.userId,
          gone: able.get(row.owner_id) !== true,
          changedAt: row.changed_at,
          nextAt: row.next_at,
          last: last.get(row.id) ?? null,
        }));
        const newest = rows.toSorted((a, b) => b.changed_at - a.changed_at)[0]?.fields;
        return ok({
          settings: settings.toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
          mails: (await loadGateways(tx, context)).mail !== null,
          // The defaults come from the provider's newest report.
          usual: {
            timeZone: newest?.schedule.timeZone ?? (await loadCompanyLimit(tx)).timeZone,
            language: newest?.language ?? 'en-US',
            recipient,
          },
        });
      }),

    listReportTemplates: (_, ctx) =>
      asReporter(
        context,
        ctx,
        MESSAGES.getReports,
        (_tx, session) =>
          Promise.resolve(
            ok(
              TEMPLATE_KEYS.map((key) => TEMPLATES[key])
                .filter((template) => mayUse(template, session))
                .map(({ key, prettyName, description, templateName, customers }) => ({
                  key,
                  prettyName,
                  description,
                  templateName,
                  customers,
                  maxCustomers: MAX_CUSTOMERS,
                })),
            ),
          ),
        true,
      ),

    createReportSetting: ({ setting }, ctx) =>
      asReporter(context, ctx, MESSAGES.makeReport, async (tx, session) => {
        const refused =
          findSettingsRefusal(setting, session, session) ??
          (await listMissingCompanies(tx, setting));
        if (refused) return failed(refused);
        await tx.lock();
        const { count } = await tx.sql
          .selectFrom('report_setting')
          .select((e) => e.fn.countAll<number>().as('count'))
          .where('tenant_id', '=', tx.tenant)
          .executeTakeFirstOrThrow();
        if (count >= LIMITS.reports)
          return failed({
            kind: 'conflict',
            message: MESSAGES.reportsFull({ max: LIMITS.reports }),
          });
        const id = context.chance.uuid();
        await tx.sql
          .insertInto('report_setting')
          .values({
            tenant_id: tx.tenant,
            id,
            owner_id: session.userId,
            fields: JSON.stringify(setting),
            next_at: getNextRun(setting, ctx.now),
            made_at: ctx.now,
            changed_at: ctx.now,
          })
          .execute();
        await scheduleReports(tx, getNextRun(setting, ctx.now));
        await audit(tx, context, ctx, {
          what: 'report.made',
          user: session.userId,
          detail: { report: id, template: setting.template, recipients: setting.recipients.length },
        });
        return ok({ _id: id });
      }),

    changeReportSetting: ({ id, setting }, ctx) =>
      asReporter(context, ctx, MESSAGES.changeReport, async (tx, session) => {
        const before = await loadSetting(tx, session, id);
        if (!before) return failed(NOT_FOUND);
        const owner = (await stillMay(tx, before.owner_id))
          ? ((await loadRights(tx, before.owner_id)) ?? session)
          : session;
        const refused =
          findSettingsRefusal(setting, session, owner) ?? (await listMissingCompanies(tx, setting));
        if (refused) return failed(refused);
        await tx.sql
          .updateTable('report_setting')
          .set({
            owner_id: owner.userId,
            fields: JSON.stringify(setting),
            next_at: getNextRun(setting, ctx.now),
            changed_at: ctx.now,
          })
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .execute();
        await scheduleReports(tx, getNextRun(setting, ctx.now));
        await audit(tx, context, ctx, {
          what: 'report.changed',
          user: owner.userId,
          detail: { report: id, template: setting.template, recipients: setting.recipients.length },
        });
        return ok({});
      }),

    removeReportSetting: ({ id }, ctx) =>
      asReporter(context, ctx, MESSAGES.removeReport, async (tx, session) => {
        const before = await loadSetting(tx, session, id);
        if (!before) return failed(NOT_FOUND);
        await tx.sql
          .deleteFrom('report_setting')
          .where('tenant_id', '=', tx.tenant)
          .where('id', '=', id)
          .execute();
        await audit(tx, context, ctx, {
          what: 'report.removed',
          user: before.owner_id,
          detail: { report: id },
        });
        return ok({});
      }),
  };
}

/** Returns a report setting that this user can manage; otherwise null. */
export async function loadSetting(
  tx: TenantTx,
  session: Pick<Rights, 'userId' | 'roles' | 'companies' | 'key'>,
  id: string,
) {
  const { sql: db, tenant } = tx;
  const row = await db
    .selectFrom('report_setting')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && (await manageableOwners(tx, session)).has(row.owner_id) ? row : null;
}

/** Returns whether reports are still sent for this user. */
export async function stillMay(tx: TenantTx, id: UserId): Promise<boolean> {
  const rights = await loadRights(tx, id);
  return rights !== null && mayReport(tx, rights);
}

async function scheduleReports(tx: TenantTx, dueAt: Ms | null): Promise<void> {
  if (dueAt !== null) await scheduleRecurring(tx, 'reports', dueAt);
}

const getNextRun = ({ enabled, schedule }: ReportFields, now: Ms): Ms | null =>
  enabled ? dueAfter(schedule, now) : null;

/**
 * Returns why the settings are refused: the fields do not match, or the owner or the caller cannot
 * see the content; null if they are valid.
 */
export function findSettingsRefusal(
  {
    template: key,
    companies,
    schedule,
  }: Pick<ReportFields, 'template' | 'companies'> & {
    readonly schedule?: ReportFields['schedule'];
  },
  session: Rights,
  owner: Rights,
): Failure | null {
  const template = TEMPLATES[key];
  const error = findFieldsError(template.customers, companies);
  if (!mayUse(template, session) || !mayUse(template, owner))
    return { kind: 'forbidden', message: MESSAGES.reportNotAllowed };
  if (error !== null)
    return toFieldFailure(
      'setting.companies',
      {
        one: MESSAGES.reportOneCompany,
        some: MESSAGES.reportSomeCompanies,
        many: MESSAGES.reportManyCompanies({ max: MAX_CUSTOMERS }),
        none: MESSAGES.reportNoCompanies,
      }[error],
    );
  if (!seesAll(session, companies) || !seesAll(owner, companies))
    return toFieldFailure('setting.companies', MESSAGES.reportNotYours);
  return schedule !== undefined && !isTimeZone(schedule.timeZone)
    ? toFieldFailure('setting.schedule.timeZone', MESSAGES.reportZone)
    : null;
}

/** An unknown company gets the same failure as one that the user cannot see. */
export const listMissingCompanies = async (
  tx: TenantTx,
  { companies }: Pick<ReportFields, 'companies'>,
): Promise<Failure | null> =>
  (await tx.rows('company', companies)).size < companies.length
    ? toFieldFailure('setting.companies', MESSAGES.reportNotYours)
    : null;

/** Returns the newest entry of the history for each setting. */
async function loadLast({
  sql: db,
  tenant,
}: TenantTx): Promise<ReadonlyMap<string, NonNullable<SettingOut['last']>>> {
  const { rows } = await sql<{
    id: string;
    state: NonNullable<SettingOut['last']>['state'];
    at: Ms;
  }>`select distinct on (setting_id) setting_id::text as id, state, made_at as at from report_sent where tenant_id = ${tenant} order by setting_id, made_at desc`.execute(
    db,
  );
  return new Map(rows.map(({ id, state, at }) => [id, { state, at }]));
}
