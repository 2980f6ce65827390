import {
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
} from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { rebuild } from '#server/platform/events/rebuild.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyStore } from '../db/databases.ts';
import { HOUR, NOON } from '../ingest/fixtures.ts';
import { aField } from './fakes/fixtures.ts';
import { aJob, aSession, fill, type JobOf } from './fakes/vspc-estate.ts';
import { refused, uid, vspcStandIn } from './fakes/vspc.ts';
import { connectionTicks } from '../jobs/ticks.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
let store: Store;
beforeAll(async () => {
  store = await anyStore();
});

/**
 * What happens next: jobs run again, a round is read, a server dies so many steps into it and
 * another begins, two read at once, the console fails.
 */
const step = oneof(
  {
    weight: 3,
    arbitrary: record({
      kind: constant('run' as const),
      jobs: array(nat(11), { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 3, arbitrary: record({ kind: constant('read' as const) }) },
  {
    weight: 3,
    arbitrary: record({ kind: constant('crash' as const), at: integer({ min: 1, max: 60 }) }),
  },
  { weight: 2, arbitrary: record({ kind: constant('two' as const) }) },
  {
    weight: 1,
    arbitrary: record({
      kind: constant('fail' as const),
      path: constantFrom(
        'infrastructure/backupServers/jobs',
        'infrastructure/jobSessionHeatmap',
        'infrastructure/backupServers',
      ),
    }),
  },
  { weight: 1, arbitrary: record({ kind: constant('turn' as const) }) },
);

/** A run, by its job and second. */
const name = (job: JobOf, at: number): string => `${job.name} ${Math.floor(at / 1000)}`;

class Killed extends Error {}

test('COLLECT-3, COLLECT-4: whatever rounds overlap, are interrupted and restart, each result of the console is stored once', async () => {
  await assert(
    asyncProperty(array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const vspc = await vspcStandIn();
      const { console } = vspc;
      let left = Infinity;
      // A server that dies does nothing more, in the middle of whatever it did: before a
      // transaction, or between the last one and the next question.
      const field = await aField(store, (context) => ({
        ...context,
        store: {
          ...context.store,
          tenant: (tenant, work, more) =>
            (left -= 1) < 0
              ? Promise.reject(new Killed())
              : context.store.tenant(tenant, work, more),
        },
      }));
      try {
        await field.company('One', uid('company Company 0'));
        await field.company('Two', uid('company Company 1'));
        const jobs = fill(console, 2, 12, NOON - HOUR);
        const expected = new Set<string>();
        console.maxPage = 5;
        console.jobs.forEach((row, n) => {
          const job = jobs[n];
          if (!job) return;
          const at = Date.parse(String(row['lastRun']));
          console.sessions.push(
            aSession(
              job,
              at,
              row['status'] === 'Failed' ? { result: 'Failed', failureMessage: 'no' } : {},
            ),
          );
          expected.add(name(job, at));
        });
        await field.connect(vspc.outside.url);
        let turned = false;
        console.order = (rows) => (turned ? rows.toReversed() : rows);
        for (const one of steps) {
          const now = field.context.clock.now();
          if (one.kind === 'run') {
            for (const [place, n] of [...new Set(one.jobs)].entries()) {
              const job = jobs[n];
              const at = now - 60_000 + place * 1000;
              if (!job) continue;
              console.jobs = console.jobs.map((row) =>
                row['name'] === job.name ? aJob(job, at) : row,
              );
              console.sessions.push(aSession(job, at));
              expected.add(name(job, at));
            }
            field.place.ground.pass(120_000);
          } else if (one.kind === 'read') await field.round(400_000);
          else if (one.kind === 'crash') {
            left = one.at;
            await field.round(400_000).catch(() => undefined);
            await field.collectors.stop();
            left = Infinity;
            field.collectors = connectionTicks(field.context);
          } else if (one.kind === 'two') {
            const other = connectionTicks(field.context);
            field.place.ground.pass(400_000);
            await Promise.all([field.collectors.tick(), other.tick()]);
            await other.stop();
          } else if (one.kind === 'fail') {
            console.fault = (_requested, path) => (path === one.path ? refused('no', 500) : null);
            await field.round(400_000);
            console.fault = () => null;
          } else turned = !turned;
        }
        await field.round(4 * HOUR);
        await field.round(4 * HOUR);
        const names = new Map((await field.place.all('job')).map(({ n, name: said }) => [n, said]));
        const runs = (await field.runs()).map(
          ({ job, startedAt }) => `${names.get(job) ?? ''} ${Math.floor(startedAt / 1000)}`,
        );
        expect(runs.toSorted()).toEqual([...expected].toSorted());
        expect((await rebuild(store, { only: [field.tenant] }))[0]?.differences).toEqual([]);
      } finally {
        left = Infinity;
        await field.collectors.stop();
        await vspc.outside.stop();
      }
    }),
    { numRuns: 12 * PROOF },
  );
});
