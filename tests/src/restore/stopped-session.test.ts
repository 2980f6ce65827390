import { afterEach, expect, test, vi } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { SESSION_TYPES } from '#contract/restore/sessions.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { useRestoreSession } from '#src/features/restore/use-restore-session.ts';
import type { WorkloadPage } from '#src/features/restore/workload.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';

const workload = { kind: 'outlook', sessionType: SESSION_TYPES[0] } as unknown as WorkloadPage;
const toRow = (backupTime: number) => ({
  id: `p${backupTime}`,
  jobId: 'j1',
  backupTime,
  changes: 0,
  result: 'success',
  lacks: [],
});

const toPlace = (organization: string, at: number | null = null) => ({
  organization,
  at,
  showDeleted: false,
});

/** A page of restores, and which sessions it opened, by organization and moment. */
async function openPage(stop: () => Result<unknown>) {
  const opened: string[] = [];
  const answers: Record<string, (input: Record<string, unknown>) => Result<unknown>> = {
    listRestorePoints: () => ok({ rows: [toRow(2), toRow(1)], next: null }),
    openRestoreSession: ({ organizationId, datetime }) => {
      opened.push(`${String(organizationId)} ${String(datetime)}`);
      return ok({ id: `s${opened.length}`, point: toRow(Number(datetime)) });
    },
    stopRestoreSession: stop,
  };
  setClient({
    ask: async (name: string, input: Record<string, unknown>) => answers[name]?.(input),
  } as unknown as WorkerClient);
  const hook = await renderHook(
    (place: ReturnType<typeof toPlace>) => useRestoreSession(workload, place, '/'),
    toPlace('one'),
  );
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await hook.run(() => Promise.resolve());
  };
  await settle();
  return { hook, opened, settle };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

test('RES-36: after a session is stopped, another organization opens at once, and the first one again', async () => {
  const { hook, opened, settle } = await openPage(() => ok({}));
  await hook.run(() => hook.current().stop());
  await settle();
  expect([hook.current().isStopped, opened]).toEqual([true, ['one 2']]);
  for (const organization of ['two', 'one']) {
    await hook.render(toPlace(organization));
    await settle();
  }
  expect([hook.current().state, hook.current().isStopped]).toEqual(['open', false]);
  expect(opened).toEqual(['one 2', 'two 2', 'one 2']);
  await hook.unmount();
});

test('RES-36: a session that could not be stopped shows another restore point', async () => {
  const answers: Result<unknown>[] = [
    failed({ kind: 'busy', message: 'Try again later.', retryAfterMs: 1 }),
  ];
  const { hook, opened, settle } = await openPage(() => answers.shift() ?? ok({}));
  await hook.run(() => hook.current().stop());
  await settle();
  expect([hook.current().state, hook.current().isStopped]).toEqual(['open', false]);
  await hook.render(toPlace('one', 1));
  await settle();
  expect(opened).toEqual(['one 2', 'one 1']);
  await hook.unmount();
});
