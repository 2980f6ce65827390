import { getLastError } from '#contract/last-error.ts';
import type { MappedOut, TicketingState } from '#contract/tickets/ticketing-calls.ts';
import { NO_CHOICES, type Ticketing } from '#contract/tickets/ticketing.ts';
import { type Named, SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { storeSecret, readSecret } from '../../platform/outbound/secret.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { toScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import type { PsaError } from './psa.ts';
import { renewHealth } from './ticket-companies.ts';
import { scheduleRecurring } from '../../platform/jobs/schedule.ts';
import { retryTickets } from './ticket-queue.ts';
import { loadConnected, loadTicketing, catchTicketingError } from './ticketing.ts';
import { ticketMessages as t } from './messages.en.ts';

/** Connection tests reach external systems, so they are limited per minute and provider. */
const TRIES = 10;
const FORBIDDEN: Failure = { kind: 'forbidden', message: MESSAGES.ticketingNotYours };
const bad = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});
export const CALLBACK = '/hooks/connectwise';

/**
 * TICKET-8: users with access to all companies choose the connected system and map its companies.
 */
export function ticketingHandlers(
  context: AppContext,
): Pick<
  Handlers,
  | 'getTicketing'
  | 'setTicketing'
  | 'testTicketing'
  | 'listMappings'
  | 'setMappings'
  | 'checkMappings'
