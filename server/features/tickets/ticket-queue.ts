import { type RawBuilder, sql as raw } from 'kysely';
import { NOBODY } from '../../platform/auth/nobody.ts';
import type { TicketPart } from '#contract/tickets/ticketing.ts';
import type { Named, TicketRow } from '#contract/tickets/tickets.ts';
import type { Ms, TenantId, UserId } from '#contract/ids.ts';
import { columnAhead, columnOver } from '../../platform/clock-bounds.ts';
import { describeError } from '../../platform/http/serve-call.ts';
import { backOff, LONGEST_RETRY_MS } from '../../platform/outbound/retry.ts';
import { isLeftBehind } from '../../platform/jobs/leases.ts';
import { scheduleRecurring } from '../../platform/jobs/schedule.ts';
import { byClock, type TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import {
  type NewRemoteTicket,
  type Psa,
  PsaError,
  REFERENCE,
  type RemoteChange,
  type RemoteTicket,
} from './psa.ts';
import { makeTicketChange, loadProblems, take, type TicketChange } from './ticket-events.ts';
import {
  closeStatus,
  loadConnected,
  type StoredTicketing,
  loadTicketing,
  catchTicketingError,
  findMappedCompany,
} from './ticketing.ts';
import { ticketMessages as t } from './messages.en.ts';

/** Longer than any try takes. Another server takes over after it. */
const HELD: Ms = 2 * 60_000;
const BATCH_SIZE = 20;

/**
 * Queues the changed parts of a ticket for its system, in the transaction that changes it. A send
 * in progress continues, and the new change follows it.
 */
export async function queueTicketChange(
  tx: TenantTx,
  ticket: string,
  parts: readonly TicketPart[],
  now: Ms,
): Promise<void> {
  const { sql, tenant } = tx;
  const before = await sql
    .selectFrom('ticket_work')
    .select(['version', 'parts'])
    .where('tenant_id', '=', tenant)
    .where('ticket_id', '=', ticket)
    .executeTakeFirst();
  const all = [...new Set([...(before?.parts ?? []), ...parts])];
  const row = {
    parts: JSON.stringify(all),
    version: (before?.version ?? 0) + 1,
    tries: 0,
    next_at: now,
    fault: null,
  };
  await sql
    .insertInto('ticket_work')
    .values({ tenant_id: tenant, ticket_id: ticket, ...row })
    .onConflict((on) => on.columns(['tenant_id', 'ticket_id']).doUpdateSet(row))
    .execute();
  await scheduleRecurring(tx, 'tickets', now);
}

interface Task {
  readonly row: TicketRow;
  readonly version: number;
  readonly parts: readonly TicketPart[];
  readonly tries: number;
  /** Of the job that has taken it; null: a call of a user has. */
  readonly lease: string | null;
  readonly ticketing: StoredTicketing;
  readonly psa: Psa;
  readonly make: (Omit<NewRemoteTicket, 'owner'> & { readonly maker: Maker | null }) | null;
  readonly blocked: string | null;
}
/** A user who becomes the owner of their own tickets in ConnectWise. */
interface Maker {
  readonly email: string | null;
  readonly username: string;
}

/**
 * Sends due changes to the system, of all tickets or one. Skips tickets that another server is
 * sending. `lease`: of the job (JOB-11); null for a call of a user.
 */
export async function work(
  context: AppContext,
  tenant: TenantId,
  lease: string | null,
  ticket: string | null = null,
): Promise<void> {
  for (const id of ticket === null ? await due(context, tenant, lease) : [ticket]) {
    const task = await context.store.tenant(tenant, (tx) => takeTask(tx, context, id, lease));
    if (task === null) continue;
    const done =
      task.blocked === null
        ? await catchTicketingError(() => tellSystem(task))
        : { ok: false as const, error: new PsaError('refused', task.blocked) };
    await context.store.tenant(tenant, async (tx) => {
      if (await isTakenOver(tx, id, lease)) return;
      await (done.ok ? finish(tx, context, task, done.value) : fail(tx, context, task, done.error));
    });
    if (!done.ok)
      context.log.warn('a ticket could not be sent to its system', {
        tenant,
        ticket: id,
        tries: task.tries,
        error: done.error.kind,
      });
  }
}

/**
 * Sends these tickets to their system now and waits for the outcome, at most eight seconds. It also
 * waits for tickets that the background job or another server is already sending; otherwise the
 * response would call a ticket "waiting" that exists a moment later.
 */
export async function sendNow(
  context: AppContext,
  tenant: TenantId,
  tickets: readonly string[],
): Promise<void> {
  let timer: { cancel(): void } | undefined;
  let isLate = false;
  const late = new Promise<void>((resolve) => {
    timer = context.clock.after(PATIENCE, () => {
      isLate = true;
      resolve();
    });
  });
  const sending = async (): Promise<void> => {
    for (;;) {
      for (const id of tickets) await work(context, tenant, null, id);
      if (isLate || !(await isPending(context, tenant, tickets))) return;
      await new Promise<void>((resolve) => {
        context.clock.after(LOOK_AGAIN, resolve);
      });
    }
  };
  await Promise.race([
    late,
    sending().catch((error: unknown) => {
      context.log.error('a ticket could not be sent to its system', {
        tenant,
        ...describeError(error),
      });
    }),
  ]);
  timer?.cancel();
}
const PATIENCE: Ms = 8_000;
const LOOK_AGAIN: Ms = 100;

/**
 * Returns whether one of the tickets is due or being sent: it has neither arrived nor failed yet.
 */
const isPending = (
  context: AppContext,
  tenant: TenantId,
  tickets: readonly string[],
): Promise<boolean> =>
  context.store.tenant(
    tenant,
    async ({ sql }) => {
      const now = context.clock.now();
      return (
        (await sql
          .selectFrom('ticket_work')
          .select('ticket_id')
          .where('tenant_id', '=', tenant)
          .where('ticket_id', 'in', [...tickets])
          .where((row) =>
            row.or([
              columnAhead('held_until', now, HELD),
              columnOver('next_at', now, LONGEST_RETRY_MS),
            ]),
          )
          .limit(1)
          .executeTakeFirst()) !== undefined
      );
    },
    { readOnly: true },
  );

const due = (
  context: AppContext,
  tenant: TenantId,
  lease: string | null,
): Promise<readonly string[]> =>
  context.store.tenant(
    tenant,
    async ({ sql }) =>
      (
        await sql
          .selectFrom('ticket_work')
          .select('ticket_id')
          .where('tenant_id', '=', tenant)
          .where(columnOver('next_at', context.clock.now(), LONGEST_RETRY_MS))
          .where(isFree(context.clock.now(), lease))
          .orderBy('next_at')
          .limit(BATCH_SIZE)
          .execute()
      ).map(({ ticket_id: id }) => id),
    { readOnly: true },
  );

const isFree = (now: Ms, lease: string | null): RawBuilder<boolean> =>
  lease === null
    ? columnOver('held_until', now, HELD)
    : raw<boolean>`(${columnOver('held_until', now, HELD)} or ${isLeftBehind('held_by', lease)})`;

/** Locks the ticket. */
const isTakenOver = async (
  { sql, tenant }: TenantTx,
  ticket: string,
  lease: string | null,
): Promise<boolean> =>
  (await sql
    .selectFrom('ticket_work')
    .select('ticket_id')
    .where('tenant_id', '=', tenant)
    .where('ticket_id', '=', ticket)
    .where('held_by', 'is distinct from', lease)
    .forUpdate()
    .executeTakeFirst()) !== undefined;

async function takeTask(
  tx: TenantTx,
  context: AppContext,
  id: string,
  lease: string | null,
): Promise<Task | null> {
  const { sql, tenant } = tx;
  const now = context.clock.now();
  const found = await sql
    .selectFrom('ticket_work')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('ticket_id', '=', id)
    .where(columnOver('next_at', now, LONGEST_RETRY_MS))
    .where(isFree(now, lease))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!found) return null;
  const drop = (): Promise<unknown> =>
    sql
      .deleteFrom('ticket_work')
      .where('tenant_id', '=', tenant)
      .where('ticket_id', '=', id)
      .execute();
  const row = (await tx.rows('ticket', [id])).get(id);
  const ticketing = await loadTicketing(tx);
  const connected = await loadConnected(tx, context, ticketing);
  // Another system is connected now, or none. Tickets of the previous system keep their state here.
  if (
    !row ||
    (row.deletedAt !== null && row.remote === null) ||
    ticketing.settings.system !== row.system
  ) {
    await drop();
    return null;
  }
  const tries = found.tries + 1;
  const task = { row, version: found.version, parts: found.parts, tries, lease, ticketing };
  await sql
    .updateTable('ticket_work')
    .set({ tries, held_until: now + HELD, held_by: lease })
    .where('tenant_id', '=', tenant)
    .where('ticket_id', '=', id)
    .execute();
  if (connected === null)
    return {
      ...task,
      psa: NO_SYSTEM,
      make: null,
      blocked: t.notConnected,
    };
  if (row.remote !== null) return { ...task, psa: connected.psa, make: null, blocked: null };
  const mapped = await findMappedCompany(
    tx,
    ticketing,
    row.company,
    (await tx.rows('company', [row.company])).get(row.company)?.name ?? '',
  );
  const { board } = ticketing.settings;
  if ('blocked' in mapped || board === null)
    return {
      ...task,
      psa: connected.psa,
      make: null,
      blocked: 'blocked' in mapped ? mapped.blocked : t.noBoard,
    };
  const maker =
    row.owner === null
      ? await sql
          .selectFrom('person')
          .select(['email', 'email_verified', 'username', 'settings'])
          .where('tenant_id', '=', tenant)
          .where('id', '=', asUser(row.madeBy))
          .executeTakeFirst()
      : undefined;
  return {
    ...task,
    psa: connected.psa,
    blocked: null,
    make: {
      reference: `${REFERENCE}${row.id}`,
      company: mapped.remote.id,
      subject: row.subject,
      description: row.description,
      status: row.status.id,
      priority: row.priority?.id ?? null,
      contact: row.contact?.id ?? null,
      board,
      maker:
        maker?.settings.assignAsConnectWiseOwner === true
          ? { email: maker.email_verified ? maker.email : null, username: maker.username }
          : null,
    },
  };
}

