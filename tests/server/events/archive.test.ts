import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { array, assert, asyncProperty, constantFrom, integer, nat, tuple } from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import type { Store } from '#server/platform/db/store.ts';
import { embedded, eachDatabase } from '../db/databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft } from '../db/drafts.ts';
import { someBatches } from '../db/random.ts';
import { appendAll, archive, damage, readCuts, readState, setSeen } from './archived.ts';

const RUNS = 8 * Number(process.env['PROOF'] ?? 1);
const DAY = 86_400_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-archive-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A history: its batches, days between them (a clock may go back), and where it is archived meanwhile. */
const histories = tuple(
  someBatches,
  array(constantFrom(1, 1, 2, 30, -1, 0), { minLength: 8, maxLength: 8 }),
  array(
    tuple(nat(7), integer({ min: -2, max: 40 }), integer({ min: 1, max: 30 }), nat(60), nat(6)),
    { minLength: 1, maxLength: 4 },
  ),
);

eachDatabase((name, open) => {
  test(`ARCH-1, LOG-5, LOG-11: a log that is archived again and again has the rows, the events and the hashes of one that never was (${name})`, async () => {
    const store = await open();
    await assert(
      asyncProperty(histories, async ([batches, steps, archivings]) => {
        const [whole, cut] = [await aTenant(store), await aTenant(store)];
        let at = byClock.at;
        const times = batches.map((_, index) => (at += (steps[index % steps.length] ?? 0) * DAY));
        const ends: { readonly end: number; readonly at: number }[] = [];
        let expected = 0;
        for (const [index, batch] of batches.entries()) {
          const batchAt = times[index] ?? 0;
          for (const tenant of [whole, cut]) await appendAll(store, tenant, [batch], () => batchAt);
          const head = (ends.at(-1)?.end ?? 0) + batch.length;
          ends.push({ end: head, at: batchAt });
          for (const [place, days, maxEvents, seen, minEvents] of archivings) {
            if (place % batches.length !== index) continue;
            const before = byClock.at + days * DAY;
            await setSeen(store, cut, Math.min(seen, head), head);
            await archive(store, cut, { folder, before, maxEvents, minEvents });
            await setSeen(store, cut, head);
            // A slow oracle: the longest beginning of whole batches that may go.
            const next = ends.find(({ end }) => end > expected)?.end ?? 0;
            const reach = Math.min(seen, head, Math.max(expected + maxEvents, next));
            const young = ends.findIndex((one) => one.end > expected && one.at >= before);
            const old = young < 0 ? ends : ends.slice(0, young);
            const last = Math.max(0, ...old.flatMap(({ end }) => (end <= reach ? [end] : [])));
            if (last - expected >= Math.max(1, minEvents)) expected = last;
          }
        }
        const cuts = await readCuts(store, cut);
        expect(cuts.cut).toBe(expected);
        expect(Math.min(...cuts.events, Infinity)).toBe(
          expected === ends.at(-1)?.end ? Infinity : expected + 1,
        );
        const [one, other] = [
          await readState(store, whole, expected),
          await readState(store, cut, expected),
        ];
        expect(other).toEqual(one);
        const [rebuilt] = await rebuild(store, { only: [cut], archive: folder });
        expect(rebuilt).toMatchObject({ events: ends.at(-1)?.end, differences: [] });
        const [verified] = await verify(store, { only: [cut], archive: folder });
        expect(verified && isSound(verified)).toBe(true);
        expect(verified?.sealed).toBe(ends.at(-1)?.end);
      }),
      { numRuns: RUNS },
    );
  });

  test(`ARCH-1: a file has what an independent reader of its format expects, and only its owner can read it (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const text = 'ü "quoted" \\ 💾 \u2028 \r\n end';
    await appendAll(store, tenant, [
      [companyDraft(1), jobDraft(1), problemDraft(1, 1, 1)],
      [runDraft({ n: 1, problem: 1, message: text })],
      [runDraft({ n: 2 })],
    ]);
    const before = await store.tenant(tenant, (tx) => tx.eventsAfter(0, 100));
    await setSeen(store, tenant, 4);
    expect(await archive(store, tenant, { folder })).toBe(4);
    const [file = '', ...more] = await readdir(join(folder, tenant));
    expect(more).toEqual([]);
    expect((await stat(join(folder, tenant, file))).mode & 0o777).toBe(0o600);
    const lines = gunzipSync(await readFile(join(folder, tenant, file)))
      .toString('utf8')
      .split('\n');
    expect(lines).toHaveLength(1 + 2 * 4 + 2 + 1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      format: 1,
      tenant,
      first: 1,
      last: 4,
      before: '',
    });
    expect(JSON.parse(lines[7] ?? '')).toMatchObject({ seq: 3 });
    expect(JSON.parse(lines[8] ?? '')).toEqual([
      4,
      'run.finished@1',
      byClock.at,
      '{"kind":"clock"}',
      null,
      1,
      'run:1',
      null,
    ]);
    expect(JSON.parse(lines[9] ?? '')).toEqual(before[3]?.event.data);
    expect(JSON.parse(lines[9] ?? '')).toMatchObject({ message: text });
    expect(file).toBe(
      `1-4-${(JSON.parse(lines[10] ?? '') as { hash: string }).hash.slice(0, 16)}.jsonl.gz`,
    );
    expect(await readCuts(store, tenant)).toEqual({
      cut: 4,
      parts: [[1, 4]],
      events: [5],
      hashes: [5],
    });
  });
});

/** Returns how many rows of `event` the embedded database has read so far. */
async function countReadEvents(store: Store): Promise<number> {
  const { rows } = await store.system((db) =>
    sql<{ count: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count, pg_stat_force_next_flush()
      from pg_stat_user_tables where relname = 'event'`.execute(db),
  );
  return rows[0]?.count ?? 0;
}

test('ARCH-1: a log without old events is read once, also if the planner knows little of it', async () => {
  const store = await embedded();
  const tenant = await aTenant(store);
  await appendAll(store, tenant, [[companyDraft(1)]]);
  await damage(store, tenant, 'analyze event, log_hash');
  const batches = Array.from({ length: 150 }, (_, at) =>
    Array.from({ length: 20 }, (_none, n) => companyDraft(2 + at * 20 + n)),
  );
  await appendAll(store, tenant, batches);
  await countReadEvents(store);
  const before = await countReadEvents(store);
  expect(await archive(store, tenant, { folder, before: byClock.at - DAY })).toBe(0);
  await countReadEvents(store);
  expect((await countReadEvents(store)) - before).toBeLessThan(3 * 3_001);
});
