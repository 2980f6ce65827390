import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { EngineScope, RestoreInput, EngineTask } from '#contract/engine/engine.ts';
import { stopExplorer } from '#server/engine/embedded/explorer/explorers.ts';
import { requestRetry } from '#server/engine/embedded/restore/retry.ts';
import { cancelTask, countPlainItems, type PlainLimit } from '#server/engine/shared/task-rows.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../../db/databases.ts';
import { chance, getValue, type Mail, setUp } from './restore-bench.ts';
import { POINT_AT } from '../explorer/history.ts';

const DAY = 86_400_000;
const MAILS: readonly Mail[] = [
  { id: 'a', folder: 'Inbox', content: 'one', at: 4 },
  { id: 'b', folder: 'Inbox', content: 'two', at: 3 },
  { id: 'c', folder: 'Projects', content: 'three', at: 2 },
  { id: 'd', folder: 'Projects', content: 'four', at: 1 },
];
const ALL = ['Inbox/a=one', 'Inbox/b=two', 'Projects/c=three', 'Projects/d=four'];

/** A backup of four mails. `fail`: how many of the next writes the target refuses. */
async function setUpRetry(store: Store) {
  const context = await setUp(store, MAILS);
  const { scope, target } = context;
  const retry = (
    task: string,
    more: { readonly as?: EngineScope; readonly plain?: PlainLimit; readonly now?: number } = {},
  ) =>
    store.tenant(context.tenant, async (tx) =>
      requestRetry(
        tx,
        more.as ?? scope,
        { task, rights: null, plain: more.plain },
        { now: more.now ?? POINT_AT(10), chance },
      ),
    );
  return {
    ...context,
    retry,
    refuse: async (...args: Parameters<typeof retry>): Promise<string> => {
      const result = await retry(...args);
      return result.ok ? 'started' : result.error.message;
    },
    fail: (count: number) => {
      for (let n = 0; n < count; n++) target.failures.push(['write', 'invalid']);
    },
    /** Retries, and works on it to its end. */
    retried: async (task: string): Promise<string> => {
      const id = getValue(await retry(task));
      expect(await context.run(id)).toBe(null);
      return id;
    },
    countPlain: (since: number): Promise<number> =>
      store.tenant(context.tenant, (tx) => countPlainItems(tx, scope, since)),
    setTask: (task: string, values: { readonly created_at?: number; readonly user_id?: string }) =>
      store.tenant(context.tenant, ({ sql, tenant }) =>
        sql
          .updateTable('engine_task')
          .set(values as never)
          .where('tenant_id', '=', tenant)
          .where('id', '=', task)
          .execute(),
      ),
  };
}
const getSorted = (outcomes: readonly string[]): readonly string[] => outcomes.toSorted();

