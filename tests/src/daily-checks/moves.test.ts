import * as fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import type { RunsView, RunView } from '#contract/runs/query.ts';
import { listOwnActions, getUndoActions } from '#src/features/daily-checks/run-actions.ts';
import { moveListCursor, settled } from '#src/features/daily-checks/cursor.ts';
import { DEFAULT_LIST } from '#src/features/shared/runs/list-state.ts';
import { makeListUrlState } from '#src/features/daily-checks/url-state.ts';
import { snoozeChoices } from '#src/features/shared/runs/snooze-times.ts';
import { rowAt } from '#src/features/daily-checks/lines.ts';
import { near, getWindow } from '#src/features/daily-checks/window.ts';
import { getGap, withPinned } from '#src/features/shared/grid/virtual-window.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
const getView = (ns: readonly number[], first = 0, total = ns.length): RunsView =>
  ({
    total,
    lines: total,
    first,
    heads: [],
    rows: ns.map((n) => ({ n }) as RunView),
  }) as unknown as RunsView;

test('DAY-13: the requested window covers the visible rows with a margin on both sides, and small scrolling requests nothing', () => {
  fc.assert(
    fc.property(fc.nat(500_000), fc.nat(60), (start, tall) => {
      const total = 500_100;
      const { first, count } = getWindow(start, start + tall, total);
      expect(first <= Math.max(0, start - 24)).toBe(true);
      expect(first + count >= Math.min(total, start + tall + 1)).toBe(true);
      expect(count).toBeLessThanOrEqual(60 + 5 * 24);
      expect(
        near(getWindow(start, start + tall, total), getWindow(start + 1, start + tall + 1, total)),
      ).toBe(true);
    }),
    RUNS,
  );
  expect(getWindow(0, 0, 0)).toEqual({ first: 0, count: 48 });
});

test('DAY-13: the focused row stays rendered at every scroll position', () => {
  const range = { startIndex: 100, endIndex: 110, overscan: 2, count: 1_000 };
  expect(withPinned(range, 7)[0]).toBe(7);
  expect(withPinned(range, 900).at(-1)).toBe(900);
  expect(withPinned(range, 105)).toHaveLength(15);
  expect(withPinned(range, 1_000)).toHaveLength(15);
});

test('DAY-13: rendered rows are consecutive, except for at most one, which is marked', () => {
  const index = fc.nat(60);
  fc.assert(
    fc.property(index, index, fc.nat(4), fc.option(index), (a, b, overscan, pinned) => {
      const drawn = withPinned(
        { startIndex: Math.min(a, b), endIndex: Math.max(a, b), overscan, count: 61 },
        pinned,
      );
      const apart = getGap(drawn);
      const flow = drawn.filter((one) => one !== apart);
      const [first = 0] = flow;
      expect(flow).toEqual(flow.map((_, i) => first + i));
      // Nothing that follows is called apart.
      if (apart >= 0) expect(flow.some((one) => Math.abs(one - apart) === 1)).toBe(false);
    }),
    RUNS,
  );
  expect(getGap([])).toBe(-1);
});

test('DAY-14: the cursor follows its run when the list changes, and stays inside the list if the run is gone', () => {
  const before = getView([11, 12, 13, 14]);
  const cursor = moveListCursor(moveListCursor(null, 1, before), 1, before);
  expect(cursor).toMatchObject({ index: 1, n: 12 });
  expect(settled(cursor, getView([9, 10, 11, 12]))).toMatchObject({ index: 3, n: 12 });
  expect(settled(cursor, getView([11]))).toMatchObject({ index: 0, n: 11 });
  expect(settled(cursor, getView([]))).toBeNull();
  expect(moveListCursor(cursor, 99, before)?.index).toBe(3);
  expect(moveListCursor(cursor, -99, before)?.index).toBe(0);
  expect([1, -1, -4, 4].map((by) => moveListCursor(null, by, before)?.index)).toEqual([0, 0, 0, 3]);
  expect(rowAt(getView([5, 6], 40, 90), 41)?.n).toBe(6);
});

