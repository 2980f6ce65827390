import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { filter, lightFilter, NOW, steps } from './arbitrary.ts';
import type { Both } from './both.ts';
import { makeBoth } from './both.ts';
import { answer, getLines, view } from './oracle.ts';
import { EVERYTHING, GROUPS, ofGroup, ORDERS } from '#contract/runs/query.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { RunSelection } from '#workers/types.ts';

const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);

/** Quick where all is well; the long comparison says what is not. */
function equal(actual: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toEqual(wanted);
}

function same({ engine, plain }: Both, request: RunsFilter, now: number): void {
  const selection = engine.select(request, now);
  const truth = answer(plain, request, now);
  equal([...selection.ids()], truth.ids);
  equal(selection.total, truth.ids.length);
  equal(selection.facets, truth.facets);
  equal(selection.progress, truth.progress);
  const first = truth.ids.length >> 2;
  equal(
    engine.view(selection, { first, count: 12 }, now),
    view(plain, truth.ids.slice(first, first + 12), request, now),
  );
  sameLines(selection, truth);
}

/** Windows of lines with every group open, every third one folded away and all of them. */
function sameLines(selection: RunSelection, truth: ReturnType<typeof answer>): void {
  const keys = truth.groups?.map(({ head }) => head.key) ?? [];
  for (const folded of [
    [],
    [...keys.filter((_, i) => i % 3 === truth.ids.length % 3), 'nobody', -1, 70_000],
    keys,
  ]) {
    const all = getLines(truth.ids, truth.groups, folded);
    for (const window of [
      { first: 0, count: all.length },
      { first: all.length >> 1, count: 5 },
      { first: -1, count: 1 },
      { first: all.length - 1, count: 9 },
    ]) {
      const from = Math.max(0, window.first);
      const seen = all.slice(from, from + window.count);
      const { count, heads, rows } = selection.lines(window, folded);
      equal(count, all.length);
      equal(
        heads,
        seen.filter((line) => typeof line !== 'number'),
      );
      equal(
        [...rows.ids()],
        seen.filter((line) => typeof line === 'number'),
      );
    }
  }
  for (const {
    head: { key, title: _, causes: _causes, ...counts },
  } of truth.groups ?? [])
    equal(selection.counts(key), counts);
}

test('COL-2, COL-3, COL-4, COL-7, COL-8: the columns return what plain rows do, for any input in any order', () => {
  fc.assert(
    fc.property(
      steps,
      fc.array(fc.oneof(filter, lightFilter), { minLength: 3, maxLength: 6 }),
      fc.constantFrom(-1, 0, 1, 7_200_000),
      (all, filters, later) => {
        const both = makeBoth();
        for (const step of all) {
          both.take(step);
          same(both, filters[0]!, NOW);
        }
        for (const one of filters) same(both, one, NOW + later);
        for (const one of filters) same(both, one, NOW - later);
        expect(both.engine.size).toBe(both.plain.runs.size);
        const starts = [...both.plain.runs.values()].map(({ startSec }) => startSec * 1000);
        expect(both.engine.newestAt).toBe(starts.length === 0 ? null : Math.max(...starts));
        expect(both.engine.runs([...both.plain.runs.keys(), 1_000])).toEqual(both.plain.runs);
        expect(both.engine.all('problem')).toEqual([...both.plain.problems.values()]);
      },
    ),
    { numRuns: numRuns(60) },
  );
});

/**
 * Asks little: so it is asked mostly, and what asks of one column or of none has ways of its own.
 */
const little = fc
  .tuple(filter, fc.subarray(Object.keys(EVERYTHING), { minLength: 1, maxLength: 3 }))
  .map(([all, stored]): RunsFilter => ({
    ...EVERYTHING,
    ...Object.fromEntries(Object.entries(all).filter(([name]) => stored.includes(name))),
  }));

test('COL-2, COL-3, COL-8, COL-9: so they do for small queries, again after each change', () => {
  fc.assert(
    fc.property(steps, fc.array(little, { minLength: 6, maxLength: 6 }), (all, filters) => {
      const both = makeBoth();
      for (const step of all) {
        both.take(step);
        for (const one of filters) same(both, one, NOW);
      }
      expect(both.engine.size).toBe(both.plain.runs.size);
    }),
    { numRuns: numRuns(30) },
  );
});

const NO_ROWS = { company: [], job: [], cause: [], problem: [] };

test('COL-8: a repeated query is answered like a new one, whatever has changed since', () => {
  const moments = fc.array(
    fc.constantFrom(NOW - 2, NOW, NOW + 1, NOW + 3_600_000, NOW + 86_400_000),
    { minLength: 2, maxLength: 4 },
  );
  fc.assert(
    fc.property(steps, fc.oneof(little, lightFilter), moments, (all, request, at) => {
      const both = makeBoth();
      for (const step of all) {
        const parts =
          step.kind === 'put'
            ? (['company', 'job', 'cause', 'problem'] as const).map((table) => ({
                ...step,
                ...NO_ROWS,
                [table]: step[table],
              }))
            : [step];
        for (const part of parts) {
          both.take(part);
          for (const now of at) same(both, request, now);
        }
      }
      expect(both.engine.size).toBe(both.plain.runs.size);
    }),
    { numRuns: numRuns(60) },
  );
});

test('COL-7, COL-8: a selection keeps the same runs while the store changes, with their current values', () => {
  fc.assert(
    fc.property(steps, steps, filter, (before, after, request) => {
      const both = makeBoth();
      for (const step of before) both.take(step);
      const selection = both.engine.select(request, NOW);
      const { ids } = answer(both.plain, request, NOW);
      for (const step of after) both.take(step);
      expect([...selection.ids()]).toEqual(ids);
      expect(both.engine.view(selection, { first: 0, count: 8 }, NOW)).toEqual(
        view(both.plain, ids.slice(0, 8), request, NOW),
      );
    }),
    { numRuns: numRuns(60) },
  );
});

test('COL-8, COL-10, COL-11, COL-13: every order, direction and grouping equals that of plain rows, and a group queried alone equals its rows', () => {
  fc.assert(
    fc.property(
      steps,
      lightFilter,
      fc.array(lightFilter, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (all, request, others, later) => {
        const both = makeBoth();
        const now = later ? NOW + 90 * 86_400_000 : NOW;
        for (const step of all) {
          both.take(step);
          for (const one of others) same(both, one, now);
        }
        for (const order of ORDERS) {
          for (const reverse of [false, true]) {
            for (const group of [null, ...GROUPS]) {
              const one = { ...request, order, reverse, group };
              const selection = both.engine.select(one, now);
              const truth = answer(both.plain, one, now);
              equal([...selection.ids()], truth.ids);
              sameLines(selection, truth);
              if (order !== 'cause') continue;
              for (const { head, ids } of truth.groups ?? [])
                equal([...both.engine.select(ofGroup(one, head), now).ids()], ids);
            }
          }
        }
        expect(both.engine.size).toBe(both.plain.runs.size);
      },
    ),
    { numRuns: numRuns(12) },
  );
});
