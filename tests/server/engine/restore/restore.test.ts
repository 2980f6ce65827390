import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestUndo } from '#server/engine/embedded/restore/tasks.ts';
import { cancelTask, getTask, listTasks } from '#server/engine/shared/task-rows.ts';
import { eachDatabase } from '../../db/databases.ts';
import { Killed } from './memory-target.ts';
import {
  chance,
  expected,
  getValue,
  how,
  type Mail,
  mails,
  present,
  RUNS,
  setUp,
} from './restore-bench.ts';

eachDatabase((name, open) => {
  test(`RES-1, RES-2, RES-3, RES-4: a restore does what its dry run showed, changes nothing the second time, and its undo puts everything back (${name})`, async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(mails, present, how, async (backup, before, rules) => {
        const context = await setUp(store, backup);
        const { target } = context;
        for (const one of before) target.put(one);
        const start = target.state();
        const folders = new Set(target.folders);

        const dry = await context.restored({ ...rules, dryRun: true });
        expect(target.state()).toEqual(start);
        expect(target.folders).toEqual(folders);
        const task = await context.restored(rules);
        expect(await context.outcomes(task)).toEqual(await context.outcomes(dry));
        expect(target.state()).toEqual(expected(backup, before, rules));
        const { counts, items, result } = await context.taskOf(task);
        expect(counts.restored + counts.merged + counts.skipped + counts.failed).toBe(
          backup.length,
        );
        expect(items).toEqual({ done: backup.length, total: backup.length });
        expect(result).toBe('success');

        const again = await context.restored(rules);
        expect((await context.taskOf(again)).counts.skipped).toBe(backup.length);
        expect(target.state()).toEqual(expected(backup, before, rules));

        const undo = getValue(await context.undo(task));
        expect(await context.run(undo)).toBe(null);
        expect(target.state()).toEqual(start);
        expect(target.folders).toEqual(folders);
        expect((await context.undo(task)).ok).toBe(false);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  test(`RES-5: killed before or after any write, a restore and its undo go on to the same end without duplicates (${name})`, async () => {
    const store = await open();
    const backup: Mail[] = [
      { id: 'a', folder: 'Inbox', content: 'one', at: 3 },
      { id: 'b', folder: 'Inbox', content: 'one', at: 2 },
      { id: 'c', folder: 'Projects', content: 'one', at: 1 },
    ];
    const before = [{ id: 'a', folder: 'Inbox', content: 'older' }];
    for (let killAt = 1, replacesByCopy = false; ; killAt++) {
      const context = await setUp(store, backup);
      const { target } = context;
      target.replacesByCopy = replacesByCopy;
      for (const one of before) target.put(one);
      const start = target.state();
      const folders = new Set(target.folders);
      const task = getValue(await context.request());
      target.killAt = killAt;
      const wasKilled = await context.run(task).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          return true;
        },
      );
      target.revive();
      if (wasKilled) expect(await context.run(task)).toBe(null);
      // One that has ended does not end again.
      expect(await context.run(task)).toBe(null);
      expect([killAt, (await context.ends()).events.length]).toEqual([killAt, 1]);
      expect([killAt, target.state()]).toEqual([
        killAt,
        expected(backup, before, { select: 'both', onConflict: 'replace' }),
      ]);
      expect((await context.taskOf(task)).counts).toEqual({
        restored: 2,
        merged: 1,
        skipped: 0,
        failed: 0,
      });
      const undo = getValue(await context.undo(task));
      target.killAt = target.operations + killAt;
      const undoKilled = await context.run(undo).then(
        () => false,
        () => true,
      );
      target.revive();
      if (undoKilled) expect(await context.run(undo)).toBe(null);
      expect([killAt, target.state()]).toEqual([killAt, start]);
      expect([killAt, target.folders]).toEqual([killAt, folders]);
      if (!wasKilled && !undoKilled && replacesByCopy) break;
      if (!wasKilled && !undoKilled) [killAt, replacesByCopy] = [0, true];
      expect(killAt).toBeLessThan(60);
    }
  });

  test(`RES-5, RES-2: killed before or after any write, a file that is kept beside another is there once, also with all its versions (${name})`, async () => {
    const store = await open();
    const backup: Mail[] = [{ id: 'plan', folder: 'Inbox', content: 'the last', at: 1 }];
    const earlier = ['v1', 'the v2'];
    for (const versions of ['last', 'all'] as const)
      // The target has another file, or one of the versions that are restored.
      for (const content of ['edited since', 'v1'])
        for (let killAt = 1; ; killAt++) {
          const context = await setUp(store, backup, earlier);
          const { target } = context;
          target.hasUniqueNames = true;
          target.put({ id: 'plan', folder: 'Inbox', content });
          const start = target.state();
          const rules = { versions, onConflict: 'keep-both' } as const;
          const task = getValue(await context.request(rules));
          target.killAt = killAt;
          const wasKilled = await context.run(task).then(
            () => false,
            (error: unknown) => {
              if (!(error instanceof Killed)) throw error;
              return true;
            },
          );
          target.revive();
          if (wasKilled) expect(await context.run(task)).toBe(null);
          const at = [versions, content, killAt];
          const after = [...start, 'Inbox/plan 1=the last'].sort();
          expect([at, target.state()]).toEqual([at, after]);
          expect([at, target.contents]).toEqual([
            at,
            versions === 'all' ? [...earlier, 'the last'] : ['the last'],
          ]);
          expect((await context.messages(task))[0]).toMatch(
            /^Created beside the version of the target\./,
          );

          const again = await context.restored(rules);
          expect((await context.taskOf(again)).counts.skipped).toBe(1);
          expect([at, target.state()]).toEqual([at, after]);
          expect(await context.run(getValue(await context.undo(task)))).toBe(null);
          expect([at, target.state()]).toEqual([at, start]);
          if (!wasKilled) break;
          expect(killAt).toBeLessThan(60);
        }
  });

  test(`RES-39, RES-55: the end of a restore and of its undo is logged and recorded with counts and without a name, the end of a dry run is not (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'secret plan', folder: 'Inbox', content: 'one', at: 2 },
      { id: 'b', folder: 'Inbox', content: 'three', at: 1 },
    ]);
    await context.restored({ dryRun: true });
    expect(await context.ends()).toEqual({ events: [], records: [] });
    context.target.failures.push(['write', 'invalid']);
    const task = await context.restored();
    const undo = getValue(await context.undo(task));
    context.advance(1_000);
    expect(await context.run(undo)).toBe(null);
    const { user, organization } = context.scope;
    // Of the session in which the restore was requested, and the object that it was about.
    const place = { organization, session: context.session, node: 'o1' };
    const { events, records } = await context.ends();
    expect(events).toEqual([
      {
        subject: user,
        data: {
          id: task,
          organization,
          user,
          kind: 'restore',
          restore: null,
          result: 'warning',
          counts: { restored: 1, merged: 0, skipped: 0, failed: 1 },
          bytes: 8,
        },
      },
      {
        subject: user,
        data: {
          id: undo,
          organization,
          user,
          kind: 'undo',
          restore: task,
          result: 'success',
          counts: { restored: 1, merged: 0, skipped: 0, failed: 0 },
          bytes: expect.any(Number),
        },
      },
    ]);
    expect(records).toMatchObject([
      { user_id: user, detail: { task, ...place, kind: 'restore', restored: 1, failed: 1 } },
      { user_id: user, detail: { task: undo, ...place, kind: 'undo', restored: 1, failed: 0 } },
    ]);
    expect(JSON.stringify([events, records])).not.toContain('secret plan');
  });

  test(`RES-4: undo removes the folders that a restore created, also those of items that failed (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 1 },
      { id: 'b', folder: 'Projects', content: 'one', at: 1 },
    ]);
    const { target } = context;
    target.put({ id: 'z', folder: 'Inbox', content: 'kept' });
    target.failures.push(['write', 'busy'], ['write', 'invalid'], ['write', 'invalid']);
    const task = getValue(await context.request());
    expect(await context.run(task)).toBeGreaterThan(0);
    expect(await context.run(task)).toBe(null);
    expect([...target.folders].sort()).toEqual(['Inbox', 'Projects']);
    expect(await context.taskOf(task)).toMatchObject({ result: 'failed', canUndo: true });
    const undo = getValue(await context.undo(task));
    target.failures.push(['remove-folder', 'unreachable']);
    expect(await context.run(undo)).toBeGreaterThan(0);
    expect(await context.run(undo)).toBe(null);
    expect([...target.folders]).toEqual(['Inbox']);
    expect(target.state()).toEqual(['Inbox/z=kept']);
  });

  test(`RES-4: what changed since the restore is left as it is, and the undo says so (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 1 },
      { id: 'b', folder: 'Inbox', content: 'one', at: 2 },
      { id: 'c', folder: 'Inbox', content: 'one', at: 3 },
    ]);
    const { target } = context;
    const task = await context.restored();
    const [c, b, a] = [...target.items.keys()].sort();
    const edited = target.items.get(b ?? '');
    if (!edited) throw new Error('Not restored.');
    target.items.set(b ?? '', { ...edited, content: 'edited', change: 999 });
    target.items.delete(c ?? '');
    const undo = getValue(await context.undo(task));
    expect(await context.run(undo)).toBe(null);
    expect(target.state()).toEqual([`Inbox/${edited.id}=edited`]);
    expect((await context.taskOf(undo)).counts).toEqual({
      restored: 1,
      merged: 0,
      skipped: 2,
      failed: 0,
    });
    expect(a).toBeDefined();
  });

  test(`RES-21, RES-5: all versions of a file are restored, the oldest first, also after a kill at any write (${name})`, async () => {
    const store = await open();
    const backup: Mail[] = [{ id: 'plan', folder: 'Inbox', content: 'the last', at: 1 }];
    const earlier = ['v1', 'the v2'];
    const plain = await setUp(store, backup, earlier);
    await plain.restored();
    expect(plain.target.contents).toEqual(['the last']);
    for (let killAt = 1; ; killAt++) {
      const context = await setUp(store, backup, earlier);
      const { target } = context;
      const dry = await context.restored({ versions: 'all', dryRun: true });
      expect(await context.messages(dry)).toEqual([
        'Will be created. With 2 earlier versions. The earlier versions get the date and author of the restore in the version history.',
      ]);
      const task = getValue(await context.request({ versions: 'all', select: 'missing' }));
      target.killAt = killAt;
      const wasKilled = await context.run(task).then(
        () => false,
        () => true,
      );
      target.revive();
      if (wasKilled) expect(await context.run(task)).toBe(null);
      expect([killAt, target.contents]).toEqual([killAt, [...earlier, 'the last']]);
      expect(target.state()).toEqual(['Inbox/plan=the last']);
      expect((await context.taskOf(task)).counts).toMatchObject({ restored: 1, failed: 0 });
      const undo = getValue(await context.undo(task));
      expect(await context.run(undo)).toBe(null);
      expect(target.state()).toEqual([]);
      if (!wasKilled) break;
      expect(killAt).toBeLessThan(60);
    }
  });

  test(`RES-7: Inbox comes first, and the newest items of a folder (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'old', folder: 'Inbox', content: 'x', at: 1 },
      { id: 'project', folder: 'Projects', content: 'x', at: 9 },
      { id: 'new', folder: 'Inbox', content: 'x', at: 8 },
    ]);
    const task = await context.restored({ dryRun: true });
    expect(await context.outcomes(task)).toEqual([
      'Inbox/new restored',
      'Inbox/old restored',
      'Projects/project restored',
    ]);
  });

  test(`RES-3: an item that the target refuses fails alone; a busy target is asked again later (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 1 },
      { id: 'b', folder: 'Inbox', content: 'one', at: 2 },
    ]);
    const { target } = context;
    target.failures.push(['write', 'invalid']);
    const task = await context.restored();
    expect(await context.taskOf(task)).toMatchObject({
      result: 'warning',
      counts: { restored: 1, merged: 0, skipped: 0, failed: 1 },
    });
    target.failures.push(['write', 'busy']);
    const second = getValue(await context.request());
    const due = await context.run(second);
    expect(due).toBeGreaterThan(0);
    expect((await context.taskOf(second)).waiting).toMatchObject({
      until: due,
      reason: 'write failed',
    });
    expect(await context.run(second)).toBe(null);
    expect(await context.taskOf(second)).toMatchObject({ result: 'success', waiting: null });
    expect(target.state()).toEqual(['Inbox/a=one', 'Inbox/b=one']);
  });

  test(`RES-3: a stopped restore writes nothing more, and a refused sign-in ends it with the reason (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 1 },
    ]);
    const task = getValue(await context.request());
    await context.store.tenant(context.tenant, async (tx) =>
      getValue(await cancelTask(tx, context.scope, task)),
    );
    expect(await context.run(task)).toBe(null);
    expect(await context.taskOf(task)).toMatchObject({
      state: 'done',
      result: 'cancelled',
      canUndo: false,
    });
    expect(context.target.state()).toEqual([]);
    context.target.failures.push(['folder', 'refused']);
    const second = await context.restored();
    expect(await context.taskOf(second)).toMatchObject({
      result: 'failed',
      message: 'folder failed',
    });
    const list = await context.store.tenant(context.tenant, async (tx) =>
      getValue(await listTasks(tx, context.scope, { cursor: null, limit: 1 })),
    );
    expect(list.rows).toHaveLength(1);
    expect(list.next).not.toBe(null);
  });

  test(`RES-3: a sign-in that is refused while the version of the target is saved ends the restore, and a repository that can't save it costs the item (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 2 },
      { id: 'b', folder: 'Inbox', content: 'two', at: 1 },
    ]);
    const { target } = context;
    for (const id of ['a', 'b']) target.put({ id, folder: 'Inbox', content: 'changed' });
    const before = target.state();
    target.failures.push(['fetch', 'refused'], ['fetch', 'refused']);
    const ended = await context.restored();
    expect(await context.taskOf(ended)).toMatchObject({
      state: 'done',
      result: 'failed',
      message: 'fetch failed',
    });
    expect(target.state()).toEqual(before);
    // A busy target is asked again.
    target.failures.length = 0;
    target.failures.push(['fetch', 'busy'], ['save', 'damaged']);
    const task = getValue(await context.request());
    const due = await context.run(task);
    expect(due).toBeGreaterThan(0);
    expect(await context.run(task)).toBe(null);
    expect(await context.taskOf(task)).toMatchObject({
      result: 'warning',
      counts: { restored: 0, merged: 1, skipped: 0, failed: 1 },
    });
    expect(await context.messages(task)).toContain(
      'The version of the target could not be saved, so it was not replaced. save failed',
    );
  });

  test(`RES-3: a sign-in that is refused while an interrupted item is ended ends the restore (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 1 },
    ]);
    const { target } = context;
    target.replacesByCopy = true;
    target.put({ id: 'a', folder: 'Inbox', content: 'changed' });
    // The new one was written, and the process dies before it removes the other one.
    const task = getValue(await context.request());
    target.failures.push(['remove', 'busy']);
    expect(await context.run(task)).toBeGreaterThan(0);
    target.failures.push(['remove', 'refused']);
    expect(await context.run(task)).toBe(null);
    expect(await context.taskOf(task)).toMatchObject({
      result: 'failed',
      message: 'remove failed',
    });
  });

  test(`RES-3, ENG-9: a restore that is stopped ends after the items in progress, and shows its waits at once (${name})`, async () => {
    const context = await setUp(
      await open(),
      Array.from({ length: 40 }, (_, n) => ({
        id: `i${n}`,
        folder: 'Inbox',
        content: `content ${n}`,
        at: n,
      })),
    );
    const task = getValue(await context.request());
    const until = 1_790_000_000_000;
    let writes = 0;
    context.target.onWrite = async (call) => {
      writes += 1;
      if (writes !== 3) return;
      call.onWaiting({ until, reason: 'Slow down.' });
      await expect
        .poll(async () => (await context.taskOf(task)).waiting)
        .toEqual({ until, reason: 'Slow down.' });
      call.onWaiting(null);
      await expect.poll(async () => (await context.taskOf(task)).waiting).toBeNull();
      await context.store.tenant(context.tenant, async (tx) =>
        getValue(await cancelTask(tx, context.scope, task)),
      );
      writes = 100;
    };
    expect(await context.run(task)).toBe(null);
    // Three other workers may each have begun an item before the stop.
    expect(writes).toBeLessThanOrEqual(103);
    const ended = await context.taskOf(task);
    expect(ended).toMatchObject({ state: 'done', result: 'cancelled', waiting: null });
    expect(ended.counts.restored).toBe(context.target.state().length);
  });

  test(`RES-8: tasks of another organization and nodes outside the point don't exist (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 1 },
    ]);
    const task = await context.restored({ nodes: ['i1.1', 'i1.1'] });
    expect((await context.taskOf(task)).counts.restored).toBe(1);
    const foreign = { ...context.scope, organization: randomUUID() };
    await context.store.tenant(context.tenant, async (tx) => {
      expect((await getTask(tx, foreign, task)).ok).toBe(false);
      expect((await cancelTask(tx, foreign, task)).ok).toBe(false);
      expect(
        (
          await requestUndo(
            tx,
            foreign,
            { task, target: foreign.organization, rights: null },
            { now: 1, chance },
          )
        ).ok,
      ).toBe(false);
    });
    for (const nodes of [['o2'], ['f1.9'], ['i1.9'], ['x'], []])
      expect((await context.request({ nodes })).ok).toBe(false);
  });

  test(`RES-85, RES-2: one task restores folders and items of a mailbox, each item once (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 2 },
      { id: 'b', folder: 'Inbox', content: 'two', at: 1 },
      { id: 'p', folder: 'Projects', content: 'three', at: 1 },
      { id: 'q', folder: 'Projects', content: 'four', at: 2 },
    ]);
    // One of the items is also in the folder.
    await context.restored({ nodes: ['i1.1', 'f1.2', 'i1.3'] });
    expect(context.target.state()).toEqual(['Inbox/a=one', 'Inbox/b=two', 'Projects/p=three']);
  });

  test(`RES-1: items go to another user's folder with their folders below it (${name})`, async () => {
    const context = await setUp(await open(), [
      { id: 'a', folder: 'Inbox', content: 'one', at: 1 },
      { id: 'p', folder: 'Projects', content: 'one', at: 1 },
    ]);
    await context.restored({
      target: {
        kind: 'other',
        organization: context.scope.organization,
        object: 'u2',
        folder: 'Restored/2026',
      },
    });
    expect(context.target.state()).toEqual([
      'Restored/2026/Inbox/a=one',
      'Restored/2026/Projects/p=one',
    ]);
  });
});
