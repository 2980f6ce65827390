import { sql } from 'kysely';
import type { TicketRow } from '#contract/tickets/tickets.ts';
import type { JobN, Ms, TenantId } from '#contract/ids.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { byClock, type TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { makeTicketChange, loadProblems, tie } from './ticket-events.ts';
import { queueTicketChange } from './ticket-queue.ts';
import { closeStatus, type StoredTicketing, loadTicketing, openStatus } from './ticketing.ts';

/** Events processed in one transaction. */
const BATCH_SIZE = 5_000;

/**
 * TICKET-7: applies results to tickets, if the provider has enabled it. It compares the current
 * state of jobs and tickets rather than the order of events, so running it twice or late has the
 * same effect. Returns whether the provider has configured ticketing.
 */
export async function syncTickets(context: AppContext, tenant: TenantId): Promise<boolean> {
  for (;;) {
    const found = await context.store.tenant(tenant, (tx) => followSome(tx, context));
    if (found !== 'more') return found === 'all';
  }
}

async function followSome(tx: TenantTx, context: AppContext): Promise<'nobody' | 'all' | 'more'> {
  const { tenant, sql: db } = tx;
  const row = await db
    .selectFrom('ticketing')
    .select('log_seq')
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();
  if (!row) return 'nobody';
  if (row.log_seq >= (await tx.head()).seq) return 'all';
  const ticketing = await loadTicketing(tx);
  const { reopenDays, resolveOnSuccess } = ticketing.settings;
  const { seq: head } = await tx.lock().then(() => tx.head());
  const to = Math.min(head, row.log_seq + BATCH_SIZE);
  const now = context.clock.now();
  await db.updateTable('ticketing').set({ log_seq: to }).where('tenant_id', '=', tenant).execute();
  const end = to < head ? 'more' : 'all';
  if (reopenDays === 0 && !resolveOnSuccess) return end;
  for (const { job, at } of await loadJobs(tx, row.log_seq, to)) {
    const known = await ofJob(tx, job);
    if (reopenDays > 0) await again(tx, ticketing, known, at, now);
    if (resolveOnSuccess) await resolve(tx, ticketing, known.tickets, now);
  }
  return end;
}

/**
 * Returns the jobs of the events that have, or had, a problem with a ticket, and the time of the
 * last event.
 */
async function loadJobs(
  { tenant, sql: db }: TenantTx,
  after: number,
  to: number,
): Promise<readonly { readonly job: JobN; readonly at: Ms }[]> {
  const { rows } = await sql<{
    job: JobN;
    at: Ms;
  }>`select (data->>'job')::bigint as job, max(at) as at from event where tenant_id = ${tenant} and seq > ${after} and seq <= ${to}
    and type in ('problem.closed@1', 'problem.opened@1', 'run.finished@1', 'run.missed@1')
    and (data->>'job')::bigint = any(array(select job_n from problem where tenant_id = ${tenant} and ticket_id is not null)) group by 1 order by 1`.execute(
    db,
  );
  return rows;
}

interface OfJob {
  readonly open: ProblemRow | null;
  readonly problems: readonly ProblemRow[];
  readonly tickets: readonly TicketRow[];
}

async function ofJob(tx: TenantTx, job: JobN): Promise<OfJob> {
  const ns = (
    await tx.sql
      .selectFrom('problem')
      .select('n')
      .where('tenant_id', '=', tx.tenant)
      .where('job_n', '=', job)
      .where('ticket_id', 'is not', null)
      .execute()
  ).map(({ n }) => n);
  const open = (await tx.rows('job', [job])).get(job)?.problem ?? null;
  const rows = await tx.rows('problem', open === null ? ns : [...ns, open]);
  const problems = ns.flatMap((n) => rows.get(n) ?? []);
  const tickets = await tx.rows('ticket', [
    ...new Set(problems.flatMap(({ linkedTicket }) => linkedTicket?.id ?? [])),
  ]);
  return {
    open: open === null ? null : (rows.get(open) ?? null),
    problems,
    tickets: [...tickets.values()].filter(({ deletedAt }) => deletedAt === null),
  };
}

/**
 * After the same failure occurs again: reopens its ticket if it was closed recently, and links a
 * new problem to it.
 */
async function again(
  tx: TenantTx,
  ticketing: StoredTicketing,
  { open, problems, tickets }: OfJob,
  at: Ms,
  now: Ms,
): Promise<void> {
  if (open === null || open.closedAt !== null) return;
  // A ticket number entered by hand, or a ticket that a user removed, is not changed.
  if (!open.linkedTicket && open.ticket !== null) return;
  const before = open.linkedTicket
    ? open
    : problems
        .filter(({ cause, n }) => cause === open.cause && n < open.n)
        .toSorted((a, b) => b.n - a.n)[0];
  const ticket = tickets.find(({ id }) => id === before?.linkedTicket?.id);
  if (!ticket) return;
  const { closedAt } = ticket;
  const late =
    closedAt !== null &&
    (now - closedAt > ticketing.settings.reopenDays * DAY_MS || at <= closedAt);
  if (late || (closedAt === null && open.linkedTicket)) return;
  if (!open.linkedTicket) await tx.append(tie(ticket, true, [open.n]), byClock(now));
  const status = openStatus(ticketing);
  if (closedAt === null || status === null) return;
  await tx.append(
    makeTicketChange(ticket, 'again', { status }, await loadProblems(tx, ticket.id)),
    byClock(now),
  );
  await syncRemoteTicket(tx, ticketing, ticket, now);
}

/** Closes tickets whose jobs have no problem left, after a success ended the last one. */
async function resolve(
  tx: TenantTx,
  ticketing: StoredTicketing,
  tickets: readonly TicketRow[],
  now: Ms,
): Promise<void> {
  const status = closeStatus(ticketing);
  for (const { id } of tickets) {
    const ticket = (await tx.rows('ticket', [id])).get(id);
    if (!ticket || status === null || ticket.closedAt !== null) continue;
    const ns = await loadProblems(tx, id);
    const problems = [...(await tx.rows('problem', ns)).values()];
    const jobs = [...(await tx.rows('job', [...new Set(problems.map(({ job }) => job))])).values()];
    if (
      problems.length === 0 ||
      problems.some(({ closedAt }) => closedAt === null) ||
      jobs.some(({ problem }) => problem !== null)
    )
      continue;
    await tx.append(makeTicketChange(ticket, 'success', { status }, ns), byClock(now));
    await syncRemoteTicket(tx, ticketing, ticket, now);
  }
}

const syncRemoteTicket = async (
  tx: TenantTx,
  { settings: { system } }: StoredTicketing,
  ticket: TicketRow,
  now: Ms,
): Promise<void> => {
  if (ticket.system !== 'own' && ticket.system === system)
    await queueTicketChange(tx, ticket.id, ['status'], now);
};
