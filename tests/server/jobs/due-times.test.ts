import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { scheduleConnections } from '#server/features/connections/connection-job.ts';
import { missedRuns } from '#server/features/ingest/missed-runs-job.ts';
import { queueDelivery } from '#server/features/notifications/fan-out.ts';
import { queueReport } from '#server/features/reports/sent.ts';
import { keepAlarm } from '#server/features/sla/alarm-state.ts';
import { queueTicketChange } from '#server/features/tickets/ticket-queue.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { tidyOutgoing } from '#server/platform/mail/sender.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { dayTotals } from '#server/platform/queries/sum-days.ts';
import { eachDatabase } from '../db/databases.ts';
import { type Fixture, makeFixture, provider } from '../http/fixtures.ts';
import { anExecution, aPlace, iso } from '../ingest/fixtures.ts';
import { getTicks } from './ticks.ts';

const MINUTE = 60_000;

const loadDue = async ({ context: { store } }: Fixture, tenant: string) =>
  Object.fromEntries(
    (
      await store.system((db) =>
        sql<{ type: string; key: string; due_at: number | null }>`
          select type, key, due_at from background_job where tenant_id = ${tenant} and due_at is not null`.execute(
          db,
        ),
      )
    ).rows.map(({ type, key, due_at: at }) => [key === '' ? type : `${type} ${key}`, at]),
  );

/** Nothing is due, as after a first turn of every job. */
async function idle(fixture: Fixture): Promise<string> {
  const { tenant } = await provider(fixture);
  await fixture.context.store.system((db) =>
    sql`update background_job set due_at = null where tenant_id = ${tenant}`.execute(db),
  );
  return tenant;
}

const FIELDS = {
  name: 'Nightly',
  enabled: true,
  recipients: [],
  companies: null,
} as const;

