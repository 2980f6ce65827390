import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { RequestContext, Handlers } from '../../platform/http/handler.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { scopeOf, seesCompany } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import type { Asked } from './psa.ts';
import { type Connected, connectedOf, deskOf, heard, mappedOf } from './ticketing.ts';
import { unheard } from './ticketing-handlers.ts';

/** Requests to the system per minute and user. */
const QUESTIONS = 60;
const PAGE_SIZE = 50;
const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };

interface In {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}
const askedOf = ({ search, page = 1, pageSize = PAGE_SIZE }: In): Asked => ({
  search,
  page,
  pageSize,
});

/**
 * TICKET-8: returns choices from the connected system when a user needs them. For any other system
 * the result is empty.
 */
export function remoteHandlers(
  world: AppContext,
): Pick<
  Handlers,
  | 'connectwiseCompanies'
  | 'connectwiseContacts'
  | 'connectwiseMembers'
  | 'connectwiseTickets'
  | 'autotaskAccounts'
  | 'autotaskResources'
> {
  const rateLimit = makePerMinuteLimit(QUESTIONS);

  /**
   * Runs outside of any transaction, because the other side can take time. `company` must be mapped
   * and visible to the caller.
   */
  async function asked<T>(
    ctx: RequestContext,
    system: Connected['system'],
    company: CompanyN | null,
    of: (connected: Connected, remote: string) => Promise<T>,
    keeper = false,
  ): Promise<Result<T>> {
    const { session } = ctx;
    if (!session) throw new Error('tickets without a session');
    const retryAfterMs = rateLimit.ask(`${ctx.tenant} ${session.userId}`, ctx.now);
    if (retryAfterMs !== null)
      return failed({ kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs });
    const found = await world.store.tenant(
      ctx.tenant,
      async (tx): Promise<Result<{ readonly connected: Connected; readonly remote: string }>> => {
        const scope = scopeOf(session);
        const row =
          company === null ? undefined : (await tx.rows('company', [company])).get(company);
        // Only users with access to all companies see the system's companies.
        if (
          company === null
            ? keeper && scope.companies !== null
            : !row || !seesCompany(scope, company)
        )
          return failed(
            company === null
              ? { kind: 'forbidden', message: MESSAGES.ticketingNotYours }
              : NOT_FOUND,
          );
        const desk = await deskOf(tx);
        const connected = await connectedOf(tx, world, desk);
        if (desk.settings.system !== system)
          return failed({
            kind: 'conflict',
            message: MESSAGES.ticketingOtherSystem({ system: SYSTEM_NAMES[system] }),
          });
        if (connected === null)
          return failed({
            kind: 'conflict',
            message: MESSAGES.ticketingNotSet({ system: SYSTEM_NAMES[system] }),
          });
        if (row === undefined) return ok({ connected, remote: '' });
        const mapped = await mappedOf(tx, desk, row.n, row.name);
        return 'blocked' in mapped
          ? failed({ kind: 'conflict', message: mapped.blocked })
          : ok({ connected, remote: mapped.remote.id });
      },
    );
    if (!found.ok) return found;
    const answer = await heard(() => of(found.value.connected, found.value.remote));
    return answer.ok ? ok(answer.value) : failed(unheard(answer.fault));
  }
  return {
    connectwiseCompanies: async (input, ctx) =>
      whole(ctx)
        ? asked(ctx, 'connectwise', null, async ({ psa }) =>
            page(await psa.companies(askedOf(input))),
          )
        : failed({ kind: 'forbidden', message: MESSAGES.ticketingNotYours }),
    autotaskAccounts: (input, ctx) =>
      asked(
        ctx,
        'autotask',
        null,
        async ({ psa }) => page(await psa.companies(askedOf(input))),
        true,
      ),
    autotaskResources: (input, ctx) =>
      asked(ctx, 'autotask', null, async ({ psa }) => page(await psa.members(askedOf(input)))),
    connectwiseMembers: (input, ctx) =>
      asked(ctx, 'connectwise', null, async ({ connectwise }) =>
        page(await of(connectwise).members(askedOf(input))),
      ),
    connectwiseContacts: ({ company, ...input }, ctx) =>
      asked(ctx, 'connectwise', company, async ({ connectwise }, remote) =>
        page(await of(connectwise).contacts(remote, askedOf(input))),
      ),
    connectwiseTickets: ({ company, ...input }, ctx) =>
      asked(ctx, 'connectwise', company, async ({ connectwise }, remote) =>
        page(await of(connectwise).tickets(remote, askedOf(input))),
      ),
  };
}

const page = <T>({
  rows,
  page: n,
  more,
}: {
  readonly rows: readonly T[];
  readonly page: number;
  readonly more: boolean;
}): { rows: T[]; page: number; more: boolean } => ({ rows: [...rows], page: n, more });
const whole = ({ session }: RequestContext): boolean =>
  session !== null && scopeOf(session).companies === null;
function of<T>(one: T | null): T {
  if (one === null) throw new Error('Another system is connected.');
  return one;
}
