import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Logged, NewEvent } from '#contract/events.ts';
import { emptyTables } from '#contract/fold.ts';
import { renameEvent, toFormerEvent } from '#contract/former-events.ts';
import { TABLE_NAMES } from '#contract/tables.ts';
import { migration0049 } from '#server/platform/db/migrations/0049_field_names.ts';
import { migration0072 } from '#server/platform/db/migrations/0072_hint_summaries.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { applyEvents } from '#workers/sync/apply.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant, byClock } from '../db/drafts.ts';
import { DATA_TODAY, FORMER_LOG, TODAY } from './former-log.ts';

/** The same log under the names of today. */
const CURRENT_LOG = FORMER_LOG.map(({ type, data, ...envelope }): NewEvent => {
  const { tied: linkedTicket, says: _summary, ...others } = data;
  return {
    ...envelope,
    event: {
      type: TODAY[type] ?? type,
      data: {
        ...others,
        ...(linkedTicket !== undefined && { linkedTicket }),
        ...DATA_TODAY[type],
      },
    } as NewEvent['event'],
  };
});

eachDatabase((name, open) => {
  test(`LOG-10: a stored log under former names folds to the same rows, and reads under today's names (${name})`, async () => {
    const store = await open();
    const current = await aTenant(store);
    await store.tenant(current, (tx) => tx.append(CURRENT_LOG, byClock));
    const former = await aTenant(store);
    await store.tenant(former, storeFormerLog);
    expect(await rebuild(store, { only: [current] })).toMatchObject([{ differences: [] }]);
    await rebuild(store, { write: true, only: [former] });
    expect(await rebuild(store, { only: [former] })).toMatchObject([
      { events: FORMER_LOG.length, quarantined: 0, differences: [] },
    ]);
    expect(await listRows(store, former)).toEqual(await listRows(store, current));
    const events = await store.tenant(former, (tx) => tx.eventsAfter(0, 1_000));
    expect(events.map(({ event }) => event)).toEqual(CURRENT_LOG.map(({ event }) => event));
    expect(events.map(({ actor }) => actor)).toEqual(events.map(() => ({ kind: 'clock' })));
  });

  test(`LOG-10: rows that an older version stored get the names of today (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const log = CURRENT_LOG.filter(({ event }) => event.type !== 'rule.deleted@1');
    await store.tenant(tenant, (tx) => tx.append(log, byClock));
    const rows = await listRows(store, tenant);
    const task = { kind: 'undo', task: '90000000-0000-4000-8000-000000000004' };
    await asOwner(store, tenant, [
      `update job set row = jsonb_set(row::jsonb, '{schedule}', '{"is": "cron", "cron": "0 2 * * *", "tz": "Europe/Berlin"}')::json`,
      `update problem set row = ((row::jsonb - 'linkedTicket') || '{"tied": {"id": "70000000-0000-4000-8000-000000000001", "open": true, "url": "https://psa.example.com/1"}}')::json`,
      `update stat set row = ((row::jsonb - 'calibrated') || '{"taught": {"duration": [90, 90]}}')::json`,
      `update hint set row = ((row::jsonb - 'summary') || '{"says": "The disk is full."}')::json`,
      `update result_rule set row = jsonb_set(row::jsonb, '{when,duration}', '{"least": 5, "most": null}')::json`,
      `insert into engine_task (tenant_id, id, organization_id, kind, state, request, created_at) values ('${tenant}', '90000000-0000-4000-8000-000000000005', '90000000-0000-4000-8000-000000000002', 'undo', 'finished', '{"is": "undo", "task": "90000000-0000-4000-8000-000000000004"}', 0)`,
    ]);
    expect(await listRows(store, tenant)).not.toEqual(rows);
    await asOwner(store, tenant, [...migration0049.statements, ...migration0072.statements]);
    expect(await listRows(store, tenant)).toEqual(rows);
    const { rows: tasks } = await store.tenant(tenant, ({ sql: db }) =>
      sql<{ request: unknown }>`select request from engine_task`.execute(db),
    );
    expect(tasks).toEqual([{ request: task }]);
  });
});

test('LOG-10, SYNC-9: a device folds events under former names to the same rows', () => {
  const current = CURRENT_LOG.map(toLogged);
  const former = FORMER_LOG.map(({ type, data, ...envelope }, index) => ({
    ...toLogged({ ...envelope, event: { type, data } as never }, index),
    actor: { is: 'clock' },
  }));
  const expected = applyEvents(EMPTY_DEVICE, current, current.length);
  expect(expected.poison).toEqual([]);
  expect(expected.patch.rows.problem).toMatchObject([{ ticket: 'T-1', snooze: null }]);
  expect(expected.patch.rows.job).toMatchObject([{ name: 'Nightly to the cloud' }]);
  expect(applyEvents(EMPTY_DEVICE, former, former.length)).toEqual(expected);
});

test('LOG-10, SYNC-9: every renamed event goes to today and back to the version before', () => {
  expect(new Set(FORMER_LOG.map(({ type }) => type))).toEqual(
    new Set([...Object.keys(TODAY), ...SAME]),
  );
  for (const [index, { type, data }] of FORMER_LOG.entries()) {
    const event = CURRENT_LOG[index]?.event;
    expect(renameEvent({ type, data })).toEqual(event);
    expect(event && toFormerEvent(event)).toEqual({ type, data });
  }
});

test('LOG-10: what a broken server sends instead of an event is skipped like any other', () => {
  const broken = [
    { event: { type: 'problem.tied@1', data: null } },
    { event: { type: 'problem.tied@1' } },
    { event: null },
    null,
  ];
  expect(applyEvents(EMPTY_DEVICE, broken, 4).poison).toHaveLength(4);
});

/** Types of the fixture that still have their name. */
const SAME = [
  'job.found@1',
  'job.ignored@1',
  'cause.found@1',
  'problem.opened@1',
  'problem.snoozed@1',
  'run.finished@1',
  'hint.saved@1',
  'computer.seen@1',
  'computer.ignored@1',
  'view.saved@1',
  'backupjob.created@1',
];

const EMPTY_DEVICE = { row: () => undefined, run: () => undefined, isComing: () => false };

function toLogged(event: NewEvent, index: number): Logged {
  return { ...event, ...byClock, seq: index + 1 };
}

/** Writes the log as a server of the version before did. */
async function storeFormerLog({ tenant, sql: db }: TenantTx): Promise<void> {
  for (const [index, { entity, company, type, data }] of FORMER_LOG.entries())
    await sql`insert into event (tenant_id, seq, type, at, actor, subject, company, entity, command_id, data)
      values (${tenant}::uuid, ${index + 1}, ${type}, ${byClock.at}, '{"is":"clock"}', null, ${company}, ${entity}, null, ${JSON.stringify(data)}::json)`.execute(
      db,
    );
  await sql`update head set seq = ${FORMER_LOG.length} where tenant_id = ${tenant}::uuid`.execute(
    db,
  );
}

/** Runs statements as the tables' owner, as the migrator does. */
async function asOwner(store: Store, tenant: string, statements: readonly string[]): Promise<void> {
  await store.system(async (db) => {
    await sql`reset role`.execute(db);
    await sql`select set_config('app.tenant_id', ${tenant}, true)`.execute(db);
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
}

async function listRows(store: Store, tenant: string): Promise<Record<string, unknown>> {
  return await store.tenant(tenant, async (tx) => {
    const rows: Record<string, unknown> = { ...emptyTables(TABLE_NAMES) };
    for (const table of TABLE_NAMES) rows[table] = await tx.all(table);
    return rows;
  });
}