/** The author of a ticket is not always a user. */
const asUser = (author: UserId): UserId => (/^[\da-f-]{36}$/i.test(author) ? author : NOBODY);

/** A placeholder that is never called, because the task is blocked. */
const NO_SYSTEM = new Proxy(
  {},
  { get: () => () => Promise.reject(new PsaError('refused', t.noSystem)) },
) as Psa;

/**
 * TICKET-5: looks up a ticket by its reference before creating it, because a server may have
 * stopped between the system's response and our commit. Returns the ticket as the system has it
 * now.
 */
async function tellSystem({ row, make, parts, psa }: Task): Promise<RemoteTicket> {
  if (row.remote === null && make !== null) {
    const there = await psa.find(make.reference);
    if (there !== null) return there;
    const owner: Named | null =
      make.maker === null ? row.owner : await psa.memberOf(make.maker.email, make.maker.username);
    return psa.make({ ...make, owner: owner?.id ?? null });
  }
  if (row.remote === null) throw new PsaError('refused', t.noSystem);
  const to: { -readonly [K in keyof RemoteChange]: RemoteChange[K] } = {};
  if (parts.includes('subject')) to.subject = row.subject;
  if (parts.includes('description')) to.description = row.description;
  if (parts.includes('status')) to.status = row.status.id;
  if (parts.includes('priority')) to.priority = row.priority?.id ?? null;
  if (parts.includes('owner')) to.owner = row.owner?.id ?? null;
  if (parts.includes('reference')) to.reference = `${REFERENCE}${row.id}`;
  await psa.change(row.remote.id, to);
  return psa.get(row.remote.id);
}

