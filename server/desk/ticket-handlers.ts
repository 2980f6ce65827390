import type { TicketPart } from '#contract/desk/ticketing.ts';
import type { Named } from '#contract/desk/tickets.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN, Ms, ProblemN, RunN } from '#contract/ids.ts';
import type { ProblemRow } from '#contract/monitoring/rows.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { GivesOf } from '#contract/calls.ts';
import type { Ask, Handlers } from '../http/handler.ts';
import { once, refusal } from '../http/once.ts';
import { faultOf } from '../http/serve-call.ts';
import type { TenantTx } from '../store/store.ts';
import { type Scope, scopeOf, seesCompany } from '../sync/scope.ts';
import type { World } from '../world.ts';
import { change, making, problemsOf, removal, type TicketChange } from './ticket-events.ts';
import { formOf, peopleOf, reported, ticketPage, ticketSeen, told, wholeOf } from './ticket-reading.ts';
import { tell, work } from './ticket-work.ts';
import { blockedFor, type Desk, deskOf, openStatus, prioritiesOf, statusesOf } from './ticketing.ts';

type Whole = GivesOf<'getTicket'>;
const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };
const conflict = (message: string): Failure => ({ kind: 'conflict', message });
const bad = (path: string, message: string): Failure => ({ kind: 'bad-input', message, issues: [{ path, message }] });
/** So long a call waits for the ticketing system; what comes later is told by the list. */
const PATIENCE: Ms = 8_000;
const DAY: Ms = 86_400_000;

/** TICKET-1 to TICKET-4: tickets as people keep them, each within the companies that it sees. */
export function ticketHandlers(world: World): Pick<Handlers, 'makeTicket' | 'listTickets' | 'getTicketForm' | 'getTicket' | 'changeTicket' | 'deleteTicket' | 'reportTickets'> {
  const read = <T>(ask: Ask, of: (tx: TenantTx, scope: Scope) => Promise<Result<T>>): Promise<Result<T>> => world.store.tenant(ask.tenant, (tx) => of(tx, scoped(ask)), { readOnly: true });
  const whole = (ask: Ask, id: string): Promise<Result<Whole>> => read(ask, async (tx, scope) => {
    const row = await ticketSeen(tx, scope, id), all = row && await wholeOf(tx, row);
    return all ? ok(all) : failed(NOT_FOUND);
  });
  /** The system is told at once where it answers at once. */
  async function push(ask: Ask, id: string): Promise<void> {
    let timer: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => { timer = world.clock.after(PATIENCE, resolve); });
    await Promise.race([late, work(world, ask.tenant, id).catch((error: unknown) => { world.log.error('a ticket could not be told to its system', { tenant: ask.tenant, ...faultOf(error) }); })]);
    timer?.cancel();
  }

  return {
    listTickets: (asked, ask) => read(ask, async (tx, scope) => {
      const page = await ticketPage(tx, scope, asked);
      return ok({ ...page, rows: (await told(tx, page.rows)).map(({ out }) => out) });
    }),
    getTicket: ({ id }, ask) => whole(ask, id),
    getTicketForm: ({ company: named, run }, ask) => read(ask, async (tx, scope) => {
      const n = named ?? (run === undefined ? undefined : (await tx.rows('run', [run])).get(run)?.company);
      const company = n !== undefined && seesCompany(scope, n) ? (await tx.rows('company', [n])).get(n) : undefined;
      return company ? ok(await formOf(tx, world, await deskOf(tx), company)) : failed(NOT_FOUND);
    }),
    reportTickets: ({ from, to, state = 'all', ...asked }, ask) => read(ask, async (tx, scope) => {
      const end = to ?? ask.now + 1, start = from ?? end - 30 * DAY;
      if (end <= start) return failed(bad('to', MESSAGES.evidenceEmpty));
      if (end - start > 366 * DAY) return failed(bad('from', MESSAGES.evidenceTooLong));
      return ok(await reported(tx, await ticketPage(tx, scope, { ...asked, state, from: start, to: end })));
    }),

    async makeTicket(asked, ask) {
      const made = await once<{ _id: string }>(world, ask, async (tx) => {
        const scope = scoped(ask), meant = await meantBy(tx, scope, asked);
        if (!meant.ok) return refusal(meant.failure);
        const problems = meant.value, ns = problems.map(({ n }) => n), [first] = problems;
        if (!first) return refusal(NOT_FOUND);
        if (problems.some(({ company }) => company !== first.company)) return refusal(bad('problems', MESSAGES.ticketOneCompany));
        const tied = problems.find((one) => one.tied);
        if (tied?.tied) return refusal(conflict(tied.tied.open ? MESSAGES.ticketHasOne(tied.ticket ?? '') : MESSAGES.ticketHadOne(tied.ticket ?? '')));
        if (problems.some(({ closedAt }) => closedAt !== null)) return refusal(conflict(MESSAGES.ticketProblemOver));
        const desk = await deskOf(tx), { system } = desk.settings;
        const name = (await tx.rows('company', [first.company])).get(first.company)?.name ?? '';
        const blocked = await blockedFor(tx, world, desk, first.company, name);
        if (blocked !== null) return refusal(conflict(blocked));
        const wanted = await chosen(tx, desk, first.company, { ...asked, status: asked.status ?? openStatus(desk)?.id ?? '', priority: asked.priority === undefined ? desk.settings.priority : asked.priority });
        if (!wanted.ok) return refusal(wanted.failure);
        const { status, priority = null, owner = null } = wanted.value;
        if (status === undefined || status.closed) return refusal(bad('status', MESSAGES.ticketNoSuchChoice));
        const id = world.chance.uuid(), number = await nextNumber(tx);
        if (system !== 'own') await tell(tx, id, [], ask.now);
        const row = { id, number, company: first.company, system, contact: asked.contact ?? null, subject: asked.subject, description: asked.description ?? '', status, priority, owner };
        return { drafts: making(row, ns), answer: () => ok({ _id: id }) };
      });
      if (!made.ok) return made;
      const { _id: id } = made.value;
      await push(ask, id);
      return whole(ask, id);
    },

    async changeTicket({ id, ...asked }, ask) {
      const changed = await once<Record<string, never>>(world, ask, async (tx) => {
        const row = await ticketSeen(tx, scoped(ask), id);
        if (!row) return refusal(NOT_FOUND);
        const desk = await deskOf(tx);
        const wanted = await chosen(tx, { ...desk, settings: { ...desk.settings, system: row.system } }, row.company, asked);
        if (!wanted.ok) return refusal(wanted.failure);
        const to: TicketChange = { ...wanted.value, ...(asked.subject !== undefined && { subject: asked.subject }), ...(asked.description !== undefined && { description: asked.description }) };
        const drafts = change(row, 'person', to, await problemsOf(tx, id));
        const parts = drafts.flatMap(({ event }): TicketPart[] => (event.type === 'ticket.changed@1' ? PARTS.filter((part) => event.data[part] !== undefined) : []));
        if (parts.length > 0 && row.system !== 'own' && row.system === desk.settings.system) await tell(tx, id, parts, ask.now);
        return { drafts, answer: () => ok({}) };
      });
      if (!changed.ok) return changed;
      await push(ask, id);
      return whole(ask, id);
    },

    deleteTicket: ({ id }, ask) => once<Record<string, never>>(world, ask, async (tx) => {
      const row = await ticketSeen(tx, scoped(ask), id);
      if (!row) return refusal(NOT_FOUND);
      // One that was never tried is not made there at all; else whoever is at it closes what it made.
      await tx.sql.deleteFrom('ticket_work').where('tenant_id', '=', tx.tenant).where('ticket_id', '=', id).where('tries', '=', 0).execute();
      return { drafts: removal(row, await problemsOf(tx, id)), answer: () => ok({}) };
    }),
  };
}

