import { afterEach, expect, test, vi } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import { onSessionChange, setClient } from '#src/app/worker/worker-client.ts';
import { sendArchive } from '#src/features/backup/imports/uploads.ts';
import type { WorkerClient } from '#workers/api.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Enough for all that follows without a wait. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve();
};

test('IMP-3: an upload without progress waits before it sends the part again, and ends with its import', async () => {
  vi.useFakeTimers();
  let parts = 0;
  let isStopped = false;
  vi.stubGlobal('fetch', () => {
    parts += 1;
    // As of a test that would never end.
    if (parts > 50) throw new Error('It sends on and on.');
    return Promise.resolve(Response.json({ receivedBytes: 2 }));
  });
  const ticket = { url: '/upload/i1', ticket: 't', partBytes: 2, receivedBytes: 2 };
  setClient({
    ask: () =>
      Promise.resolve(isStopped ? failed({ kind: 'conflict', message: 'It ended.' }) : ok(ticket)),
  } as unknown as WorkerClient);
  const sent = sendArchive({ organizationId: 'g1', id: 'i1', file: new File(['abcdef'], 'a.pst') });
  await vi.advanceTimersByTimeAsync(0);
  await settle();
  expect(parts).toBe(1);
  isStopped = true;
  await vi.advanceTimersByTimeAsync(60_000);
  await sent;
  expect(parts).toBe(1);
});

const toWho = (id: string) => ({ kind: 'in', me: { id, impersonator: null } });

test('IMP-4: an upload waits while its user is signed out, and never continues as another user', async () => {
  vi.useFakeTimers();
  const listeners: ((value: unknown) => void)[] = [];
  const sendWho = (value: unknown): void => listeners.forEach((listener) => listener(value));
  const requesters: string[] = [];
  let current: string | null = 'ann';
  setClient({
    watch: (_name: string, _input: object, onChange: (value: unknown) => void) => {
      listeners.push(onChange);
      return Promise.resolve({ change: () => {}, close: () => {} });
    },
    ask: () => {
      if (current !== null) requesters.push(current);
      return Promise.resolve(failed({ kind: 'signed-out', message: 'Signed out.' }));
    },
  } as unknown as WorkerClient);
  const end = onSessionChange(() => {});
  sendWho(toWho('ann'));
  const sent = sendArchive({ organizationId: 'g1', id: 'i2', file: new File(['ab'], 'a.pst') });
  await vi.advanceTimersByTimeAsync(10_000);
  const times = requesters.length;
  expect(times).toBeGreaterThan(1);
  current = null;
  sendWho({ kind: 'out' });
  await vi.advanceTimersByTimeAsync(60_000);
  current = 'ann';
  sendWho(toWho('ann'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(requesters.length).toBeGreaterThan(times);
  current = 'bob';
  sendWho(toWho('bob'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(new Set(requesters)).toEqual(new Set(['ann']));
  await sent;
  end();
});