/**
 * Stores the system's ticket, unless a user has changed it in the meantime: that change is sent
 * next.
 */
async function finish(
  tx: TenantTx,
  context: AppContext,
  { row: { id }, version, make, ticketing }: Task,
  remote: RemoteTicket,
): Promise<void> {
  await tx.lock();
  const { sql, tenant } = tx;
  const now = context.clock.now();
  const row = (await tx.rows('ticket', [id])).get(id);
  const left = await sql
    .selectFrom('ticket_work')
    .select(['version', 'parts'])
    .where('tenant_id', '=', tenant)
    .where('ticket_id', '=', id)
    .executeTakeFirst();
  const newer = left !== undefined && left.version !== version;
  if (!row || (row.deletedAt !== null && make === null)) {
    await sql
      .deleteFrom('ticket_work')
      .where('tenant_id', '=', tenant)
      .where('ticket_id', '=', id)
      .execute();
    return;
  }
  const problems = await loadProblems(tx, id);
  if (row.deletedAt !== null) {
    // The ticket was deleted here while the system created it, so it is closed there.
    const closed = closeStatus(ticketing);
    await tx.append(
      [
        ...take(row, remote, []).filter(({ event }) => event.type === 'ticket.linked@1'),
        ...(closed ? makeTicketChange(row, 'person', { status: closed }, []) : []),
      ],
      byClock(now),
    );
    await queueTicketChange(tx, id, ['status'], now);
    await release(tx, id);
    return;
  }
  // If a newer change is waiting, the system's values are already outdated.
  await tx.append(take(row, newer ? asOurs(row, remote) : remote, problems), byClock(now));
  if (newer)
    await sql
      .updateTable('ticket_work')
      .set({ next_at: now, held_until: 0, held_by: null, tries: 0 })
      .where('tenant_id', '=', tenant)
      .where('ticket_id', '=', id)
      .execute();
  else
    await sql
      .deleteFrom('ticket_work')
      .where('tenant_id', '=', tenant)
      .where('ticket_id', '=', id)
      .execute();
}

