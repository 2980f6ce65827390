/**
 * How fast one tenant's log takes results: batches as ingest makes them, over as many jobs. `node
 * tests/bench/append.ts [DATABASE_URL]`.
 */
import { randomUUID } from 'node:crypto';
import type { NewEvent } from '../../contract/events.ts';
import { openStore } from '../../server/platform/db/open.ts';
import type { Store } from '../../server/platform/db/store.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { aBranding } from '../server/db/drafts.ts';

const BATCH = 200;
const BATCHES = Number(process.env['BATCHES'] ?? 60);
const WARM_UP = Math.floor(BATCHES / 3);
const JOBS = Number(process.env['JOBS'] ?? 1000);

const log = { info: () => undefined, warn: console.error, error: console.error };
const url = process.argv[2] ?? null;
const store = await openStore({
  dataDir: process.env['DATA'] ?? '',
  databaseUrl: url,
  memory: process.env['DATA'] === undefined,
  log,
  clock: systemClock,
});
const tenant = randomUUID();
const key = randomUUID();
await makeTenant(store, { tenant, host: null, branding: aBranding, isDefault: false });
await append(store, jobs());
const times: number[] = [];
let cpu = process.cpuUsage();
let events = 0;
for (let batch = 0; batch < BATCHES; batch++) {
  if (batch === WARM_UP) {
    // WebAssembly is compiled beside the first ones
    cpu = process.cpuUsage();
    [times.length, events] = [0, 0];
  }
  const begun = performance.now();
  events += await append(store, async (tx) => runs(await tx.take('run', BATCH), batch));
  times.push(performance.now() - begun);
}
const used = process.cpuUsage(cpu);
await store.close();
times.sort((a, b) => a - b);
const total = times.reduce((sum, one) => sum + one, 0);
console.log(
  `${store.kind}: ${Math.round((BATCH * times.length * 1000) / total)} runs/s, ${Math.round((events * 1000) / total)} events/s; a batch of ${BATCH}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, ${((used.user + used.system) / 1000 / times.length).toFixed(1)} ms of this process`,
);

function at(part: number): string {
  return (times[Math.floor(times.length * part)] ?? 0).toFixed(1);
}

async function append(
  to: Store,
  make: NewEvent[] | ((tx: Parameters<Parameters<Store['tenant']>[1]>[0]) => Promise<NewEvent[]>),
): Promise<number> {
  return to.tenant(tenant, async (tx) => {
    const drafts = Array.isArray(make) ? make : await make(tx);
    return (
      await tx.append(drafts, {
        actor: { kind: 'source', id: key },
        subject: null,
        commandId: null,
        at: systemClock.now(),
      })
    ).length;
  });
}

function jobs(): NewEvent[] {
  return Array.from({ length: JOBS }, (_, index): NewEvent => ({
    company: 1,
    entity: `job:${index + 1}`,
    event: {
      type: 'job.found@1',
      data: {
        n: index + 1,
        uid: `job-${index}`,
        key,
        company: 1,
        name: `Backup of server ${index}`,
        source: 'restic',
        type: 'Backup',
        group: 'other',
        computer: `pc-${index}`,
        server: '',
        managed: null,
        enabled: true,
        schedule: null,
        graceSec: null,
      },
    },
  }));
}

/** One in ten fails with a problem of its own. */
function runs(first: number, batch: number): NewEvent[] {
  return Array.from({ length: BATCH }, (_, index): NewEvent[] => {
    const n = first + index;
    const job = ((batch * BATCH + index) % JOBS) + 1;
    const startedAt = 1_790_000_000_000 + n * 1000;
    const bad = index % 10 === 0;
    const run: NewEvent = {
      company: 1,
      entity: `run:${n}`,
      event: {
        type: 'run.finished@1',
        data: {
          n,
          job,
          company: 1,
          key,
          uid: `snapshot-${n}`,
          startedAt,
          status: bad ? 'Failed' : 'Success',
          endedAt: startedAt + 600_000,
          durationSec: 600,
          bytes: 1_234_567_890 + n,
          bytesProcessed: 98_765_432_100,
          files: 12_345,
          filesFailed: 0,
          message: bad ? 'repository is locked' : null,
          exitCode: bad ? 1 : 0,
          anomaly: [],
          problem: bad ? n : null,
          hasLog: false,
          detail: { snapshot_id: 'abcdef0123456789' },
        },
      },
    };
    if (!bad) return [run];
    return [
      {
        company: 1,
        entity: `problem:${n}`,
        event: {
          type: 'problem.opened@1',
          data: { n, job, company: 1, cause: 1, state: 'Failed', run: n, startedAt },
        },
      },
      run,
    ];
  }).flat();
}
