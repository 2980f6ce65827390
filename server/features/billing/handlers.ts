import type { CompanyUsage, ProviderUsage } from '#contract/billing/licensing-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { csvAnswer, loadZone } from '../../platform/http/csv-response.ts';
import { refuse } from '../../platform/http/envelope.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { keepsProvider, providersFrom } from '../../platform/tenancy/providers.ts';
import { getScope, loadCompanyLimit } from '../../platform/queries/query.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { getMonthSpan, monthsAt } from './months.ts';
import { ownUsage } from './own-usage.ts';
import { summed, loadUsage } from './usage.ts';
import { billingMessages as t } from './messages.en.ts';

/**
 * LIC-1 to LIC-3: the usage in a month of the caller's provider and of those below it; LIC-5: of
 * the caller's companies.
 */
export function licensingHandlers(
  context: AppContext,
): Pick<
  Handlers,
  'listLicensing' | 'listCompanyLicensing' | 'listOwnSubscriptions' | 'exportLicensing'
> {
  return {
    listLicensing: async ({ month }, ctx) => {
      const providers: ProviderUsage[] = [];
      let own = { month: '', months: [] as readonly string[] };
      for (const id of await seenProviders(context, ctx)) {
        const usage = await readIn(context, ctx, id, month);
        if (!usage.ok) return usage;
        if (id === ctx.tenant) own = usage.value;
        providers.push({
          serviceProvider: { id, name: usage.value.name },
          own: id === ctx.tenant,
          companies: usage.value.companies.filter(({ company }) => company !== null).length,
          total: [...summed(usage.value.companies)],
        });
      }
      return ok({ month: own.month, months: [...own.months], providers });
    },

    listCompanyLicensing: async ({ month, serviceProviderId }, ctx) => {
      const provider = serviceProviderId ?? ctx.tenant;
      if (!(await seenProviders(context, ctx)).includes(provider)) return failed(NOT_FOUND);
      const usage = await readIn(context, ctx, provider, month);
      return usage.ok
        ? ok({
            month: usage.value.month,
            months: [...usage.value.months],
            companies: [...usage.value.companies],
          })
        : usage;
    },

    listOwnSubscriptions: (_, ctx) =>
      context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const wall = await loadCompanyLimit(tx);
          return ok(
            await ownUsage(
              tx,
              getScope(ctx, undefined),
              monthsAt(ctx.now, wall).map((one) => getMonthSpan(one, wall)),
            ),
          );
        },
        { readOnly: true },
      ),

    exportLicensing: async ({ month }, ctx) => {
      const lines: (readonly (string | number | null)[])[] = [];
      for (const id of await seenProviders(context, ctx)) {
        const usage = await readIn(context, ctx, id, month);
        if (!usage.ok) return refuse(usage.failure);
        for (const { companyName, lines: own } of usage.value.companies)
          for (const line of own)
            lines.push([
              usage.value.month,
              usage.value.name,
              companyName,
              line.product === 'Daybook' ? t.monitoredHere : line.product,
              line.workload,
              line.unit,
              line.used,
              line.fresh,
              line.rental,
              line.source,
            ]);
      }
      const zone = await context.store.tenant(ctx.tenant, loadZone, { readOnly: true });
      return csvAnswer('Licensing', ctx.now, zone, [
        [
          t.month,
          t.serviceProvider,
          t.company,
          t.product,
          t.workload,
          t.unit,
          t.used,
          t.new,
          t.rental,
          t.reportedBy,
        ],
        ...lines,
      ]);
    },
  };
}

const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };

/**
 * Returns the caller's provider first; providers below it only for a user who sees the whole
 * provider.
 */
async function seenProviders(
  context: AppContext,
  ctx: SessionContext,
): Promise<readonly TenantId[]> {
  const { session } = ctx;
  const all = [
    ctx.tenant,
    ...(await providersFrom(context, ctx.tenant)).filter((id) => id !== ctx.tenant),
  ];
  const stored = await Promise.all(
    all.map(
      async (id) => id === ctx.tenant || (await keepsProvider(context, ctx.tenant, session, id)),
    ),
  );
  return all.filter((_, i) => stored[i]);
}

interface Usage {
  readonly name: string;
  readonly month: string;
  readonly months: readonly string[];
  readonly companies: readonly CompanyUsage[];
}

/** Reads a provider's months in its own time zone. */
const readIn = (
  context: AppContext,
  ctx: SessionContext,
  id: TenantId,
  month: string | undefined,
): Promise<Result<Usage>> =>
  context.store.tenant(
    id,
    async (tx) => {
      const wall = await loadCompanyLimit(tx);
      const months = monthsAt(ctx.now, wall);
      const [present = ''] = months;
      const chosen = month ?? present;
      if (!months.includes(chosen))
        return failed({
          kind: 'bad-input',
          message: MESSAGES.badInput,
          issues: [{ path: 'month', message: MESSAGES.monthTooFar }],
        });
      const { branding } = await tx.sql
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', id)
        .executeTakeFirstOrThrow();
      return ok({
        name: branding.name,
        month: chosen,
        months,
        companies: await loadUsage(
          tx,
          id,
          await reachIn(tx, ctx, id),
          getMonthSpan(chosen, wall),
          chosen === present,
        ),
      });
    },
    { readOnly: true },
  );

/** In a provider below, the caller sees all companies. */
async function reachIn(tx: TenantTx, ctx: SessionContext, id: TenantId) {
  if (id === ctx.tenant) return getScope(ctx, undefined);
  return {
    companies: null,
    without: (await tx.all('company')).flatMap(({ n, deletedAt }) =>
      deletedAt === undefined ? [] : [n],
    ),
  };
}
