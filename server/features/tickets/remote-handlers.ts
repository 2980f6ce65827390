import { SYSTEM_NAMES } from '#contract/tickets/tickets.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import { toScope, isCompanyInScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import type { PsaQuery } from './psa.ts';
import {
  type ConnectedSystem,
  loadConnected,
  loadTicketing,
  catchTicketingError,
  findMappedCompany,
} from './ticketing.ts';
import { explainTicketingError } from './ticketing-handlers.ts';

/** Requests to the system per minute and user. */
const QUESTIONS = 60;
const PAGE_SIZE = 50;
const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };

interface In {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}
const toRemoteQuery = ({ search, page = 1, pageSize = PAGE_SIZE }: In): PsaQuery => ({
  search,
  page,
  pageSize,
});

/**
 * TICKET-8: returns choices from the connected system when a user needs them. For any other system
 * the result is empty.
 */
export function remoteHandlers(
  context: AppContext,
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
  async function callRemote<T>(
    ctx: SessionContext,
    system: ConnectedSystem['system'],
    company: CompanyN | null,
    of: (connected: ConnectedSystem, remote: string) => Promise<T>,
    keeper = false,
  ): Promise<Result<T>> {
    const { session } = ctx;
    const refused = rateLimit.check(`${ctx.tenant} ${session.userId}`, ctx.now);
    if (refused) return failed(refused);
    const found = await context.store.tenant(
      ctx.tenant,
      async (
        tx,
      ): Promise<Result<{ readonly connected: ConnectedSystem; readonly remote: string }>> => {
        const scope = toScope(session);
        const row =
          company === null ? undefined : (await tx.rows('company', [company])).get(company);
        // Only users with access to all companies see the system's companies.
        if (
          company === null
            ? keeper && scope.companies !== null
            : !row || !isCompanyInScope(scope, company)
        )
          return failed(
            company === null
              ? { kind: 'forbidden', message: MESSAGES.ticketingNotYours }
              : NOT_FOUND,
          );
        const ticketing = await loadTicketing(tx);
        const connected = await loadConnected(tx, context, ticketing);
        if (ticketing.settings.system !== system)
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
        const mapped = await findMappedCompany(tx, ticketing, row.n, row.name);
        return 'blocked' in mapped
          ? failed({ kind: 'conflict', message: mapped.blocked })
          : ok({ connected, remote: mapped.remote.id });
      },
    );
    if (!found.ok) return found;
    const answer = await catchTicketingError(() => of(found.value.connected, found.value.remote));
    return answer.ok ? ok(answer.value) : failed(explainTicketingError(answer.error));
  }
  return {
    connectwiseCompanies: async (input, ctx) =>
      whole(ctx)
        ? callRemote(ctx, 'connectwise', null, async ({ psa }) =>
            page(await psa.companies(toRemoteQuery(input))),
          )
        : failed({ kind: 'forbidden', message: MESSAGES.ticketingNotYours }),
    autotaskAccounts: (input, ctx) =>
      callRemote(
        ctx,
        'autotask',
        null,
        async ({ psa }) => page(await psa.companies(toRemoteQuery(input))),
        true,
      ),
    autotaskResources: (input, ctx) =>
      callRemote(ctx, 'autotask', null, async ({ psa }) =>
        page(await psa.members(toRemoteQuery(input))),
      ),
    connectwiseMembers: (input, ctx) =>
      callRemote(ctx, 'connectwise', null, async ({ connectwise }) =>
        page(await of(connectwise).members(toRemoteQuery(input))),
      ),
    connectwiseContacts: ({ company, ...input }, ctx) =>
      callRemote(ctx, 'connectwise', company, async ({ connectwise }, remote) =>
        page(await of(connectwise).contacts(remote, toRemoteQuery(input))),
      ),
    connectwiseTickets: ({ company, ...input }, ctx) =>
      callRemote(ctx, 'connectwise', company, async ({ connectwise }, remote) =>
        page(await of(connectwise).tickets(remote, toRemoteQuery(input))),
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
const whole = ({ session }: SessionContext): boolean => toScope(session).companies === null;
function of<T>(one: T | null): T {
  if (one === null) throw new Error('Another system is connected.');
  return one;
}
