import { afterEach, expect, test, vi } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { useSearchQuery } from '#src/features/shared/queries/use-search-query.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';

/** A worker whose connection and answers the test sets. */
function fakeWorker() {
  const listeners: ((status: object) => void)[] = [];
  const worker = {
    answer: ok({ rows: ['first'], count: 1 }) as Result<unknown>,
    tellStatus(status: 'live' | 'offline'): void {
      for (const listener of listeners) listener({ kind: status });
    },
  };
  const shown: Record<string, object> = { status: { kind: 'live' }, who: { kind: 'in', me: ME } };
  setClient({
    ask: () => Promise.resolve(worker.answer),
    watch: (name: string, _: unknown, next: (value: object) => void) => {
      if (name === 'status') listeners.push(next);
      next(shown[name] ?? {});
      return Promise.resolve({ close: () => {}, change: () => {} });
    },
  } as unknown as WorkerClient);
  return worker;
}
const ME = { id: 'm', impersonator: null, roles: ['admin'], companies: null };

const useUsers = () => useSearchQuery('listUsers', { sort: 'username', page: '1', pageSize: '10' });
const refused = (kind: 'no-answer' | 'forbidden'): Result<never> => failed({ kind, message: kind });

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each(['no-answer', 'forbidden'] as const)(
  'OFF-8: when the connection is lost, the list stays unless the server refuses it: %s',
  async (kind) => {
    vi.stubGlobal('navigator', { onLine: true });
    const worker = fakeWorker();
    const hook = await renderHook(useUsers, undefined);
    // Answers arrive outside of `run`.
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false);
    const first = { rows: ['first'], count: 1 };
    await expect.poll(() => hook.current().value).toEqual(first);
    worker.answer = refused(kind);
    worker.tellStatus('offline');
    await expect.poll(() => hook.current().failure?.kind).toBe(kind);
    expect(hook.current().value).toEqual(kind === 'no-answer' ? first : null);
    const second = { rows: ['second'], count: 1 };
    worker.answer = ok(second);
    worker.tellStatus('live');
    await expect.poll(() => hook.current().value).toEqual(second);
    expect(hook.current().failure).toBe(null);
    vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
    await hook.unmount();
  },
);