test('DAY-15: undo restores earlier notes and snoozes with their texts; it is not offered if a note could be lost', () => {
  const noted = {
    n: 1,
    problem: { note: { content: 'old' }, snooze: { until: 5, reason: 'move' }, review: null },
  } as unknown as RunView;
  const plain = { n: 2, problem: { note: null, snooze: null, review: null } } as unknown as RunView;
  const seen = new Map([
    [1, noted],
    [2, plain],
  ]);
  expect(getUndoActions({ change: { kind: 'note', content: 'new' }, runs: [1, 2] }, seen)).toEqual([
    { change: { kind: 'note', content: 'old' }, runs: [1] },
    { change: { kind: 'note', content: null }, runs: [2] },
  ]);
  expect(
    getUndoActions({ change: { kind: 'note', content: 'new' }, runs: [1, 3] }, seen),
  ).toBeNull();
  expect(
    getUndoActions({ change: { kind: 'snooze', until: 9, reason: 'x' }, runs: [1, 2] }, seen),
  ).toEqual([
    { change: { kind: 'snooze', until: 5, reason: 'move' }, runs: [1] },
    { change: { kind: 'unsnooze' }, runs: [2] },
  ]);
  expect(getUndoActions({ change: { kind: 'review', comment: null }, runs: [1, 2] }, seen)).toEqual(
    [{ change: { kind: 'reopen' }, runs: [1, 2] }],
  );
});

const reviewedBy = (n: number, by: string) =>
  [n, { n, problem: { review: { by } } } as unknown as RunView] as const;

test('DAY-15: undo of a review keeps an earlier review by another user', () => {
  const seen = new Map([reviewedBy(1, 'me'), reviewedBy(2, 'hannah')]);
  const back =
    getUndoActions({ change: { kind: 'review', comment: null }, runs: [1, 2, 3] }, seen) ?? [];
  expect(listOwnActions(back, seen, 'me')).toEqual([{ change: { kind: 'reopen' }, runs: [1, 3] }]);
  expect(listOwnActions([{ change: { kind: 'unsnooze' }, runs: [2] }], seen, 'me')).toEqual([
    { change: { kind: 'unsnooze' }, runs: [2] },
  ]);
});

test("DAY-16: snooze choices are tomorrow, Monday and in a week, at 8:00 in the provider's time zone, each day once", () => {
  const zone = 'America/Chicago';
  const listChoices = (iso: string) =>
    snoozeChoices(Date.parse(iso), zone).map(
      ({ label, until }) => `${label} ${new Date(until).toISOString()}`,
    );
  expect(listChoices('2026-11-20T13:46:00Z')).toEqual([
    'Tomorrow 2026-11-21T14:00:00.000Z',
    'Monday 2026-11-23T14:00:00.000Z',
    'In 1 week 2026-11-27T14:00:00.000Z',
  ]);
  expect(listChoices('2026-11-22T13:46:00Z')).toEqual([
    'Tomorrow 2026-11-23T14:00:00.000Z',
    'In 1 week 2026-11-29T14:00:00.000Z',
  ]);
  expect(listChoices('2026-11-23T13:46:00Z')).toEqual([
    'Tomorrow 2026-11-24T14:00:00.000Z',
    'Monday, in 1 week 2026-11-30T14:00:00.000Z',
  ]);
});

afterEach(() => {
  vi.useRealTimers();
});

test('DAY-17: the search shows at once and reaches the address when typing pauses; Back returns to the list before', () => {
  vi.useFakeTimers();
  const entries = ['/d'];
  const listeners = new Set<() => void>();
  const history = {
    get location() {
      const [pathname = '', query] = (entries.at(-1) ?? '').split('?');
      return { pathname, search: query === undefined ? '' : `?${query}` };
    },
    push: (href: string) => {
      entries.push(href);
      listeners.forEach((listener) => listener());
    },
    replace: (href: string) => {
      entries[entries.length - 1] = href;
      listeners.forEach((listener) => listener());
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
  const place = makeListUrlState(history, 'managed=yes');
  const leave = place.subscribe(() => {});
  expect(entries).toEqual(['/d?managed=yes']); // what was kept, where the address has none
  place.set({ ...place.now(), text: 's' });
  place.set({ ...place.now(), text: 'sq' });
  expect(place.now().text).toBe('sq');
  expect(entries).toEqual(['/d?managed=yes']);
  vi.advanceTimersByTime(1_000);
  expect(entries).toEqual(['/d?managed=yes&q=sq']);
  place.set({ ...DEFAULT_LIST, states: ['Failed'] });
  expect(entries.at(-1)).toBe('/d?state=Failed');
  entries.pop();
  listeners.forEach((listener) => listener());
  expect(place.now()).toEqual({ ...DEFAULT_LIST, managed: true, text: 'sq' });
  // Who goes on while words rest is not brought back.
  place.set({ ...place.now(), text: 'sql' });
  entries.push('/elsewhere');
  leave();
  vi.advanceTimersByTime(1_000);
  expect(entries.at(-1)).toBe('/elsewhere');
});
