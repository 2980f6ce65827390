import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getDigits,
  getWallboardFigures,
  toCheck,
  wallFilter,
} from '#src/features/dashboard/wallboard/figures.ts';
import {
  mustReload,
  OLD_MS,
  getQuietState,
  getFreshness,
} from '#src/features/dashboard/wallboard/freshness.ts';
import { parseListAddress } from '#src/features/shared/runs/list-address.ts';
import { toRunsFilter } from '#src/features/shared/runs/list-state.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { SyncStatus } from '#workers/api.ts';

const NOW = Date.UTC(2026, 10, 20, 13, 46);
const ZONE = 'America/Chicago';
const LIVE: SyncStatus = {
  kind: 'live',
  syncedAt: NOW - 20_000,
  offlineSince: null,
  left: 0,
  waiting: 0,
  refused: 0,
  partly: 0,
  follower: false,
  storage: 'persisted',
  error: null,
  reload: false,
};

test('WALL-1: the figures are those of the daily checks, whatever was reviewed: errors count as failures', () => {
  const facets = {
    states: RUN_STATES.map((value, i) => ({ value, count: 10 ** i })),
    review: [],
    kinds: [],
    companies: [],
    sources: [],
    types: [],
    managed: [],
    anomaly: [],
    causes: [],
  };
  expect(getWallboardFigures({ facets }).map(({ label, count }) => [label, count])).toEqual([
    ['Failed', 11],
    ['Did not run', 100],
    ['Warning', 10_000],
    ['Running', 100_000],
  ]);
  expect(toCheck({ progress: { cleared: 312, of: 340 } })).toEqual({ left: 28, of: 340 });
  const rule = { zone: ZONE, hour: 6 };
  const round = toRunsFilter(parseListAddress(''), '2026-11-20', rule);
  const { from, to, rows } = wallFilter('2026-11-20', rule);
  expect({ from, to, rows }).toEqual({ from: round.from, to: round.to, rows: round.rows });
  expect(getDigits([7, 26])).toBe(2);
  expect(getDigits([1_204, 3])).toBe(5);
});

test('WALL-2: it shows the time of its data, and never shows old data as live', () => {
  expect(getFreshness(LIVE, NOW, ZONE)).toEqual({
    kind: 'live',
    lead: 'Live',
    rest: 'data of 07:45 AM',
  });
  expect(
    getFreshness(
      { ...LIVE, kind: 'offline', offlineSince: NOW - 120_000, syncedAt: NOW - 120_000 },
      NOW,
      ZONE,
    ),
  ).toEqual({ kind: 'stale', lead: 'Offline since 07:44 AM', rest: 'data of 07:44 AM, 2 min old' });
  expect(
    getFreshness({ ...LIVE, kind: 'server-trouble', offlineSince: NOW - 120_000 }, NOW, ZONE),
  ).toEqual({ kind: 'stale', lead: 'Server trouble since 07:44 AM', rest: 'data of 07:45 AM' });
  expect(getFreshness(undefined, NOW, ZONE).kind).toBe('starting');
  const status = fc.record({
    kind: fc.constantFrom<SyncStatus['kind']>(
      'live',
      'catching-up',
      'offline',
      'server-trouble',
      'signed-out',
      'update-needed',
    ),
    syncedAt: fc.option(fc.integer({ min: NOW - 10 * OLD_MS, max: NOW })),
    offlineSince: fc.constant(null),
    left: fc.nat(9),
    waiting: fc.nat(9),
    refused: fc.nat(9),
    partly: fc.nat(9),
    follower: fc.boolean(),
    storage: fc.constantFrom<SyncStatus['storage']>('persisted', 'memory', 'full'),
    error: fc.option(fc.constant('an error')),
    reload: fc.boolean(),
  });
  fc.assert(
    fc.property(status, (one) => {
      const { kind, lead, rest } = getFreshness(one, NOW, ZONE);
      expect(lead).not.toBe('');
      expect(rest).toMatch(/^data of |^no data yet$/);
      if (kind === 'live')
        expect(
          one.kind === 'live' &&
            !one.reload &&
            (one.syncedAt === null || NOW - one.syncedAt <= OLD_MS),
        ).toBe(true);
      if (one.syncedAt !== null && NOW - one.syncedAt > OLD_MS) expect(kind).toBe('stale');
    }),
  );
});

test('WALL-3: a newer build is loaded automatically, and never repeatedly', () => {
  expect(mustReload(LIVE, null, NOW)).toBe(false);
  expect(mustReload({ ...LIVE, reload: true }, null, NOW)).toBe(true);
  expect(mustReload({ ...LIVE, kind: 'update-needed' }, NOW - 599_000, NOW)).toBe(false);
  expect(mustReload({ ...LIVE, kind: 'update-needed' }, NOW - 601_000, NOW)).toBe(true);
});

test('WALL-5: without any result, the status is not healthy', () => {
  expect(getQuietState({ newestAt: null })).toEqual({ kind: 'bare', words: 'No results yet' });
  expect(getQuietState({ newestAt: NOW })).toEqual({
    kind: 'clear',
    words: 'Nothing needs attention',
  });
});
