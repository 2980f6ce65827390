import { environmentManager } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { queryClient } from '#src/app/worker/server-query.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { SHEET_PLACE } from '#src/features/analytics/spreadsheet/address.ts';
import { useSheet } from '#src/features/analytics/spreadsheet/use-sheet.ts';
import type { IndexRange } from '#src/features/shared/grid/virtual-window.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';

const isServer = environmentManager.isServer();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { onLine: true });
  // Without a window, the query library takes this for a server, which has no timers.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  queryClient.clear();
  environmentManager.setIsServer(() => isServer);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const COUNT = 120;
const TIME = { from: 0, to: 1 };
/** A page of the server: the rows of a sheet with 120 lines, 50 on each page. */
const toPage = (page: number) => ({
  count: COUNT,
  rows: Array.from({ length: Math.min(50, COUNT - (page - 1) * 50) }, (_, index) => ({
    company: 1,
    companyName: 'Aldergate Vets',
    jobInstanceUid: null,
    jobName: `job ${(page - 1) * 50 + index}`,
    computerName: null,
    jobs: 1,
    share: null,
    cells: [],
  })),
});
const VIEW = { days: [{ from: 0, to: 1, here: false }], keptFrom: null };

test('TREND-5: the pages that are seen are loaded, each once, and none after the last row', async () => {
  const pages: string[] = [];
  let isDown = false;
  const watched: Readonly<Record<string, object>> = { calendar: VIEW, status: { kind: 'live' } };
  setClient({
    ask: async (_name: string, { page }: { readonly page: string }): Promise<Result<unknown>> => {
      pages.push(page);
      return isDown
        ? failed({ kind: 'server-error', message: 'Later.' })
        : ok(toPage(Number(page)));
    },
    read: async () => failed({ kind: 'no-answer', message: 'no' }),
    watch: (name: string, _input: unknown, next: (value: object) => void) => {
      next(watched[name] ?? {});
      return Promise.resolve({ close: () => {}, change: () => {} });
    },
  } as unknown as WorkerClient);
  const hook = await renderHook(
    (lines: IndexRange) => useSheet(SHEET_PLACE, TIME, 1, lines, 10, true),
    { first: 0, count: 300 },
  );
  const pass = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1)
      await hook.run(async () => {
        await vi.advanceTimersByTimeAsync(10);
      });
  };
  const getName = (index: number): string | null | undefined => hook.current().lineAt(index)?.name;
  await pass();
  expect(pages.toSorted()).toEqual(['1', '2', '3']);
  expect([hook.current().total, getName(0), getName(119)]).toEqual([COUNT, 'job 0', 'job 119']);
  await hook.render({ first: 0, count: 20 });
  await pass();
  await hook.render({ first: 60, count: 20 });
  await pass();
  expect([pages.length, getName(70)]).toEqual([3, 'job 70']);
  await hook.unmount();
  await pass();

  isDown = true;
  pages.length = 0;
  const other = await renderHook(
    (lines: IndexRange) => useSheet(SHEET_PLACE, TIME, 1, lines, 10, true),
    { first: 0, count: 20 },
  );
  await pass();
  expect([other.current().total, other.current().lineAt(0), pages]).toEqual([
    null,
    undefined,
    ['1'],
  ]);
  isDown = false;
  await other.run(() => other.current().again());
  await pass();
  expect([other.current().total, other.current().lineAt(0)?.name]).toEqual([COUNT, 'job 0']);
  await other.unmount();
});