eachDatabase((name, open) => {
  test(`RES-89: a retry restores what failed and nothing else, to the same place with the same options, and names its restore (${name})`, async () => {
    const bench = await setUpRetry(await open());
    const { target, restored, retry, retried, taskOf: loadTask, outcomes } = bench;
    const options: Partial<RestoreInput> = {
      onConflict: 'keep-both',
      target: {
        kind: 'other',
        organization: bench.scope.organization,
        object: 'u2',
        folder: 'Restored',
      },
    };
    // The target has another version of one of them, which has to stay.
    target.put({ id: 'd', folder: 'Restored/Projects', content: 'later' });
    bench.fail(2);
    const task = await restored(options);
    const first = await loadTask(task);
    expect(first).toMatchObject({
      result: 'warning',
      canRetry: true,
      counts: { restored: 2, failed: 2 },
    });
    const failures = (await outcomes(task)).filter((one) => one.endsWith(' failed'));
    // What was removed since isn't among the failed ones, so it isn't restored again.
    const [restoredKey = ''] =
      [...target.items].find(([, { content }]) => content !== 'later') ?? [];
    const removed = target.items.get(restoredKey);
    target.items.delete(restoredKey);

    const second = await retried(task);
    expect(getSorted(await outcomes(second))).toEqual(
      getSorted(failures.map((one) => one.replace(/ failed$/, ' restored'))),
    );
    expect(await loadTask(second)).toMatchObject({
      kind: 'restore',
      workload: 'outlook',
      of: task,
      result: 'success',
      canRetry: false,
      canUndo: true,
      items: { done: 2, total: 2 },
    } satisfies Partial<EngineTask>);
    const expected = [
      'Restored/Inbox/a=one',
      'Restored/Inbox/b=two',
      'Restored/Projects/c=three',
      'Restored/Projects/d=four',
      'Restored/Projects/d=later',
    ].filter((one) => one !== `${removed?.folder}/${removed?.id}=${removed?.content}`);
    expect(target.state()).toEqual(expected);
    expect(await loadTask(task)).toMatchObject({ canRetry: false, canUndo: true });
    expect((await retry(task)).ok).toBe(false);

    // Each is undone for itself.
    expect(await bench.run(getValue(await bench.undo(second)))).toBe(null);
    expect(target.state()).toHaveLength(2);
  });

  test(`RES-89: what fails again can be retried from the retry, and a stopped retry can be repeated (${name})`, async () => {
    const bench = await setUpRetry(await open());
    const { target, restored, retry, retried, taskOf: loadTask } = bench;
    bench.fail(3);
    const task = await restored();
    const stopped = getValue(await retry(task));
    expect((await loadTask(task)).canRetry).toBe(false);
    await bench.store.tenant(bench.tenant, async (tx) =>
      getValue(await cancelTask(tx, bench.scope, stopped)),
    );
    expect(await bench.run(stopped)).toBe(null);
    expect(await loadTask(stopped)).toMatchObject({ result: 'cancelled', canRetry: false });
    expect((await loadTask(task)).canRetry).toBe(true);
    bench.fail(1);
    const second = await retried(task);
    expect(await loadTask(second)).toMatchObject({
      canRetry: true,
      counts: { restored: 2, failed: 1 },
    });
    const third = await retried(second);
    expect(await loadTask(third)).toMatchObject({
      of: second,
      result: 'success',
      counts: { restored: 1, failed: 0 },
    });
    expect(target.state()).toEqual(ALL);
  });

  test(`RES-89, G63: nothing else is retried: the refusal says why (${name})`, async () => {
    const bench = await setUpRetry(await open());
    const { restored, refuse, request, taskOf: loadTask, scope } = bench;
    const dry = await restored({ dryRun: true });
    expect(await refuse(dry)).toBe(
      'Only a finished restore can be retried, not a dry run or an undo.',
    );
    const waiting = getValue(await request());
    expect(await refuse(waiting)).toContain('Only a finished restore can be retried');
    expect(await bench.run(waiting)).toBe(null);
    expect(await refuse(waiting)).toBe('Nothing to retry: no item of this restore failed.');
    expect((await loadTask(waiting)).canRetry).toBe(false);
    const undo = getValue(await bench.undo(waiting));
    expect(await bench.run(undo)).toBe(null);
    expect(await refuse(undo)).toContain('not a dry run or an undo');

    bench.fail(1);
    const task = await restored();
    expect(await refuse(task, { as: { ...scope, organization: randomUUID() } })).toBe(
      "This task doesn't exist.",
    );
    // Nobody restores from the session of another user.
    expect(await refuse(task, { as: { ...scope, user: randomUUID() } })).toContain(
      'while the restore session is open',
    );
    // A restore operator sees its own restores of its scope alone.
    expect(await refuse(task, { as: { ...scope, operator: 'u9' } })).toBe(
      "This task doesn't exist.",
    );
    expect(await refuse(task, { now: POINT_AT(10) + 60 * 60_000 + 1 })).toContain(
      'while the restore session is open',
    );
    await bench.store.tenant(bench.tenant, (tx) =>
      stopExplorer(tx, scope, bench.session, POINT_AT(10)),
    );
    expect((await loadTask(task)).canRetry).toBe(false);
    expect(await refuse(task)).toContain('while the restore session is open');
  });

  test(`RES-89: a restore isn't undone while its failed items are restored again (${name})`, async () => {
    const bench = await setUpRetry(await open());
    bench.fail(1);
    const task = await bench.restored();
    const id = getValue(await bench.retry(task));
    expect(await bench.undo(task)).toMatchObject({
      ok: false,
      error: {
        kind: 'conflict',
        message:
          'The items that failed are being restored again. Undo the restore when that has ended.',
      },
    });
    expect(await bench.run(id)).toBe(null);
    expect(await bench.run(getValue(await bench.undo(task)))).toBe(null);
  });

  test(`RES-89: a restore that was undone isn't retried (${name})`, async () => {
    const bench = await setUpRetry(await open());
    bench.fail(1);
    const task = await bench.restored();
    expect(await bench.run(getValue(await bench.undo(task)))).toBe(null);
    expect((await bench.taskOf(task)).canRetry).toBe(false);
    expect(await bench.refuse(task)).toBe('This restore was undone. Restore the items again.');
  });

  test(`RES-89, G71: the items of a retry count once among those of a day (${name})`, async () => {
    const bench = await setUpRetry(await open());
    const now = POINT_AT(10);
    const since = now - DAY;
    bench.fail(3);
    const task = await bench.restored({ items: 4 });
    expect(await bench.countPlain(since)).toBe(4);
    // The restore has counted them.
    const plain = { since, maxItems: 4 };
    const second = getValue(await bench.retry(task, { plain }));
    expect(await bench.countPlain(since)).toBe(4);
    await bench.run(second);
    // The restore of an earlier day counts no more, so its retry does.
    await bench.setTask(task, { created_at: since });
    expect(await bench.countPlain(since)).toBe(3);
  });

  test(`RES-89, G71: a retry of an earlier day's restore counts against the limit of today (${name})`, async () => {
    const bench = await setUpRetry(await open());
    const now = POINT_AT(10);
    const since = now - DAY;
    bench.fail(3);
    const task = await bench.restored({ items: 4 });
    await bench.setTask(task, { created_at: since });
    expect(await bench.refuse(task, { plain: { since, maxItems: 2 } })).toContain(
      'more than 2 items within 24 hours',
    );
    expect(await bench.refuse(task, { plain: { since, maxItems: 3 } })).toBe('started');
  });
});
