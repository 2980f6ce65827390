import { expect, test } from 'vitest';
import { REPLICATED_TABLES, TABLES } from '#contract/tables.ts';
import type { ReplicatedAs, ReplicatedTable } from '#contract/tables.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';

type Rows = Record<string, unknown>[];

/** What a broken server might send instead of a row, for each table. */
const BROKEN: Readonly<Record<ReplicatedAs<ReplicatedTable>, (rows: Rows) => void>> = {
  companies: (rows) => Object.assign(must(rows[0]), { name: 7 }),
  jobs: (rows) => Object.assign(must(rows[1]), { source: 'no tool', schedule: 'daily' }),
  causes: (rows) => Reflect.deleteProperty(must(rows[0]), 'template'),
  problems: (rows) => Object.assign(must(rows[0]), { review: { by: 3 } }),
  views: (rows) => rows.push({ id: 'v', name: 'no owner' }),
  shifts: (rows) => rows.push({}),
  preferences: (rows) => rows.push({ id: null }),
  pins: (rows) => rows.push({ id: 'p', pinned: 'yes' }),
  keys: (rows) => rows.push({ id: 'k' }),
  organizations: (rows) => rows.push({ id: 'o', region: 'Atlantis' }),
  backupRepositories: (rows) => rows.push({ id: 'r', target: { type: 'Tape' } }),
  backupProxies: (rows) => rows.push({ id: 'x', maintenance: 'yes' }),
  backupJobs: (rows) => rows.push({ id: 'j', schedulePolicy: null }),
  restoreSessions: (rows) => rows.push({ id: 's', sessionType: 'Vax' }),
};

test('SYNC-17, G11: of a bootstrap with unreadable rows in every table, exactly those are skipped and reported, and the rest is stored', async () => {
  const { clock, server, annDevice } = scene();
  const handle = server.handle.bind(server);
  let sent: Record<string, number> = {};
  server.handle = async (request, cookie) => {
    const answer = await handle(request, cookie);
    if (!request.url.includes('sync/bootstrap')) return answer;
    const body = (await answer.json()) as { data: Record<string, Rows> };
    for (const [field, breaks] of Object.entries(BROKEN)) {
      const rows = must(body.data[field]);
      breaks(rows);
      // a field that only a newer server knows makes no row unreadable
      for (const row of rows) row['ofTomorrow'] = true;
    }
    sent = Object.fromEntries(
      Object.entries(body.data).map(([field, rows]) => [
        field,
        Array.isArray(rows) ? rows.length : 0,
      ]),
    );
    return Response.json(body, { status: answer.status, headers: answer.headers });
  };
  const api = annDevice.open();
  await clock.pass(5_000);
  const { replica } = getLoop(api);
  expect(getLoop(api).status()).toMatchObject({ kind: 'live', left: 0 });
  for (const table of REPLICATED_TABLES)
    expect([table, replica.engine.all(table).length]).toEqual([
      table,
      (sent[TABLES[table].replicatedAs] ?? 0) - 1,
    ]);
  expect(getLoop(api).status().error).toBe(
    REPLICATED_TABLES.map((table) => `${table} (1)`).join(', '),
  );
  // A second tab reads from the disk what the first stored.
  const opened = must(await annDevice.disk.open());
  expect(opened.rows.company).toHaveLength((sent['companies'] ?? 0) - 1);
});
