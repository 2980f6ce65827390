import type { TicketPart } from '#contract/tickets/ticketing.ts';
import type { Named } from '#contract/tickets/tickets.ts';
import type { NewEvent } from '#contract/events.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { OutputOf } from '#contract/calls.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import { runIdempotently, refusal } from '../../platform/http/idempotent-command.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { type SyncScope, isCompanyInScope } from '../../platform/sync/scope.ts';
import { toScope } from '../../platform/sync/scope.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { listUnlinked, meantBy, nextNumber } from './resolve-ticket.ts';
import { NOT_FOUND, toFieldFailure } from '../../platform/http/envelope.ts';
import {
  makeTicketChange,
  making,
  loadProblems,
  removal,
  type TicketChange,
} from './ticket-events.ts';
import {
  loadForm,
  loadTicketPeople,
  readsElsewhere,
  ticketPage,
  ticketSeen,
  toTicketOutput,
  loadTicketDetails,
} from './read-tickets.ts';
import { queueTicketChange, sendNow } from './ticket-queue.ts';
import {
  type StoredTicketing,
  loadTicketing,
  openStatus,
  getPriorities,
  getStatuses,
} from './ticketing.ts';

type Whole = OutputOf<'getTicket'>;

/** TICKET-1 to TICKET-4: users manage tickets within the companies that they see. */
export function ticketHandlers(
  context: AppContext,
): Pick<
  Handlers,
  | 'createTicket'
  | 'createTickets'
  | 'listTickets'
  | 'getTicketForm'
  | 'getTicket'
  | 'changeTicket'
  | 'deleteTicket'
  | 'reportTickets'
> {
  const read = <T>(
    ctx: SessionContext,
    of: (tx: TenantTx, scope: SyncScope) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    context.store.tenant(ctx.tenant, (tx) => of(tx, toScope(ctx.session)), { readOnly: true });
  const whole = (ctx: SessionContext, id: string): Promise<Result<Whole>> =>
    read(ctx, async (tx, scope) => {
      const row = await ticketSeen(tx, scope, id);
      const all = row && (await loadTicketDetails(tx, row, readsElsewhere(ctx)));
      return all ? ok(all) : failed(NOT_FOUND);
    });
  return {
    listTickets: (request, ctx) =>
      read(ctx, async (tx, scope) => {
        const page = await ticketPage(tx, scope, request);
        return ok({ ...page, rows: await toTicketOutput(tx, page.rows, readsElsewhere(ctx)) });
      }),
    getTicket: ({ id }, ctx) => whole(ctx, id),
    getTicketForm: ({ company: named, run }, ctx) =>
      read(ctx, async (tx, scope) => {
        const n =
          named ??
          (run === undefined ? undefined : (await tx.rows('run', [run])).get(run)?.company);
        const company =
          n !== undefined && isCompanyInScope(scope, n)
            ? (await tx.rows('company', [n])).get(n)
            : undefined;
        return company
          ? ok(await loadForm(tx, context, await loadTicketing(tx), company))
          : failed(NOT_FOUND);
      }),
    reportTickets: ({ from, to, state = 'all', ...request }, ctx) =>
      read(ctx, async (tx, scope) => {
        const end = to ?? ctx.now + 1;
        const start = from ?? end - 30 * DAY_MS;
        if (end <= start) return failed(toFieldFailure('to', MESSAGES.evidenceEmpty));
        if (end - start > 366 * DAY_MS)
          return failed(toFieldFailure('from', MESSAGES.evidenceTooLong));
        const page = await ticketPage(tx, scope, { ...request, state, from: start, to: end });
        return ok({ ...page, rows: await toTicketOutput(tx, page.rows, readsElsewhere(ctx)) });
      }),

    async createTicket(request, ctx) {
      const made = await runIdempotently<{ _id: string }>(context, ctx, async (tx) => {
        const meant = await meantBy(tx, toScope(ctx.session), request);
        const [first] = meant.ok ? meant.value : [];
        if (!meant.ok) return refusal(meant.failure);
        if (meant.value.some(({ company }) => company !== first?.company))
          return refusal(toFieldFailure('problems', MESSAGES.ticketOneCompany));
        const opened = await opening(
          tx,
          context,
          await loadTicketing(tx),
          meant.value,
          request,
          await nextNumber(tx),
        );
        if (!opened.ok) return refusal(opened.failure);
        const { row, drafts } = opened.value;
        if (row.system !== 'own') await queueTicketChange(tx, row.id, [], ctx.now);
        return { drafts, answer: () => ok({ _id: row.id }) };
      });
      if (!made.ok) return made;
      const { _id: id } = made.value;
      await sendNow(context, ctx.tenant, [id]);
      return whole(ctx, id);
    },

    async createTickets(request, ctx) {
      const made = await runIdempotently<{ ids: string[] }>(context, ctx, async (tx) => {
        const meant = await meantBy(tx, toScope(ctx.session), request);
        if (!meant.ok) return refusal(meant.failure);
        const ticketing = await loadTicketing(tx);
        const number = await nextNumber(tx);
        const all: Opening[] = [];
        for (const problems of Map.groupBy(meant.value, ({ company }) => company).values()) {
          const opened = await opening(
            tx,
            context,
            ticketing,
            problems,
            request,
            number + all.length,
          );
          if (!opened.ok) return refusal(opened.failure);
          all.push(opened.value);
        }
        for (const { row } of all)
          if (row.system !== 'own') await queueTicketChange(tx, row.id, [], ctx.now);
        return {
          drafts: all.flatMap(({ drafts }) => drafts),
          answer: () => ok({ ids: all.map(({ row }) => row.id) }),
        };
      });
      if (!made.ok) return made;
      await sendNow(context, ctx.tenant, made.value.ids);
      return read(ctx, async (tx) => {
        const rows = await tx.rows('ticket', made.value.ids);
        return ok({
          tickets: await toTicketOutput(
            tx,
            made.value.ids.flatMap((id) => rows.get(id) ?? []),
            readsElsewhere(ctx),
          ),
        });
      });
    },

    async changeTicket({ id, ...request }, ctx) {
      const changed = await runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        const row = await ticketSeen(tx, toScope(ctx.session), id);
        if (!row) return refusal(NOT_FOUND);
        const ticketing = await loadTicketing(tx);
        const wanted = await chosen(
          tx,
          { ...ticketing, settings: { ...ticketing.settings, system: row.system } },
          row.company,
          request,
        );
        if (!wanted.ok) return refusal(wanted.failure);
        const to: TicketChange = {
          ...wanted.value,
          ...(request.subject !== undefined && { subject: request.subject }),
          ...(request.description !== undefined && { description: request.description }),
        };
        const drafts = makeTicketChange(row, 'person', to, await loadProblems(tx, id));
        const parts = drafts.flatMap(({ event }): TicketPart[] =>
          event.type === 'ticket.updated@1'
            ? PARTS.filter((part) => event.data[part] !== undefined)
            : [],
        );
        if (parts.length > 0 && row.system !== 'own' && row.system === ticketing.settings.system)
          await queueTicketChange(tx, id, parts, ctx.now);
        return { drafts, answer: () => ok({}) };
      });
      if (!changed.ok) return changed;
      await sendNow(context, ctx.tenant, [id]);
      return whole(ctx, id);
    },

    deleteTicket: ({ id }, ctx) =>
      runIdempotently<Record<string, never>>(context, ctx, async (tx) => {
        const row = await ticketSeen(tx, toScope(ctx.session), id);
        if (!row) return refusal(NOT_FOUND);
        // A ticket that was never sent is not created there. If a send is in progress, it closes
        // the ticket that it creates.
        await tx.sql
          .deleteFrom('ticket_work')
          .where('tenant_id', '=', tx.tenant)
          .where('ticket_id', '=', id)
          .where('tries', '=', 0)
          .execute();
        return { drafts: removal(row, await loadProblems(tx, id)), answer: () => ok({}) };
      }),
  };
}

