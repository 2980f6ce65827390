import { NOBODY } from '../../platform/auth/nobody.ts';
import type { Failure } from '#contract/errors.ts';
import type { NewEvent } from '#contract/events.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { SYSTEM_NAMES, ticketNumber } from '#contract/tickets/tickets.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { runIdempotently, refusal } from '../../platform/http/idempotent-command.ts';
import { makePerMinuteLimit } from '../../platform/rate-limit/per-minute.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { toScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { shortenTicketText, REFERENCE, type RemoteTicket } from './psa.ts';
import { making, take, tie } from './ticket-events.ts';
import { conflict, listUnlinked, meantBy, nextNumber } from './resolve-ticket.ts';
import { NOT_FOUND, toFieldFailure } from '../../platform/http/envelope.ts';
import { readsElsewhere, ticketSeen, loadTicketDetails } from './read-tickets.ts';
import { queueTicketChange, sendNow } from './ticket-queue.ts';
import {
  type ConnectedSystem,
  loadConnected,
  type StoredTicketing,
  loadTicketing,
  catchTicketingError,
  findMappedCompany,
} from './ticketing.ts';
import { explainTicketingError } from './ticketing-handlers.ts';

/** Requests to the system per minute and user. */
const QUESTIONS = 30;

/**
 * TICKET-10: links problems to a ticket that already exists in the connected system. The system is
 * queried outside of any transaction, and the result is checked again in the transaction that links
 * it.
 */
export function adoptHandlers(context: AppContext): Pick<Handlers, 'linkTicket'> {
  const rateLimit = makePerMinuteLimit(QUESTIONS);
  return {
    async linkTicket({ ticket: said, ...request }, ctx) {
      const refused = rateLimit.check(`${ctx.tenant} ${ctx.session.userId}`, ctx.now);
      if (refused) return failed(refused);
      const ready = await context.store.tenant(
        ctx.tenant,
        async (tx): Promise<Result<ConnectedSystem>> => {
          const meant = await meantBy(tx, toScope(ctx.session), request);
          const ticketing = await loadTicketing(tx);
          const { system } = ticketing.settings;
          if (!meant.ok) return meant;
          const connected = await loadConnected(tx, context, ticketing);
          return connected === null
            ? failed(
                conflict(
                  system === 'own'
                    ? MESSAGES.ticketingNone
                    : MESSAGES.ticketingNotSet({ system: SYSTEM_NAMES[system] }),
                ),
              )
            : ok(connected);
        },
        { readOnly: true },
      );
      if (!ready.ok) return ready;
      const found = await catchTicketingError(() => ready.value.psa.meant(said));
      if (!found.ok) return failed(explainTicketingError(found.error));
      const remote = found.value;
      if (remote === null)
        return failed(
          toFieldFailure(
            'ticket',
            MESSAGES.ticketNoSuchRemote({ system: SYSTEM_NAMES[ready.value.system] }),
          ),
        );
      const adopted = await runIdempotently<{ _id: string }>(context, ctx, async (tx) => {
        const place = await findTicketPlace(tx, context, ctx, request);
        if (!place.ok) return refusal(place.failure);
        if (place.value.ticketing.settings.system !== ready.value.system)
          return refusal(
            conflict(MESSAGES.ticketingOtherSystem({ system: SYSTEM_NAMES[ready.value.system] })),
          );
        const taken = await takeOver(tx, context, place.value, remote);
        if (!taken.ok) return refusal(taken.failure);
        const { id, drafts, marked } = taken.value;
        if (!marked) await queueTicketChange(tx, id, ['reference'], ctx.now);
        return { drafts, answer: () => ok({ _id: id }) };
      });
      if (!adopted.ok) return adopted;
      const { _id: id } = adopted.value;
      await sendNow(context, ctx.tenant, [id]);
      return context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const row = await ticketSeen(tx, toScope(ctx.session), id);
          const all = row && (await loadTicketDetails(tx, row, readsElsewhere(ctx)));
          return all ? ok(all) : failed(NOT_FOUND);
        },
        { readOnly: true },
      );
    },
  };
}

