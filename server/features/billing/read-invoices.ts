import type { Ms, TenantId } from '#contract/ids.ts';
import { isAhead } from '../../platform/clock-bounds.ts';
import type { LeaseHandler } from '../../platform/jobs/job-types.ts';
import { scheduleRecurring } from '../../platform/jobs/schedule.ts';
import { backOff, LONGEST_RETRY_MS } from '../../platform/outbound/retry.ts';
import type { ReadCursor } from '../../platform/db/database-billing.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { standAnew } from './customers.ts';
import {
  forgetInvoices,
  keepCustomers,
  keepInvoices,
  unseenCustomers,
  unseenInvoices,
} from './store-invoices.ts';
import { type Books, connectQuickBooks, IDS, PAGE_ROWS } from './quickbooks.ts';
import { catchBooksError, type QuickBooksError } from './quickbooks-endpoint.ts';
import { getInvoice } from './quickbooks-shapes.ts';
import { type QuickBooksRow, quickBooksRow } from './quickbooks-tokens.ts';
import { releaseDeleted } from './subscriptions/overdue-invoices.ts';
import { billingMessages as t } from './messages.en.ts';

/**
 * The pause between two turns of a round, how often a provider is due, and how often it is read
 * completely.
 */
const PAUSE: Ms = 3_000;
const EVERY: Ms = 15 * 60_000;
const WHOLE: Ms = 86_400_000;
/**
 * Changes are requested from this long before the previous round, because clocks differ and rows
 * can change while a page is read.
 */
const OVERLAP: Ms = 10 * 60_000;
/** Pages of one turn. */
const PAGES = 5;
export const AT_REST: ReadCursor = { at: 'rest', start: 1, since: null, began: 0 };

/**
 * BILL-1: reads the invoices of every provider that has connected QuickBooks, page by page. Each
 * page is stored together with its cursor.
 */
export function invoices(context: AppContext): LeaseHandler<'invoices'> {
  return async ({ tenant, now, lease: by }) => {
    const row = await context.store.tenant(tenant, (tx) => take(tx, by, now));
    const { realm_id: realm = null } = row ?? {};
    if (row !== null && realm !== null) {
      const mine: Mine = {
        context,
        tenant,
        row,
        by,
        books: connectQuickBooks(context, tenant, row, realm),
      };
      const done = await catchBooksError(() => turn(mine, now));
      if (!done.ok) await storeError(mine, done.error);
      await leave(mine);
    }
    return context.store.tenant(tenant, (tx) => nextTurn(tx, now), { readOnly: true });
  };
}

/** Returns when the next turn is due; null if QuickBooks isn't connected. */
async function nextTurn(tx: TenantTx, now: Ms): Promise<Ms | null> {
  const row = await quickBooksRow(tx);
  if (!row || row.realm_id === null || row.ended || row.poll_at === null) return null;
  if (!(await areInvoicesOn(tx))) return now + EVERY;
  return Math.max(row.poll_at, now + PAUSE);
}

/** Returns whether the portal shows invoices. */
export async function areInvoicesOn({ sql, tenant }: TenantTx): Promise<boolean> {
  const {
    branding: { features },
  } = await sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return features.invoice_automation;
}

interface Mine {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly row: QuickBooksRow;
  readonly by: string;
  readonly books: Books;
}

/** Returns null if the provider is not due, or invoices are switched off. */
async function take(tx: TenantTx, by: string, now: Ms): Promise<QuickBooksRow | null> {
  const row = await quickBooksRow(tx);
  if (
    !row ||
    row.realm_id === null ||
    row.ended ||
    row.poll_at === null ||
    isAhead(row.poll_at, now, LONGEST_RETRY_MS)
  )
    return null;
  if (!(await areInvoicesOn(tx))) return null;
  return (
    (await tx.sql
      .updateTable('quickbooks')
      .set({ held_by: by })
      .where('tenant_id', '=', tx.tenant)
      .returningAll()
      .executeTakeFirst()) ?? null
  );
}

/** Reads some pages of a round. The rest is due immediately. */
async function turn(mine: Mine, now: Ms): Promise<void> {
  let { cursor } = mine.row;
  if (cursor.at === 'rest') {
    const { read_at: read, whole_at: whole } = mine.row;
    cursor = {
      at: 'customers',
      start: 1,
      since:
        read === null || whole === null || now - whole >= WHOLE ? null : cursor.began - OVERLAP,
      began: now,
    };
  }
  for (let page = 0; page < PAGES && cursor.at !== 'rest'; page += 1) {
    const next: ReadCursor | null = await step(mine, cursor);
    if (next === null) return;
    cursor = next;
  }
}

