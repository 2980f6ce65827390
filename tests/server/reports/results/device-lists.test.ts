import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { EXPORT_COLUMNS } from '#contract/runs/csv.ts';
import { EVERYTHING, REVIEW_STATES, RUN_STATES } from '#contract/runs/query.ts';
import type { Order, RunsFilter } from '#contract/runs/query.ts';
import { reportColumns } from '#contract/reports/result-csv.ts';
import { exportRuns } from '#workers/export/export.ts';
import { systemClock } from '#server/platform/clock.ts';
import { anyDatabase } from '../../db/databases.ts';
import { request, devicePairs, few, must, numRuns, query } from './device-pairs.ts';
import type { Pair } from './device-pairs.ts';
import { data, iso, NOW } from './fixtures.ts';

const ORDERS: Readonly<Record<string, readonly [Order, boolean]>> = {
  'startTime:desc': ['newest', false],
  'startTime:asc': ['newest', true],
  'status:asc': ['worst', false],
  'durationSec:asc': ['duration', false],
  'durationSec:desc': ['duration', true],
  'bytesTransferred:desc': ['bytes', true],
  'companyName:asc': ['company', false],
  'computerName:asc': ['computer', false],
};
const list = fc.record({
  status: few(RUN_STATES),
  state: fc.option(fc.constantFrom(...REVIEW_STATES), { freq: 2 }),
  anomaly: fc.boolean(),
  managed: fc.option(fc.boolean(), { freq: 2 }),
  text: fc.constantFrom('', '', 'MAIL', 'space', 'sql 1', 'srv.', 'pike'),
  sort: fc.constantFrom(...Object.keys(ORDERS)),
});

anyDatabase((name, open) => {
  let pairs: readonly Pair[];
  beforeAll(async () => {
    pairs = await devicePairs(open);
  });

  test(`REP-1, REP-2: a list finds the results that a device finds, in its order (${name})`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        request,
        list,
        async (
          place,
          { from, to, companyIds, entityGroup, source, type },
          { status, state, anomaly, managed, text, sort },
        ) => {
          const { get, engine } = must(pairs[place]);
          const [order, reverse] = must(ORDERS[sort]);
          const filter: RunsFilter = {
            ...EVERYTHING,
            from,
            to,
            companies: companyIds,
            instructionTypes: entityGroup,
            sources: source,
            types: type,
            states: status,
            review: state,
            anomaly,
            managed,
            text,
            order,
            reverse,
          };
          const wanted = engine.select(filter, NOW);
          const q = query(
            { from, to },
            { companyIds, entityGroup, source, type, status, state, anomaly, managed, text },
          );
          const found = await data<OutputOf<'listResults'>>(
            get,
            `jobs${q}&sort=${sort}&pageSize=1000`,
          );
          expect([found.count, found.rows.map(({ _id }) => Number(_id))]).toEqual([
            wanted.total,
            [...wanted.ids()],
          ]);
          const page = await data<OutputOf<'listResults'>>(
            get,
            `jobs${q}&sort=${sort}&page=2&pageSize=7`,
          );
          expect([page.count, page.rows]).toEqual([wanted.total, found.rows.slice(7, 14)]);
          const views = engine.view(wanted, { first: 0, count: 20 }, NOW);
          expect(
            found.rows
              .slice(0, 20)
              .map((row) => [
                row.jobName,
                row.companyName,
                row.computerName,
                row.source,
                row.type,
                row.managed,
                row.status,
                row.durationSec,
                row.bytesTransferred,
                row.message,
                row.state,
                row.note?.content ?? null,
                row.problem?.ticket ?? null,
                row.problem?.cause ?? null,
              ]),
          ).toEqual(
            views.map((row) => [
              row.jobName,
              row.companyName,
              row.computer,
              row.source,
              row.type,
              row.managed,
              row.status,
              row.durationSec,
              row.bytes,
              row.message,
              row.review,
              row.problem?.note?.content ?? null,
              row.problem?.ticket ?? null,
              row.problem === null ? null : row.template,
            ]),
          );
        },
      ),
      { numRuns: numRuns(60) },
    );
  });

  test(`REP-9: a file holds what a device writes, byte for byte (${name})`, async () => {
    // What is usual is told as of now; a device tells it as of the run.
    const chosen = EXPORT_COLUMNS.filter(
      (id) => id !== 'usualDuration' && id !== 'usualBytes' && id !== 'reviewedBy',
    );
    const columns = reportColumns(chosen);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(3),
        request,
        list,
        async (
          place,
          { from, to, companyIds, entityGroup },
          { status, state, anomaly, text, sort },
        ) => {
          const { get, engine } = must(pairs[place]);
          const [order, reverse] = must(ORDERS[sort]);
          const filter: RunsFilter = {
            ...EVERYTHING,
            from,
            to,
            companies: companyIds,
            instructionTypes: entityGroup,
            states: status,
            review: state,
            anomaly,
            text,
            order,
            reverse,
          };
          const clock = {
            ...systemClock,
            now: () => NOW,
            after: (ms: number, work: () => void) => systemClock.after(ms, work),
          };
          const made = must(
            await exportRuns({
              engine,
              clock: clock as never,
              names: new Map(),
              filter,
              columns,
              onProgress: () => null,
              stillHere: () => true,
            }).done(),
          );
          const answer = await get.post('export', {
            source: 'JOBS',
            csv: true,
            from: iso(from),
            to: iso(to),
            filters: { companyIds, entityGroup, status, state, anomaly, text },
            sort,
            columns: chosen,
          });
          expect(answer.text).toBe(await made.file.text());
          expect(answer.headers.get('content-disposition')).toBe(
            `attachment; filename="${made.name}"`,
          );
        },
      ),
      { numRuns: numRuns(15) },
    );
  });
});
