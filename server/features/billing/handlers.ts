import type { CompanyUsage, ProviderUsage } from '#contract/billing/licensing-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { csvAnswer, zoneOf } from '../../platform/http/csv-response.ts';
import { refuse } from '../../platform/http/envelope.ts';
import type { RequestContext, Handlers } from '../../platform/http/handler.ts';
import { keepsProvider, providersFrom } from '../../platform/tenancy/providers.ts';
import { reachOf, wallOf } from '../../platform/queries/query.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { monthOf, monthsAt } from './months.ts';
import { ownUsage } from './own-usage.ts';
import { summed, usageOf } from './usage.ts';
import { billingMessages as t } from './messages.en.ts';

/**
 * LIC-1 to LIC-3: the usage in a month of the caller's provider and of those below it; LIC-5: of
 * the caller's companies.
 */
export function licensingHandlers(
  world: AppContext,
): Pick<
  Handlers,
  'listLicensing' | 'listCompanyLicensing' | 'ownSubscriptions' | 'exportLicensing'
> {
  return {
    listLicensing: async ({ month }, ctx) => {
      const providers: ProviderUsage[] = [];
      let asked = { month: '', months: [] as readonly string[] };
      for (const id of await seenProviders(world, ctx)) {
        const told = await readIn(world, ctx, id, month);
        if (!told.ok) return told;
        if (id === ctx.tenant) asked = told.value;
        providers.push({
          serviceProvider: { id, name: told.value.name },
          own: id === ctx.tenant,
          companies: told.value.companies.filter(({ company }) => company !== null).length,
          total: [...summed(told.value.companies)],
        });
      }
      return ok({ month: asked.month, months: [...asked.months], providers });
    },

    listCompanyLicensing: async ({ month, serviceProviderId }, ctx) => {
      const provider = serviceProviderId ?? ctx.tenant;
      if (!(await seenProviders(world, ctx)).includes(provider)) return failed(NOT_FOUND);
      const told = await readIn(world, ctx, provider, month);
      return told.ok
        ? ok({
            month: told.value.month,
            months: [...told.value.months],
            companies: [...told.value.companies],
          })
        : told;
    },

    ownSubscriptions: (_, ctx) =>
      world.store.tenant(
        ctx.tenant,
        async (tx) => {
          const wall = await wallOf(tx);
          return ok(
            await ownUsage(
              tx,
              reachOf(ctx, undefined),
              monthsAt(ctx.now, wall).map((one) => monthOf(one, wall)),
            ),
          );
        },
        { readOnly: true },
      ),

    exportLicensing: async ({ month }, ctx) => {
      const lines: (readonly (string | number | null)[])[] = [];
      for (const id of await seenProviders(world, ctx)) {
        const told = await readIn(world, ctx, id, month);
        if (!told.ok) return refuse(told.failure);
        for (const { companyName, lines: own } of told.value.companies)
          for (const line of own)
            lines.push([
              told.value.month,
              told.value.name,
              companyName,
              line.product,
              line.workload,
              line.unit,
              line.used,
              line.fresh,
              line.rental,
              line.source,
            ]);
      }
      const zone = await world.store.tenant(ctx.tenant, zoneOf, { readOnly: true });
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
async function seenProviders(world: AppContext, ctx: RequestContext): Promise<readonly TenantId[]> {
  const { session } = ctx;
  if (!session) throw new Error('licensing without a session');
  const all = [
    ctx.tenant,
    ...(await providersFrom(world, ctx.tenant)).filter((id) => id !== ctx.tenant),
  ];
  const kept = await Promise.all(
    all.map(
      async (id) => id === ctx.tenant || (await keepsProvider(world, ctx.tenant, session, id)),
    ),
  );
  return all.filter((_, i) => kept[i]);
}

interface Usage {
  readonly name: string;
  readonly month: string;
  readonly months: readonly string[];
  readonly companies: readonly CompanyUsage[];
}

/** Reads a provider's months in its own time zone. */
const readIn = (
  world: AppContext,
  ctx: RequestContext,
  id: TenantId,
  month: string | undefined,
): Promise<Result<Usage>> =>
  world.store.tenant(
    id,
    async (tx) => {
      const wall = await wallOf(tx);
      const months = monthsAt(ctx.now, wall);
      const [present = ''] = months;
      const asked = month ?? present;
      if (!months.includes(asked))
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
        month: asked,
        months,
        companies: await usageOf(
          tx,
          id,
          await reachIn(tx, ctx, id),
          monthOf(asked, wall),
          asked === present,
        ),
      });
    },
    { readOnly: true },
  );

/** In a provider below, the caller sees all companies. */
async function reachIn(tx: TenantTx, ctx: RequestContext, id: TenantId) {
  if (id === ctx.tenant) return reachOf(ctx, undefined);
  return {
    companies: null,
    without: (await tx.all('company')).flatMap(({ n, deletedAt }) =>
      deletedAt === undefined ? [] : [n],
    ),
  };
}
