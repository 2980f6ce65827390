import { array, assert, asyncProperty, constantFrom, nat, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { eachDatabase } from '../db/databases.ts';
import { anExecution, aPlace, HOUR, iso, NOON } from './fixtures.ts';

const RUNS = 12 * Number(process.env['PROOF'] ?? 1);
const results = array(
  tuple(nat(1), nat(4), constantFrom('Success', 'Failed', 'Warning', 'Running'), nat(2)),
  { minLength: 1, maxLength: 14 },
);

eachDatabase((name, open) => {
  test(`RUN-8: a problem counts the runs whose result it is, in any order of results and corrections (${name})`, async () => {
    const store = await open();
    await assert(
      asyncProperty(results, async (details) => {
        const place = await aPlace(store);
        for (const [job, slot, status, cause] of details) {
          const start = NOON - (10 - slot) * HOUR;
          const answer = await place.post(
            'executions',
            anExecution({
              job: `job ${job}`,
              externalId: `${job}-${slot}`,
              startTime: iso(start),
              status,
              ...(status !== 'Running' && { endTime: iso(start + HOUR / 2) }),
              ...((status === 'Failed' || status === 'Warning') && {
                message: ['disk is full', 'cannot connect', 'no such file'][cause],
              }),
            }),
          );
          expect(answer.status).toBe(200);
        }
        const [runs, problems] = [await place.all('run'), await place.all('problem')];
        const counted = problems.map(({ n }) => runs.filter(({ problem }) => problem === n).length);
        expect(problems.map(({ runs: many }) => many)).toEqual(counted);
        for (const run of runs) expect(run).not.toHaveProperty('corrects');
        for (const { n, starts } of await place.all('stat'))
          expect(starts.length).toBe(
            runs.filter(({ job, status }) => job === n && status !== 'Running').length,
          );
        expect((await rebuild(store, { only: [place.tenant] }))[0]?.differences).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });
});
