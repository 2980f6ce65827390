import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { Event } from '#contract/events.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { by, FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { csvAnswer } from '#server/platform/http/csv-response.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { seesCompany } from '#server/platform/tenancy/company-list.ts';
import { hasDraft } from '../month-invoice/stored-draft.ts';
import { isBeingCollected } from '../stripe/collect-months.ts';
import { listCells, listHeads } from './cells.ts';
import { countCurrentUsage, getLatestSubscriptions } from './count-usage.ts';
import {
  listLastSubscriptions,
  listMonthSubscriptions,
  loadBilledCompanies,
  makeUsageOutput,
  seesMonths,
  seesSubscription,
} from './load.ts';
import { getCalendarMonth, getMonthAt, type CalendarMonth } from './month.ts';

type Names =
  | 'listSubscriptions'
  | 'getSubscription'
  | 'updateUsage'
  | 'ackUsage'
  | 'unackUsage'
  | 'refreshUsage'
  | 'exportSubscriptions';
type MonthInput = Pick<ParsedInputOf<'listSubscriptions'>, 'month' | 'year'>;

/** BILL-12, BILL-14: subscriptions with their usage by month. */
export function subscriptionHandlers(context: AppContext): Pick<Handlers, Names> {
  const changeUsage = (
    ctx: SessionContext,
    usageId: string,
    getEvent: (id: string) => Event,
  ): ReturnType<Handlers['ackUsage']> =>
    context.store.tenant(ctx.tenant, async (tx) => {
      await tx.lock();
      const row = (await tx.rows('usageMonth', [usageId])).get(usageId);
      const company = row && (await tx.rows('company', [row.company])).get(row.company);
      if (!row || !company || !seesMonths(ctx.session, company)) return NOT_FOUND_RESULT;
      if (row.invoice !== null)
        return failed({ kind: 'conflict', message: MESSAGES.monthInvoiced });
      if (await hasDraft(tx, row.id)) return notNow(MESSAGES.monthBeingInvoiced);
      if (await isBeingCollected(tx, row.id)) return notNow(MESSAGES.monthBeingCollected);
      await tx.append(
        [{ event: getEvent(row.id), company: row.company, entity: `usage:${row.id}` }],
        by(ctx),
      );
      const next = (await tx.rows('usageMonth', [usageId])).get(usageId) ?? row;
      return ok({ usage: (await makeUsageOutput(tx, ctx.now))(next) });
    });

  return {
    listSubscriptions: (input, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const month = await loadMonth(tx, input, ctx.now);
          const { session, now } = ctx;
          const companies = await loadBilledCompanies(tx, session);
          const rows = await listMonthSubscriptions(tx, session, companies, { month, now });
          const subscriptions = getLatestSubscriptions(await tx.all('subscription'));
          const totals = new Map<NonNullable<CompanySubscription['usage']>['currency'], number>();
          for (const { usage } of rows)
            if (usage !== null)
              totals.set(usage.currency, (totals.get(usage.currency) ?? 0) + usage.totalMills);
          return ok({
            month: Number(month.text.slice(5)),
            year: Number(month.text.slice(0, 4)),
            rows: [...rows],
            count: rows.length,
            totals: [...totals].map(([currency, totalMills]) => ({ currency, totalMills })),
            without: companies
              .filter((company) => seesCompany(session, company))
              .filter(({ n }) => (subscriptions.get(n)?.status ?? 'ended') === 'ended')
              .map(({ id, name }) => ({ companyId: id, companyName: name }))
              .sort((a, b) => a.companyName.localeCompare(b.companyName, 'en')),
          });
        },
        { readOnly: true },
      ),

    getSubscription: ({ userId }, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const isOwn = userId === ctx.session.userId;
          if (!isOwn && !hasAbility(ctx.session, 'o365.subscriptions')) return FORBIDDEN_RESULT;
          const user = (await tx.rows('user', [userId])).get(userId);
          if (!user || user.deletedAt !== null) return NOT_FOUND_RESULT;
          const seen = (await tx.all('company')).filter(
            (row) => seesCompany(ctx.session, row) && seesCompany(user, row),
          );
          if (!isOwn && seen.length === 0) return NOT_FOUND_RESULT;
          const companies = seen.filter(
            (row) => seesSubscription(ctx.session, row) && seesSubscription(user, row),
          );
          const rows = await listLastSubscriptions(tx, ctx.session, companies, ctx.now);
          return ok({ rows: [...rows], count: rows.length });
        },
        { readOnly: true },
      ),

    updateUsage: ({ usageId, users, gigabytes }, ctx) =>
      changeUsage(ctx, usageId, (id) => ({
        type: 'usage.updated@1',
        data: { id, users, gigabytes },
      })),
    ackUsage: ({ usageId }, ctx) =>
      changeUsage(ctx, usageId, (id) => ({ type: 'usage.acknowledged@1', data: { id } })),
    unackUsage: ({ usageId }, ctx) =>
      changeUsage(ctx, usageId, (id) => ({ type: 'usage.unacknowledged@1', data: { id } })),

    refreshUsage: (_, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        await tx.lock();
        const { timeZone } = await loadCompanyLimit(tx);
        const events = await countCurrentUsage(tx, context, { timeZone, now: ctx.now });
        await tx.append(events, {
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
          at: ctx.now,
        });
        return ok({ counted: events.length });
      }),

    exportSubscriptions: (input, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const { timeZone } = await loadCompanyLimit(tx);
          const month = await loadMonth(tx, input, ctx.now);
          const rows = await listMonthSubscriptions(
            tx,
            ctx.session,
            await loadBilledCompanies(tx, ctx.session),
            { month, now: ctx.now },
          );
          return csvAnswer('Subscriptions-', ctx.now, timeZone, [
            listHeads(),
            ...rows.map((row) => listCells(row, month)),
          ]);
        },
        { readOnly: true },
      ),
  };
}

/** A month without its year is of the current one, and the other way round. */
export async function loadMonth(
  tx: TenantTx,
  { month, year }: MonthInput,
  now: Ms,
): Promise<CalendarMonth> {
  const { timeZone } = await loadCompanyLimit(tx);
  const current = getMonthAt(now, timeZone);
  return getCalendarMonth(
    year ?? Number(current.text.slice(0, 4)),
    month ?? Number(current.text.slice(5)),
  );
}

export const notNow = (message: string): Result<never> => failed({ kind: 'conflict', message });