> {
  const rateLimit = makePerMinuteLimit(TRIES);
  const loadTicketingSettings = (tx: TenantTx, ctx: SessionContext): Promise<TicketingState> =>
    loadStored(tx, context, ctx);

  return {
    getTicketing: (_, ctx) =>
      keeper(ctx)
        ? context.store.tenant(ctx.tenant, async (tx) => ok(await loadTicketingSettings(tx, ctx)))
        : no(),

    setTicketing: ({ settings, secret }, ctx) =>
      keeper(ctx)
        ? context.store.tenant(ctx.tenant, async (tx): Promise<Result<TicketingState>> => {
            await tx.lock();
            const ticketing = await loadTicketing(tx);
            const before = ticketing.settings;
            const { system } = settings;
            if (system !== 'own') {
              if (settings[system] === null)
                return failed(
                  bad(
                    `settings.${system}`,
                    MESSAGES.ticketingNotSet({ system: SYSTEM_NAMES[system] }),
                  ),
                );
              if (
                secret === undefined &&
                (getAddress(before, system) !== getAddress(settings, system) ||
                  (await readSecret(tx, context, system)) === null)
              )
                return failed(bad('secret', MESSAGES.ticketingNoSecret));
              if (secret !== undefined) await storeSecret(tx, context, system, secret);
            }
            // A secret belongs to one address and name. If they change, the stored secret is
            // deleted, even if that system is connected only later.
            for (const one of ['connectwise', 'autotask'] as const)
              if (
                getAddress(before, one) !== getAddress(settings, one) &&
                (one !== system || secret === undefined)
              )
                await storeSecret(tx, context, one, null);
            const other =
              system !== before.system ||
              (system !== 'own' && getAddress(before, system) !== getAddress(settings, system));
            const now = ctx.now;
            const { seq } = await tx.head();
            const row = {
              settings: JSON.stringify(settings),
              poll_at: now,
              tries: 0,
              fault: null,
              ...(other
                ? { choices: JSON.stringify(NO_CHOICES), cursor: now, polled_at: null }
                : {}),
              // Results affect tickets only from the time when this was enabled.
              ...(before.reopenDays === 0 && !before.resolveOnSuccess ? { log_seq: seq } : {}),
            };
            await tx.sql
              .insertInto('ticketing')
              .values({
                tenant_id: tx.tenant,
                choices: JSON.stringify(NO_CHOICES),
                cursor: now,
                log_seq: seq,
                ...row,
              })
              .onConflict((on) => on.column('tenant_id').doUpdateSet(row))
              .execute();
            await scheduleRecurring(tx, 'tickets', now);
            await scheduleRecurring(tx, 'ticket-results', now);
            // Mappings of one system do not apply to another.
            if (other)
              await tx.sql
                .deleteFrom('ticket_company')
                .where('tenant_id', '=', tx.tenant)
                .execute();
            else await retryTickets(tx, now);
            await audit(tx, context, ctx, {
              what: 'ticketing.changed',
              user: null,
              detail: {
                system,
                secret: secret !== undefined,
                reopenDays: settings.reopenDays,
                resolveOnSuccess: settings.resolveOnSuccess,
              },
            });
            return ok(await loadTicketingSettings(tx, ctx));
          })
        : no(),

    async testTicketing(_, ctx) {
      if (!keeper(ctx)) return no();
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      const { ticketing, connected } = await context.store.tenant(ctx.tenant, async (tx) => {
        const found = await loadTicketing(tx);
        return { ticketing: found, connected: await loadConnected(tx, context, found) };
      });
      const name = SYSTEM_NAMES[ticketing.settings.system];
      const done =
        connected === null
          ? null
          : await catchTicketingError(() => connected.psa.choices(ticketing.settings.board));
      return context.store.tenant(ctx.tenant, async (tx) => {
        if (done?.ok === true) {
          await tx.sql
            .updateTable('ticketing')
            .set({ choices: JSON.stringify(done.value), fault: null, poll_at: ctx.now })
            .where('tenant_id', '=', tx.tenant)
            .execute();
          await retryTickets(tx, ctx.now);
        }
        const all = await loadTicketingSettings(tx, ctx);
        if (done === null)
          return ok({
            ok: false,
            message:
              ticketing.settings.system === 'own'
                ? t.noSystem
                : MESSAGES.ticketingNotSet({ system: name }),
            state: all,
          });
        if (!done.ok) return ok({ ok: false, message: done.error.message, state: all });
        const { boards, statuses } = done.value;
        return ok({
          ok: true,
          message: (ticketing.settings.system === 'autotask' ? t.queues : t.boards)({
            system: name,
            boards: boards.length,
            statuses: statuses.length,
          }),
          state: all,
        });
      });
    },

    listMappings: (_, ctx) =>
      keeper(ctx)
        ? context.store.tenant(ctx.tenant, async (tx) => ok(await mappings(tx)), { readOnly: true })
        : no(),

    setMappings: ({ pairs }, ctx) =>
      keeper(ctx)
        ? context.store.tenant(ctx.tenant, async (tx): Promise<Result<MappedOut[]>> => {
            const {
              settings: { system },
            } = await loadTicketing(tx);
            const companies = await tx.rows(
              'company',
              pairs.map(({ company }) => company),
            );
            if (system === 'own')
              return failed(bad('pairs', MESSAGES.ticketingNotSet({ system: SYSTEM_NAMES.own })));
            if (
              pairs.some(({ company }) => {
                const row = companies.get(company);
                return row === undefined || row.deletedAt !== undefined;
              })
            )
              return failed(bad('pairs', MESSAGES.notFound));
            for (const { company, remote } of pairs) {
              const of = { tenant_id: tx.tenant, company_n: company };
              if (remote === null) {
                await tx.sql
                  .deleteFrom('ticket_company')
                  .where('tenant_id', '=', tx.tenant)
                  .where('company_n', '=', company)
                  .execute();
                continue;
              }
              const row = {
                remote_id: remote.id,
                remote_name: remote.name,
                health: 'ok' as const,
                checked_at: ctx.now,
              };
              await tx.sql
                .insertInto('ticket_company')
                .values({ ...of, ...row })
                .onConflict((on) => on.columns(['tenant_id', 'company_n']).doUpdateSet(row))
                .execute();
            }
            await retryTickets(tx, ctx.now);
            await audit(tx, context, ctx, {
              what: 'ticketing.mapped',
              user: null,
              detail: { companies: pairs.length },
            });
            return ok(await mappings(tx));
          })
        : no(),

    async checkMappings(_, ctx) {
      if (!keeper(ctx)) return no();
      const refused = rateLimit.check(ctx.tenant, ctx.now);
      if (refused) return failed(refused);
      const { connected, system } = await context.store.tenant(ctx.tenant, async (tx) => {
        const ticketing = await loadTicketing(tx);
        return {
          connected: await loadConnected(tx, context, ticketing),
          system: ticketing.settings.system,
        };
      });
      if (connected === null)
        return failed({
          kind: 'conflict',
          message: MESSAGES.ticketingNotSet({ system: SYSTEM_NAMES[system] }),
        });
      const all = await catchTicketingError(() => connected.psa.everyCompany());
      if (!all.ok) return failed(explainTicketingError(all.error));
      return context.store.tenant(ctx.tenant, async (tx) => {
        await renewHealth(tx, all.value, ctx.now);
        const companies = await mappings(tx);
        return ok({ companies, found: sameNames(companies, all.value) });
      });
    },
  };
}