/** The problems that are meant, each once: all of those named, or those that are open of results. Nothing of another's, and nothing that is over. */
async function meantBy(tx: TenantTx, scope: Scope, { problems, runs }: { readonly problems?: readonly ProblemN[] | undefined; readonly runs?: readonly RunN[] | undefined }): Promise<Result<readonly ProblemRow[]>> {
  if ((problems === undefined) === (runs === undefined)) return failed(bad('problems', 'Give problems, or runs.'));
  let ns = [...new Set(problems)];
  if (runs !== undefined) {
    const asked = [...new Set(runs)], rows = [...(await tx.rows('run', asked)).values()];
    if (rows.length < asked.length || rows.some(({ company }) => !seesCompany(scope, company))) return failed(NOT_FOUND);
    ns = [...new Set(rows.flatMap(({ problem }) => problem ?? []))];
    if (ns.length === 0) return failed(conflict(MESSAGES.nothingToReview));
  }
  const found = [...(await tx.rows('problem', ns)).values()].filter(({ company }) => seesCompany(scope, company));
  if (found.length < ns.length) return failed(NOT_FOUND);
  const open = found.filter(({ closedAt }) => closedAt === null);
  return ok(runs !== undefined && open.length > 0 ? open : found);
}

const PARTS = ['subject', 'description', 'status', 'priority', 'owner'] as const satisfies readonly TicketPart[];

function scoped({ signed }: Ask): Scope {
  if (!signed) throw new Error('tickets without a session');
  return scopeOf(signed);
}

/** Under the lock of the head row. */
async function nextNumber({ sql, tenant }: TenantTx): Promise<number> {
  const last = await sql.selectFrom('ticket').select((e) => e.fn.max('number').as('n')).where('tenant_id', '=', tenant).executeTakeFirst();
  return (last?.n ?? 0) + 1;
}

interface Wanted { readonly status?: string | undefined; readonly priority?: string | null | undefined; readonly owner?: Named | null | undefined }

/** What was chosen, by its id, as it is among what there is to choose. Members of a system are known by it alone. */
async function chosen(tx: TenantTx, desk: Desk, company: CompanyN, { status, priority, owner }: Wanted): Promise<Result<Pick<TicketChange, 'status' | 'priority' | 'owner'>>> {
  const own = desk.settings.system === 'own', to: Pick<TicketChange, 'status' | 'priority' | 'owner'> = {};
  if (status !== undefined) {
    const found = statusesOf(desk).find(({ id }) => id === status);
    if (!found) return failed(bad('status', MESSAGES.ticketNoSuchChoice));
    to.status = found;
  }
  if (priority !== undefined) {
    const found = priority === null ? null : prioritiesOf(desk).find(({ id }) => id === priority);
    if (found === undefined) return failed(bad('priority', MESSAGES.ticketNoSuchChoice));
    to.priority = found;
  }
  if (owner !== undefined) {
    const found = owner === null ? null : own ? (await peopleOf(tx, company)).find(({ id }) => id === owner.id) : owner;
    if (found === undefined) return failed(bad('owner', MESSAGES.ticketNoSuchChoice));
    to.owner = found && { id: found.id, name: found.name };
  }
  return ok(to);
}
