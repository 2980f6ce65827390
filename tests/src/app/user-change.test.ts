import { afterEach, expect, test, vi } from 'vitest';
import { onSessionChange, setClient, useWatch } from '#src/app/worker/worker-client.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const EMPTY = {};
const usePage = () => useWatch('companies', EMPTY) as unknown;
const open = () => renderHook(usePage, EMPTY);
const toWho = (id: string) => ({ kind: 'in', me: { id, impersonator: null } });

/** A worker that sends values when the test says so. */
function makeWorker() {
  const listeners = new Map<string, (value: unknown) => void>();
  setClient({
    watch: (name: string, _input: object, onChange: (value: unknown) => void) => {
      listeners.set(name, onChange);
      return Promise.resolve({ change: () => {}, close: () => listeners.delete(name) });
    },
  } as unknown as WorkerClient);
  return (name: string, value: unknown): void => listeners.get(name)?.(value);
}

test('SYNC-6: a page shows nothing of the user before, and at once what the same user saw last', async () => {
  const send = makeWorker();
  const end = onSessionChange(() => {});
  send('who', toWho('ann'));
  const first = await open();
  await first.run(() => send('companies', ['of ann']));
  expect(first.current()).toEqual(['of ann']);
  await first.unmount();
  const again = await open();
  expect(again.current()).toEqual(['of ann']);
  await again.unmount();

  send('who', { kind: 'out' });
  send('who', toWho('bob'));
  const others = await open();
  expect(others.current()).toBeUndefined();
  await others.run(() => send('companies', ['of bob']));
  expect(others.current()).toEqual(['of bob']);
  await others.unmount();
  end();
});
