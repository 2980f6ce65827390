import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { filter, NOW, steps } from './arbitrary.ts';
import type { Both } from './both.ts';
import { makeBoth } from './both.ts';
import { answer, view } from './oracle.ts';
import { EVERYTHING } from '#contract/monitoring/query.ts';
import type { RunsFilter } from '#contract/monitoring/query.ts';

const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);

/** Quick where all is well; the long comparison says what is not. */
function equal(actual: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toEqual(wanted);
}

function same({ engine, plain }: Both, asked: RunsFilter, now: number): void {
  const selection = engine.select(asked, now), truth = answer(plain, asked, now);
  equal([...selection.ids()], truth.ids);
  equal(selection.total, truth.ids.length);
  equal(selection.facets, truth.facets);
  equal(selection.progress, truth.progress);
  const first = truth.ids.length >> 2;
  equal(engine.view(selection, { first, count: 12 }, now), view(plain, truth.ids.slice(first, first + 12), asked, now));
}

test('COL-2, COL-3, COL-4, COL-7, COL-8: the columns answer as plain rows do, whatever was given and in whatever order', () => {
  fc.assert(fc.property(steps, fc.array(filter, { minLength: 3, maxLength: 6 }), fc.constantFrom(-1, 0, 1, 7_200_000), (all, filters, later) => {
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
  }), { numRuns: numRuns(60) });
});

/** Asks little: so it is asked mostly, and what asks of one column or of none has ways of its own. */
const little = fc.tuple(filter, fc.subarray(Object.keys(EVERYTHING), { minLength: 1, maxLength: 3 }))
  .map(([all, kept]): RunsFilter => ({ ...EVERYTHING, ...Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name))) }));

test('COL-2, COL-3, COL-8, COL-9: so they do where little is asked, again after each change', () => {
  fc.assert(fc.property(steps, fc.array(little, { minLength: 6, maxLength: 6 }), (all, filters) => {
    const both = makeBoth();
    for (const step of all) {
      both.take(step);
      for (const one of filters) same(both, one, NOW);
    }
    expect(both.engine.size).toBe(both.plain.runs.size);
  }), { numRuns: numRuns(30) });
});

test('COL-7, COL-8: a selection names the same runs however the store goes on, and tells them as they are now', () => {
  fc.assert(fc.property(steps, steps, filter, (before, after, asked) => {
    const both = makeBoth();
    for (const step of before) both.take(step);
    const selection = both.engine.select(asked, NOW), { ids } = answer(both.plain, asked, NOW);
    for (const step of after) both.take(step);
    expect([...selection.ids()]).toEqual(ids);
    expect(both.engine.view(selection, { first: 0, count: 8 }, NOW)).toEqual(view(both.plain, ids.slice(0, 8), asked, NOW));
  }), { numRuns: numRuns(60) });
});
