import { assert, asyncProperty } from 'fast-check';
import { expect, test } from 'vitest';
import type { NewEvent, Logged } from '#contract/events.ts';
import { memoryRows } from '#contract/fold.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { project } from '#server/platform/events/projection.ts';
import { upcast } from '#server/platform/events/upcast.ts';
import {
  aTenant,
  byClock,
  companyDraft,
  jobDraft,
  problemDraft,
  runDraft,
  runStart,
} from '../db/drafts.ts';
import { someBatches } from '../db/random.ts';

const RUNS = 8 * Number(process.env['PROOF'] ?? 1);

async function grown(store: Store, batches: readonly NewEvent[][]): Promise<string> {
  const tenant = await aTenant(store);
  for (const batch of batches) await store.tenant(tenant, (tx) => tx.append(batch, byClock));
  return tenant;
}

const ofTenant = async (store: Store, tenant: string, write = false) =>
  (await rebuild(store, { write, only: [tenant] }))[0];

eachDatabase((name, open) => {
  test(`LOG-5, G6: rows folded batch by batch are what a rebuild from event 0 makes (${name})`, async () => {
    const store = await open();
    await assert(
      asyncProperty(someBatches, async (batches) => {
        const tenant = await grown(store, batches);
        const one = await store.tenant(tenant, async (tx) => (await tx.head()).seq);
        const all = await ofTenant(store, tenant);
        expect(all).toMatchObject({ events: one, differences: [] });
      }),
      { numRuns: RUNS },
    );
  });

  test(`LOG-5: a row, a look-up column, a day or a sample that was tampered with is found, and put right when asked (${name})`, async () => {
    const store = await open();
    const tenant = await grown(store, [
      [jobDraft(1), jobDraft(2), runDraft({ n: 1 }), runDraft({ n: 2 })],
    ]);
    const epoch = await store.tenant(tenant, async (tx) => (await tx.head()).epoch);
    await store.tenant(tenant, async ({ sql }) => {
      await sql
        .updateTable('job')
        .set({ row: '{"n":1}' })
        .where('tenant_id', '=', tenant)
        .where('n', '=', 1)
        .execute();
      await sql
        .updateTable('run')
        .set({ started_at: 5 })
        .where('tenant_id', '=', tenant)
        .where('n', '=', 1)
        .execute();
      await sql.deleteFrom('stat').where('tenant_id', '=', tenant).where('n', '=', 2).execute();
      await sql.updateTable('run_day').set({ rows: 7 }).where('tenant_id', '=', tenant).execute();
    });
    expect(
      (await ofTenant(store, tenant))?.differences.map((one) => `${one.table} ${one.id}`),
    ).toEqual(['job 1', 'stat 2', 'run 1', 'run_day 2026-09-21']);
    expect((await ofTenant(store, tenant, true))?.differences).toHaveLength(4);
    expect((await ofTenant(store, tenant))?.differences).toEqual([]);
    expect(
      await store.tenant(tenant, async (tx) => (await tx.head()).epoch),
      'devices load anew',
    ).not.toBe(epoch);
  });
});

test('RUN-8, LOG-5: results written before they said what they correct fold as they did then', () => {
  const before = [
    companyDraft(1),
    jobDraft(1),
    problemDraft(1, 1, 1),
    runDraft({ n: 1, problem: 1 }),
    runStart({ n: 2 }),
    runDraft({ n: 2, problem: 1, startedAt: byClock.at + 1 }),
    runDraft({ n: 1, problem: 1, message: 'corrected' }),
    runDraft({ n: 2, problem: 1, message: 'corrected' }),
    runDraft({ n: 3 }),
    runDraft({ n: 3, problem: 1 }),
    runDraft({ n: 3, problem: 1 }),
  ].map((draft, index): Logged => ({ ...draft, ...byClock, seq: index + 1 }));
  const held = memoryRows();
  project(held, before.slice(0, 5), upcast);
  project(held, before.slice(5), upcast);
  expect(held.problem.get(1)).toMatchObject({ runs: 3, lastRun: 2 });
  expect(held.stat.get(1)?.starts).toHaveLength(3);
  expect(held.run.get(3)).toEqual(before.at(-1)?.event.data);
});