export const asOurs = (
  { subject, status, owner, priority }: Required<TicketChange>,
  remote: RemoteTicket,
): RemoteTicket => ({ ...remote, subject, status, owner, priority });

async function fail(
  { sql, tenant }: TenantTx,
  context: AppContext,
  { row, version, tries }: Task,
  { kind, message, afterMs }: PsaError,
): Promise<void> {
  // A refused change is retried after the ticket or the connection changes; other failures are
  // retried automatically.
  const next =
    kind === 'refused' || kind === 'gone' ? null : context.clock.now() + backOff(tries, afterMs);
  const of = sql
    .updateTable('ticket_work')
    .where('tenant_id', '=', tenant)
    .where('ticket_id', '=', row.id);
  await of
    .set({ next_at: next, held_until: 0, held_by: null, fault: message.slice(0, 300) })
    .where('version', '=', version)
    .execute();
  await of.set({ held_until: 0, held_by: null }).where('version', '<>', version).execute();
}

const release = async ({ sql, tenant }: TenantTx, id: string): Promise<void> =>
  void (await sql
    .updateTable('ticket_work')
    .set({ held_until: 0, held_by: null })
    .where('tenant_id', '=', tenant)
    .where('ticket_id', '=', id)
    .execute());

/** Retries everything in the queue, after the connection or a mapping has changed. */
export async function retryTickets(tx: TenantTx, now: Ms): Promise<void> {
  await tx.sql
    .updateTable('ticket_work')
    .set({ next_at: now, tries: 0 })
    .where('tenant_id', '=', tx.tenant)
    .execute();
  await scheduleRecurring(tx, 'tickets', now);
}