eachDatabase((name, open) => {
  test(`JOB-8: what is stored makes the job that works on it due, in the same transaction (${name})`, async () => {
    const fixture = await makeFixture({}, await open());
    const { context } = fixture;
    const now = context.clock.now();
    const id = context.chance.uuid();
    const cases: readonly (readonly [
      string,
      (tx: TenantTx) => Promise<unknown>,
      (done: unknown) => string,
    ])[] = [
      [
        'an SLA alarm',
        (tx) =>
          keepAlarm(tx, {
            ...FIELDS,
            id,
            n: null,
            madeBy: id,
            changedAt: now,
          } as unknown as Parameters<typeof keepAlarm>[1]),
        () => 'sla-alarms',
      ],
      [
        'a report',
        (tx) =>
          queueReport(tx, context, {
            setting: id,
            owner: id,
            by: null,
            fields: FIELDS as never,
            dueAt: now,
          }),
        () => 'reports',
      ],
      [
        'a webhook delivery',
        (tx) =>
          queueDelivery(tx, context, {
            webhook: id,
            category: 'failed',
            facts: 1,
            body: '{}',
            now,
          }),
        () => 'webhooks',
      ],
      ['a ticket', (tx) => queueTicketChange(tx, id, ['status'], now), () => 'tickets'],
      [
        'a message',
        (tx) => post(tx, context, { kind: 'sms', to: '+15550100200', text: 'Hello' }),
        (message) => `mail ${String(message)}`,
      ],
    ];
    for (const [what, write, job] of cases) {
      const tenant = await idle(fixture);
      const done = await context.store.tenant(tenant, write);
      expect([what, await loadDue(fixture, tenant)]).toEqual([what, { [job(done)]: now }]);
    }
  });

  test(`JOB-6: messages and connections without a job get one, as after an update or a restored backup (${name})`, async () => {
    const fixture = await makeFixture({}, await open());
    const { context } = fixture;
    const now = context.clock.now();
    const tenant = await idle(fixture);
    const [waiting, sent, read, off] = Array.from({ length: 4 }, () => context.chance.uuid());
    await context.store.tenant(tenant, async ({ sql: db }) => {
      for (const [id, next] of [
        [waiting, now],
        [sent, null],
      ])
        await sql`insert into outgoing (tenant_id, id, kind, sealed, made_at, next_at) values (${tenant}, ${id}, 'mail', '', ${now}, ${next})`.execute(
          db,
        );
      for (const [id, enabled] of [
        [read, true],
        [off, false],
      ])
        await sql`insert into connection (tenant_id, id, kind, name, address, every_sec, enabled, sign_in, sealed, made_at, changed_at)
          values (${tenant}, ${id}, 'vbr', 'Backup', 'https://vbr.example.com', 300, ${enabled}, 'password', '', ${now}, ${now})`.execute(
          db,
        );
    });
    for (let n = 0; n < 2; n += 1)
      await context.store.tenant(tenant, async (tx) => {
        await tidyOutgoing(tx, now);
        await scheduleConnections(tx, now);
      });
    expect(await loadDue(fixture, tenant)).toEqual({
      [`mail ${waiting}`]: now,
      [`connection ${read}`]: now,
    });
  });

  test(`RUN-3, JOB-1: the job that finds missed runs is due when the next run would be missed (${name})`, async () => {
    const store = await open();
    const place = await aPlace(store);
    const { ground: fixture, tenant } = place;
    const ticks = getTicks(
      { ...fixture.context, store: { ...store, tenants: () => Promise.resolve([tenant]) } },
      { 'missed-runs': missedRuns(fixture.context) },
      false,
    );
    const at = async (time: string): Promise<string> => {
      fixture.at(Date.parse(time));
      await ticks.tick();
      return iso((await loadDue(fixture, tenant))['missed-runs'] ?? 0);
    };
    fixture.at(Date.parse('2026-03-02T02:30:00Z'));
    await place.post(
      'executions',
      anExecution({
        startTime: '2026-03-02T02:00:00Z',
        endTime: '2026-03-02T02:00:00Z',
        schedule: { type: 'cron', cron: '0 2 * * *', tz: 'UTC' },
      }),
    );
    // A run counts as missed an hour after its time. Whatever happens, jobs are looked at after a
    // quarter of an hour.
    expect(await at('2026-03-02T02:30:00Z')).toBe(iso(Date.parse('2026-03-02T02:45:00Z')));
    expect(await at('2026-03-03T02:50:00Z')).toBe(iso(Date.parse('2026-03-03T03:00:00Z')));
    await at('2026-03-03T03:00:00Z');
    expect((await place.all('run')).map(({ status }) => status)).toEqual(['Success', 'Missed']);
    await ticks.stop();
  });

  test(`TREND-1, JOB-1: the job that calculates a day's totals is due when the next day begins by the provider's clock (${name})`, async () => {
    const fixture = await makeFixture({}, await open());
    const tenant = await idle(fixture);
    await fixture.context.store.tenant(tenant, async ({ sql: db }) => {
      await sql`update provider set branding = (branding::jsonb || '{"timeZone":"America/New_York","dayBeginsHour":6}')::json where tenant_id = ${tenant}`.execute(
        db,
      );
    });
    const due = (time: string): Promise<number | null> =>
      dayTotals(fixture.context)({
        tenant,
        payload: null,
        now: Date.parse(time),
        signal: new AbortController().signal,
      });
    // Six o'clock in New York is 11:00 UTC in winter, and 10:00 from the 8th of March on.
    expect(await due('2026-03-02T10:50:00Z')).toBe(Date.parse('2026-03-02T11:00:00Z'));
    expect(await due('2026-03-09T09:50:00Z')).toBe(Date.parse('2026-03-09T10:00:00Z'));
    expect(await due('2026-03-09T10:00:00Z')).toBe(
      Date.parse('2026-03-09T10:00:00Z') + 15 * MINUTE,
    );
  });
});
