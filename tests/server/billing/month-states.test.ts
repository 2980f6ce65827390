import { expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { parseCsv } from '../../contract/runs/parse-csv.ts';
import { eachDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aShop, DAY, getRow, HOUR, list, must } from './subscription-fixtures.ts';

const ZONE = 'America/Los_Angeles';

eachDatabase((kind, open) => {
  test(`BILL-17: a month has the subscriptions that existed in it, as they were at its end, on the page and in the file (${kind})`, async () => {
    const shop = await aShop(await open());
    const { owner, ground: fixture, office } = shop;
    const { clock } = fixture.context;
    await must(owner, 'PUT', `service-providers/${office.tenant}/branding`, { timeZone: ZONE });
    /** Signs in at a moment. */
    const until = async (at: number, name: string): Promise<Asker> => {
      fixture.pass(at - clock.now());
      await shop.work();
      return office.as(name, ['super-admin', 'o365_admin']);
    };
    // From March 2 on; April 1 begins at 7:00 UTC, as the clocks have changed.
    const start = { level: 'basic', minimumUsers: 5, trialEndsAt: null };
    await must(owner, 'POST', 'o365/subscriptions/start/1', start);
    const april = Date.UTC(2026, 3, 1, 7);
    const late = await until(april - HOUR, 'march');
    await must(late, 'POST', 'o365/subscriptions/cancel/1', {});
    await must(late, 'POST', 'o365/subscriptions/rollback/1', {});
    await must(late, 'POST', 'o365/subscriptions/change-level/1', { level: 'advanced' });
    // In April for the provider: another level, then the end. The other company begins in May.
    const early = await until(april + HOUR, 'april');
    await must(early, 'POST', 'o365/subscriptions/change-level/1', { level: 'basic' });
    const mid = await until(april + 10 * DAY, 'mid-april');
    await must(mid, 'POST', 'o365/subscriptions/cancel/1', {});
    const june = Date.UTC(2026, 5, 1, 7);
    const spring = await until(Date.UTC(2026, 4, 1, 7) + HOUR, 'may');
    expect((await getRow(spring)).subscription?.status).toBe('ended');
    await must(spring, 'POST', 'o365/subscriptions/start/2', { ...start, minimumUsers: 9 });
    const failing = (await getRow(spring, 2)).subscription;
    const { _id: id = '' } = failing ?? {};
    await fixture.context.store.tenant(office.tenant, (tx) =>
      tx.append(
        [
          {
            company: 2,
            entity: `subscription:${id}`,
            event: {
              type: 'subscription.failed@1',
              data: { id, graceEndsAt: june + 14 * DAY, owedMills: 7_500 },
            },
          },
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at: clock.now() },
      ),
    );
    const summer = await until(june + 2 * DAY, 'june');
    await must(summer, 'POST', 'o365/subscriptions/forgive-company', { companyId: 2 });

    const months: readonly (readonly [string, readonly string[]])[] = [
      ['2020-01', []],
      ['2026-02', []],
      ['2026-03', ['Calloway Freight,active,advanced']],
      ['2026-04', ['Calloway Freight,cancelled,basic']],
      // The clock ended it in the first hour of May.
      ['2026-05', ['Calloway Freight,ended,basic', 'Drummond & Pike,payment_failed,basic']],
      ['2026-06', ['Drummond & Pike,active,basic']],
      ['2026-07', []],
      ['2030-01', []],
    ];
    for (const [month, expected] of months) {
      const [year, n] = month.split('-').map(Number);
      const page = await list(summer, `?month=${n}&year=${year}`);
      expect([
        month,
        page.rows.map(({ companyName, subscription }) =>
          [companyName, subscription?.status, subscription?.level].join(),
        ),
      ]).toEqual([month, expected]);
      const file = await summer('POST', 'o365/subscriptions/export', { month: n, year });
      const [heads = [], ...lines] = parseCsv(file.text);
      const cells = ['Company', 'Status', 'Service level'].map((head) => heads.indexOf(head));
      expect([month, lines.map((line) => cells.map((at) => line[at]).join())]).toEqual([
        month,
        expected,
      ]);
      const all = await must<OutputOf<'listAllSubscriptions'>>(
        summer,
        'GET',
        `admin/subscriptions?month=${n}&year=${year}`,
      );
      expect(all.rows.map(({ subscription }) => subscription)).toEqual(
        page.rows.map(({ subscription }) => subscription),
      );
      // What was owed at the end of May was written off in June.
      expect([
        month,
        all.rows.reduce((sum, row) => sum + (row.subscription?.owedMills ?? 0), 0),
      ]).toEqual([month, month === '2026-05' ? 7_500 : 0]);
      // Only the current month can be changed.
      expect(page.rows.every(({ isPast }) => isPast === month < '2026-06')).toBe(true);
    }
  });
});