interface Place {
  readonly problems: readonly ProblemRow[];
  readonly company: number;
  readonly name: string;
  readonly there: string;
  readonly ticketing: StoredTicketing;
}

/** Returns the company of the problems, and the mapped company of the system. */
async function findTicketPlace(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
  request: Parameters<typeof meantBy>[2],
): Promise<Result<Place>> {
  const meant = await meantBy(tx, toScope(ctx.session), request);
  if (!meant.ok) return meant;
  const ticketing = await loadTicketing(tx);
  const free = await listUnlinked(tx, context, ticketing, meant.value);
  if (!free.ok) return free;
  const { company, name } = free.value;
  const mapped = await findMappedCompany(tx, ticketing, company, name);
  return 'blocked' in mapped
    ? failed(conflict(mapped.blocked))
    : ok({ problems: meant.value, company, name, there: mapped.remote.id, ticketing });
}

interface Taken {
  readonly id: string;
  readonly drafts: readonly NewEvent[];
  /** The ticket already has our reference. */ readonly marked: boolean;
}

/**
 * Runs under the lock of the head row: of two concurrent calls for the same ticket, the second
 * finds the one that the first stored.
 */
async function takeOver(
  tx: TenantTx,
  context: AppContext,
  { problems, company, name, there, ticketing }: Place,
  remote: RemoteTicket,
): Promise<Result<Taken>> {
  const { system } = ticketing.settings;
  const ns = problems.map(({ n }) => n);
  const rows = await tx.rows(
    'ticket',
    (
      await tx.sql
        .selectFrom('ticket')
        .select('id')
        .where('tenant_id', '=', tx.tenant)
        .where('remote_id', '=', remote.id)
        .execute()
    ).map(({ id }) => id),
  );
  const stored = [...rows.values()].find((row) => row.deletedAt === null && row.system === system);
  if (stored && stored.company !== company)
    return failed(
      toFieldFailure(
        'ticket',
        MESSAGES.ticketOfAnother({ number: ticketNumber(stored), company: name }),
      ),
    );
  if (remote.company !== there)
    return failed(
      toFieldFailure('ticket', MESSAGES.ticketOfAnother({ number: remote.number, company: name })),
    );
  if (remote.status.closed || stored?.status.closed === true)
    return failed(
      conflict(MESSAGES.ticketClosedThere({ number: remote.number, system: SYSTEM_NAMES[system] })),
    );
  if (stored) return ok({ id: stored.id, drafts: tie(stored, true, ns), marked: true });
  // A reference of ours is overwritten if the ticket was deleted here; any other is not.
  if (
    remote.reference !== null &&
    remote.reference !== '' &&
    !(await wasOurs(tx, remote.reference))
  )
    return failed(markedBy(remote));
  const row = {
    id: context.chance.uuid(),
    number: await nextNumber(tx),
    company,
    system,
    contact: null,
    subject: shortenTicketText(remote.subject.trim(), LIMITS.subjectChars).trim() || remote.number,
    description: '',
    status: remote.status,
    priority: remote.priority,
    owner: remote.owner,
  };
  const at = context.clock.now();
  const whole = {
    ...row,
    remote: null,
    madeBy: NOBODY,
    madeAt: at,
    changedAt: at,
    closedAt: null,
    closedBy: null,
    deletedAt: null,
  };
  return ok({
    id: row.id,
    drafts: [...making(row, ns), ...take(whole, remote, ns)],
    marked: false,
  });
}

const markedBy = ({ number }: RemoteTicket): Failure => conflict(MESSAGES.ticketMarked({ number }));

async function wasOurs(tx: TenantTx, reference: string): Promise<boolean> {
  if (!reference.startsWith(REFERENCE)) return false;
  const id = reference.slice(REFERENCE.length);
  return (await tx.rows('ticket', [id])).has(id);
}