type NewTicket = Parameters<typeof making>[0];
interface Opening {
  readonly row: NewTicket;
  readonly drafts: readonly NewEvent[];
}
interface TicketsInput extends Wanted {
  readonly subject: string;
  readonly description?: string | undefined;
  readonly contact?: Named | null | undefined;
}

/** Returns a new ticket for problems of one company, or why it cannot be created. */
async function opening(
  tx: TenantTx,
  context: AppContext,
  ticketing: StoredTicketing,
  problems: readonly ProblemRow[],
  request: TicketsInput,
  number: number,
): Promise<Result<Opening>> {
  const free = await listUnlinked(tx, context, ticketing, problems);
  if (!free.ok) return free;
  const { company } = free.value;
  const wanted = await chosen(tx, ticketing, company, {
    ...request,
    status: request.status ?? openStatus(ticketing)?.id ?? '',
    priority: request.priority === undefined ? ticketing.settings.priority : request.priority,
  });
  if (!wanted.ok) return wanted;
  const { status, priority = null, owner = null } = wanted.value;
  if (status === undefined || status.closed)
    return failed(toFieldFailure('status', MESSAGES.ticketNoSuchChoice));
  const row: NewTicket = {
    id: context.chance.uuid(),
    number,
    company,
    system: ticketing.settings.system,
    contact: request.contact ?? null,
    subject: request.subject,
    description: request.description ?? '',
    status,
    priority,
    owner,
  };
  return ok({
    row,
    drafts: making(
      row,
      problems.map(({ n }) => n),
    ),
  });
}

const PARTS = [
  'subject',
  'description',
  'status',
  'priority',
  'owner',
] as const satisfies readonly TicketPart[];

interface Wanted {
  readonly status?: string | undefined;
  readonly priority?: string | null | undefined;
  readonly owner?: Named | null | undefined;
}

/**
 * Returns the chosen values by their ids, from the available choices. Owners are not checked for a
 * connected system, because only the system knows its members.
 */
async function chosen(
  tx: TenantTx,
  ticketing: StoredTicketing,
  company: CompanyN,
  { status, priority, owner }: Wanted,
): Promise<Result<Pick<TicketChange, 'status' | 'priority' | 'owner'>>> {
  const own = ticketing.settings.system === 'own';
  const to: Pick<TicketChange, 'status' | 'priority' | 'owner'> = {};
  if (status !== undefined) {
    const found = getStatuses(ticketing).find(({ id }) => id === status);
    if (!found) return failed(toFieldFailure('status', MESSAGES.ticketNoSuchChoice));
    to.status = found;
  }
  if (priority !== undefined) {
    const found =
      priority === null ? null : getPriorities(ticketing).find(({ id }) => id === priority);
    if (found === undefined) return failed(toFieldFailure('priority', MESSAGES.ticketNoSuchChoice));
    to.priority = found;
  }
  if (owner !== undefined) {
    const found =
      owner === null
        ? null
        : own
          ? (await loadTicketPeople(tx, company)).find(({ id }) => id === owner.id)
          : owner;
    if (found === undefined) return failed(toFieldFailure('owner', MESSAGES.ticketNoSuchChoice));
    to.owner = found && { id: found.id, name: found.name };
  }
  return ok(to);
}