/** Reads one page. Returns null if this run no longer has the provider. */
async function step(mine: Mine, cursor: ReadCursor): Promise<ReadCursor | null> {
  const { books } = mine;
  const { at, start, since, began } = cursor;
  if (at === 'customers') {
    const rows = await books.customers({ start, since });
    return keep(mine, next(cursor, rows.length), async (tx) => {
      await keepCustomers(tx, rows, began);
      if (rows.length < PAGE_ROWS && since === null) await unseenCustomers(tx, began);
      await standAnew(tx);
    });
  }
  if (at === 'invoices') {
    const rows = (await books.invoices({ start, since })).map(getInvoice);
    const currency = rows.some((one) => one.currency === null) ? await books.currency() : '';
    return keep(mine, next(cursor, rows.length), (tx) => keepInvoices(tx, rows, currency, began));
  }
  const ids = await mine.context.store.tenant(mine.tenant, (tx) => unseenInvoices(tx, began, IDS), {
    readOnly: true,
  });
  const there = ids.length === 0 ? [] : (await books.invoicesOf(ids)).map(getInvoice);
  const currency = there.some((one) => one.currency === null) ? await books.currency() : '';
  const deletes = async (tx: TenantTx): Promise<void> => {
    await keepInvoices(tx, there, currency, began);
    const found = new Set(there.map(({ id }) => id));
    const deleted = ids.filter((id) => !found.has(id));
    await releaseDeleted(tx, deleted, mine.context.clock.now());
    await forgetInvoices(tx, deleted);
  };
  return keep(mine, ids.length < IDS ? { ...cursor, at: 'rest', start: 1 } : cursor, deletes, true);
}

/**
 * Returns the next cursor. After the last page follow customers, invoices, and after a complete
 * read the rows that it did not return.
 */
function next(cursor: ReadCursor, rows: number): ReadCursor {
  if (rows >= PAGE_ROWS) return { ...cursor, start: cursor.start + rows };
  return {
    ...cursor,
    start: 1,
    at: cursor.at === 'customers' ? 'invoices' : cursor.since === null ? 'missing' : 'rest',
  };
}

/**
 * Stores a page and its cursor in one transaction. Stores nothing if QuickBooks was reconnected in
 * the meantime, or another run of the job has taken over. `appends`: the work appends events.
 */
function keep(
  { context, tenant, by, row }: Mine,
  cursor: ReadCursor,
  work: (tx: TenantTx) => Promise<void>,
  appends = false,
): Promise<ReadCursor | null> {
  return context.store.tenant(tenant, async (tx) => {
    // Whoever changes the connection locks in this order, too.
    if (appends) await tx.lock();
    const now = context.clock.now();
    const done = cursor.at === 'rest';
    const mine = await tx.sql
      .updateTable('quickbooks')
      .set({
        cursor: JSON.stringify(cursor),
        tries: 0,
        fault: null,
        ...(done && {
          read_at: now,
          poll_at: now + EVERY,
          ...(cursor.since === null && { whole_at: cursor.began }),
        }),
      })
      .where('tenant_id', '=', tenant)
      .where('held_by', '=', by)
      .where('connected_at', '=', row.connected_at)
      .returning('tenant_id')
      .executeTakeFirst();
    if (!mine) return null;
    await work(tx);
    // What was paid, voided or became overdue changes subscriptions at once.
    if (done) await scheduleRecurring(tx, 'subscriptions', now);
    return cursor;
  });
}

async function storeError(
  { context, tenant, by }: Mine,
  { kind, message, afterMs }: QuickBooksError,
): Promise<void> {
  await context.store.tenant(tenant, async (tx) => {
    const row = await quickBooksRow(tx);
    if (row?.held_by !== by) return;
    const tries = row.tries + 1;
    await tx.sql
      .updateTable('quickbooks')
      .set({
        tries,
        fault: kind === 'ended' ? t.accessEnded : message,
        ended: row.ended || kind === 'ended',
        poll_at: context.clock.now() + backOff(tries, afterMs),
      })
      .where('tenant_id', '=', tenant)
      .execute();
  });
}

const leave = ({ context, tenant, by }: Mine): Promise<unknown> =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('quickbooks')
      .set({ held_by: null })
      .where('tenant_id', '=', tenant)
      .where('held_by', '=', by)
      .execute(),
  );
