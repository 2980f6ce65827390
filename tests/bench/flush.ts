/**
 * What flushing costs the embedded database: small appends and batches as ingest makes them, with
 * and without flushing in turn, so that both meet the same machine. Beside them, what a flush of 900
 * appended bytes takes. `node tests/bench/flush.ts`.
 */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type OpenStore } from '../../server/platform/db/open.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { aTenant, byClock, jobDraft, runDraft } from '../server/db/drafts.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 30);
const log = { info: () => undefined, warn: console.error, error: console.error };
const folder = fs.mkdtempSync(join(process.env['DATA'] ?? tmpdir(), 'daybook-flush-'));

interface Place {
  readonly name: string;
  readonly store: OpenStore;
  readonly tenants: readonly string[];
}

async function open(name: string, flushes: boolean): Promise<Place> {
  const dataDir = join(folder, name);
  const store = await openStore({ dataDir, databaseUrl: null, flushes, log, clock: systemClock });
  const tenants = [];
  for (let index = 0; index < 4; index += 1) {
    const tenant = await aTenant(store);
    await store.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
    tenants.push(tenant);
  }
  return { name, store, tenants };
}

const append = (place: Place, tenant: number, count: number): Promise<unknown> =>
  place.store.tenant(place.tenants[tenant] ?? '', async (tx) => {
    const first = await tx.take('run', count);
    await tx.append(
      Array.from({ length: count }, (_, index) =>
        runDraft({ n: first + index, startedAt: byClock.at + (first + index) * 1000 }),
      ),
      byClock,
    );
  });

const times = new Map<string, number[]>();
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  const all = times.get(name);
  if (all === undefined) times.set(name, [ms]);
  else all.push(ms);
}

const probe = fs.openSync(join(folder, 'probe'), 'w');
const places = [await open('flushed', true), await open('not flushed', false)];
for (let round = -3; round < ROUNDS; round += 1) {
  // The first ones compile.
  if (round === 0) times.clear();
  for (let index = 0; index < 10; index += 1) {
    await measure('a flush alone', async () => {
      fs.writeSync(probe, Buffer.alloc(900));
      fs.fdatasyncSync(probe);
    });
  }
  for (const place of round % 2 === 0 ? places : places.toReversed()) {
    for (let index = 0; index < 10; index += 1)
      await measure(`one command at a time, ${place.name}`, () => append(place, index % 4, 1));
    await Promise.all(
      Array.from({ length: 32 }, (_, index) =>
        measure(`32 commands at once, ${place.name}`, () => append(place, index % 4, 1)),
      ),
    );
    await measure(`a batch of 200 results, ${place.name}`, () => append(place, 0, 200));
  }
}
for (const place of places) await place.store.close();
fs.closeSync(probe);
fs.rmSync(folder, { recursive: true });
for (const [name, all] of times) {
  all.sort((a, b) => a - b);
  const at = (part: number): string => (all[Math.floor(all.length * part)] ?? 0).toFixed(2);
  console.log(`${name.padEnd(38)} median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}
