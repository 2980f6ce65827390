import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { reportColumns } from '#contract/reports/result-csv.ts';
import { COLUMN_IDS } from '#src/features/shared/runs/columns.ts';
import { getExportColumns } from '#src/features/shared/export/columns.ts';
import { anyDatabase } from '../../db/databases.ts';
import { anDemo, BERLIN, DAY, iso, NOW } from './fixtures.ts';
import type { Demo } from './fixtures.ts';

anyDatabase((name, open) => {
  let demoData: Demo;
  beforeAll(async () => {
    demoData = await anDemo(await open(), 11, BERLIN, { jobs: 12, runs: 600, days: 20 });
  });

  test(`REP-9: a file has the columns of the portal's own, and no cell begins a formula (${name})`, async () => {
    expect(reportColumns()).toEqual(getExportColumns(COLUMN_IDS));
    const who = await demoData.as('writer', ['read-only']);
    const file = await who.post('export', {
      source: 'JOBS',
      from: iso(NOW - 20 * DAY),
      to: iso(NOW + DAY),
      columns: ['job', 'message', 'comment'],
    });
    expect([file.status, file.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ]);
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="DailyChecks_2026-04-02_093000\.csv"$/,
    );
    expect(file.text).toContain("'=SUM(A1)");
    expect(file.text).not.toMatch(/(?:^|[\r\n,"])[=+@]/);
    for (const wrong of [
      {},
      { source: 'USERS' },
      { source: 'JOBS', columns: [] },
      { source: 'JOBS', columns: ['password'] },
    ])
      expect((await who.post('export', wrong)).status).toBe(400);
  });

  test(`REP-13: a file has level, scheduled time, errors and warnings where they are chosen, and empty cells where the tool did not report them (${name})`, async () => {
    const own = await anDemo(demoData.store, 9, BERLIN, { jobs: 2, runs: 2, days: 1 });
    const who = await own.as('asker', ['operator']);
    const reported = {
      level: 'Differential',
      scheduledFor: Date.parse('2026-04-01T22:15:00Z'),
      errorCount: 0,
      warningCount: 31,
    };
    await own.store.tenant(own.tenant, async (tx) => {
      await sql`update run set row = (row::jsonb || ${JSON.stringify(reported)}::jsonb) where tenant_id = ${own.tenant} and n = 1`.execute(
        tx.sql,
      );
    });
    const request = { source: 'JOBS', from: iso(NOW - 20 * DAY), to: iso(NOW + 2 * DAY) };
    const file = await who.post('export', {
      ...request,
      columns: ['run', 'level', 'scheduledFor', 'errorCount', 'warningCount'],
    });
    const [titles, ...lines] = file.text
      .replace(/^\uFEFF/, '')
      .trimEnd()
      .split('\r\n');
    expect(titles).toBe('Result,Level,Scheduled for,Scheduled for (UTC),Errors,Warnings');
    expect(lines.toSorted()).toEqual([
      '1,Differential,04/02/26 12:15 AM,2026-04-01T22:15:00Z,0,31',
      '2,,,,,',
    ]);
    expect((await who.post('export', request)).text.split('\r\n')[0]).not.toMatch(
      /Level|Scheduled for|Errors|Warnings/,
    );
  });
});
