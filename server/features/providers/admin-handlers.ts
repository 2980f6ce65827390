import type { EventListed } from '#contract/providers/admin-calls.ts';
import { EventSchema } from '#contract/events.ts';
import type { TenantId } from '#contract/ids.ts';
import { BOM, csvLine, csvName, utcText, wallText } from '#contract/runs/csv.ts';
import { failed, ok } from '#contract/result.ts';
import { FORBIDDEN, NOT_FOUND, refuse } from '../../platform/http/envelope.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { keepsProvider, providersFrom } from '../../platform/tenancy/providers.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { eventsBefore } from './event-log.ts';
import { loadOverview } from './admin-overview.ts';
import { providerMessages as t } from './messages.en.ts';

const PAGE = 100;
const MAX_LINES = 50_000;
const TYPES = EventSchema.options.map(({ entries }) => entries.type.literal).toSorted();

/** For users who see the whole provider: their own provider and those below it. */
export const adminHandlers = (
  context: AppContext,
): Pick<Handlers, 'getAdminOverview' | 'listAdminEvents' | 'exportAdminEvents'> => ({
  async getAdminOverview(_, ctx) {
    if (ctx.session.companies !== null) return failed(FORBIDDEN);
    const providers = [];
    for (const id of await providersFrom(context, ctx.tenant))
      providers.push(await loadOverview(context, id, id === ctx.tenant, ctx.now));
    return ok({
      at: ctx.now,
      providers,
      storage: (await isTop(context, ctx.tenant)) ? await context.store.space() : null,
    });
  },

  async listAdminEvents({ provider, before, ...query }, ctx) {
    const at = await findProvider(context, ctx, provider);
    if (at === null) return failed(NOT_FOUND);
    if (ctx.session.companies !== null) return failed(FORBIDDEN);
    return context.store.tenant(
      at,
      async (tx) => {
        const { events, ...rest } = await eventsBefore(tx, query, before ?? null, PAGE);
        const { cut: archived } = await tx.head();
        return ok({ events: [...events], ...rest, archived, types: TYPES });
      },
      { readOnly: true },
    );
  },

  async exportAdminEvents({ provider, ...query }, ctx) {
    const at = await findProvider(context, ctx, provider);
    if (at === null) return refuse(NOT_FOUND);
    if (ctx.session.companies !== null) return refuse(FORBIDDEN);
    return context.store.tenant(
      at,
      async (tx) => {
        const {
          branding: { timeZone: zone },
        } = await tx.sql
          .selectFrom('provider')
          .select('branding')
          .where('tenant_id', '=', at)
          .executeTakeFirstOrThrow();
        const lines: EventListed[] = [];
        let next: number | null = null;
        do {
          const page = await eventsBefore(
            tx,
            query,
            next,
            Math.min(5_000, MAX_LINES - lines.length),
          );
          lines.push(...page.events);
          ({ next } = page);
        } while (next !== null && lines.length < MAX_LINES);
        const body =
          BOM +
          [
            [
              t.number,
              t.when({ zone }),
              t.whenUtc,
              t.type,
              t.entity,
              t.company,
              t.actor,
              t.subject,
              t.asAnotherUser,
              t.data,
            ],
            ...lines.map((one) => [
              one.seq,
              wallText(one.at, zone),
              utcText(one.at),
              one.type,
              one.entity,
              one.company,
              one.actor,
              one.subject,
              one.isImpersonated ? t.yes : t.no,
              one.data,
            ]),
          ]
            .map((line) => csvLine(line))
            .join('');
        return new Response(body, {
          headers: {
            'content-type': 'text/csv; charset=utf-8',
            'content-disposition': `attachment; filename="${csvName('Events', ctx.now, zone)}"`,
          },
        });
      },
      { readOnly: true },
    );
  },
});

/** The server belongs to the provider at the top of the tree. */
const isTop = (context: AppContext, tenant: TenantId): Promise<boolean> =>
  context.store.system(
    async (sql) =>
      (
        await sql
          .selectFrom('tenant_list')
          .select('master_id')
          .where('tenant_id', '=', tenant)
          .executeTakeFirstOrThrow()
      ).master_id === null,
  );

/** Returns the requested provider; null if the caller's provider does not manage it. */
const findProvider = async (
  context: AppContext,
  ctx: SessionContext,
  provider: TenantId | undefined,
): Promise<TenantId | null> =>
  provider === undefined || provider === ctx.tenant
    ? ctx.tenant
    : (await keepsProvider(context, ctx.tenant, ctx.session, provider))
      ? provider
      : null;