/** Only a user with access to the whole provider manages its mappings. */
const keeper = ({ session }: SessionContext): boolean => toScope(session).companies === null;
const no = (): Promise<Result<never>> => Promise.resolve(failed(FORBIDDEN));

export const explainTicketingError = ({ kind, message, afterMs }: PsaError): Failure =>
  kind === 'later'
    ? { kind: 'busy', message, retryAfterMs: afterMs ?? 10_000 }
    : { kind: 'conflict', message };

const getAddress = (settings: Ticketing, system: 'connectwise' | 'autotask'): string =>
  JSON.stringify(settings[system]);

async function loadStored(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
): Promise<TicketingState> {
  const { settings, choices, polledAt, error } = await loadTicketing(tx);
  const { system } = settings;
  const waiting = await tx.sql
    .selectFrom('ticket_work')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirst();
  return {
    settings,
    secret: system !== 'own' && (await readSecret(tx, context, system)) !== null,
    choices,
    polledAt,
    ...getLastError(error),
    waiting: waiting?.n ?? 0,
    callback: `${await portalAddress(tx, context, ctx)}${CALLBACK}`,
  };
}

/** Returns all companies that are not deleted, sorted by name. */
async function mappings(tx: TenantTx): Promise<MappedOut[]> {
  const rows = new Map(
    (
      await tx.sql
        .selectFrom('ticket_company')
        .selectAll()
        .where('tenant_id', '=', tx.tenant)
        .execute()
    ).map((row) => [row.company_n, row]),
  );
  return (await tx.all('company'))
    .filter(({ deletedAt }) => deletedAt === undefined)
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en') || a.n - b.n)
    .map(({ n, name }): MappedOut => {
      const row = rows.get(n);
      return {
        company: n,
        name,
        remote: row ? { id: row.remote_id, name: row.remote_name } : null,
        health: row?.health ?? 'not mapped',
        checkedAt: row?.checked_at ?? null,
      };
    });
}

const key = (name: string): string => name.trim().toLowerCase();
/**
 * Returns the companies without a mapping and the system's company of the same name. A name that
 * occurs twice is left out.
 */
function sameNames(
  companies: readonly MappedOut[],
  remote: readonly Named[],
): { company: CompanyN; remote: { id: string; name: string } }[] {
  const byName = new Map<string, Named | null>();
  for (const one of remote) byName.set(key(one.name), byName.has(key(one.name)) ? null : one);
  const taken = new Set(companies.flatMap((one) => one.remote?.id ?? []));
  return companies.flatMap(({ company, name, health }) => {
    const found =
      health === 'not mapped' || health === 'missing' ? byName.get(key(name)) : undefined;
    return found && !taken.has(found.id)
      ? [{ company, remote: { id: found.id, name: found.name } }]
      : [];
  });
}
