import { expect, test } from 'vitest';
import { eachDatabase } from '../../db/databases.ts';
import { getValue, type Mail, setUp } from './restore-bench.ts';

eachDatabase((name, open) => {
  test(`RES-91: a restore ends when its target has not answered for an hour, however long it ran before, also over restarts (${name})`, async () => {
    const minute = 60_000;
    const store = await open();
    const backup: Mail[] = Array.from({ length: 12 }, (_, n) => ({
      id: `i${n}`,
      folder: 'Inbox',
      content: `content ${n}`,
      at: n,
    }));
    const long = await setUp(store, backup);
    const task = getValue(await long.request());
    // In each attempt an item is written and another one loses its connection.
    let writes = 0;
    long.target.onWrite = async () => {
      writes += 1;
      if (writes % 2 === 0) long.target.failures.push(['write', 'unreachable']);
    };
    let attempts = 0;
    for (; (await long.run(task)) !== null; attempts += 1) {
      expect(attempts).toBeLessThan(40);
      long.advance(20 * minute);
    }
    expect(attempts * 20).toBeGreaterThan(60);
    expect(await long.taskOf(task)).toMatchObject({ result: 'success' });
    expect(long.target.state()).toHaveLength(backup.length);

    const down = await setUp(store, backup);
    const second = getValue(await down.request());
    const attempt = () => {
      down.target.failures.push(...backup.map(() => ['folder', 'unreachable'] as const));
      return down.run(second);
    };
    const start = Number(await attempt());
    for (const passed of [20, 40, 60]) {
      down.advance(20 * minute);
      expect([passed, await attempt()]).toEqual([passed, start + passed * minute]);
    }
    down.advance(minute);
    expect(await attempt()).toBe(null);
    expect(await down.taskOf(second)).toMatchObject({
      result: 'failed',
      message: 'The target was not available for an hour. Start the restore again to continue.',
    });
  });

  test(`RES-91, RES-3: a full mailbox ends only the items for which it has no room, and they can be retried (${name})`, async () => {
    // The last two come in a batch after the first ones have ended.
    const sizes = [300, ...Array.from({ length: 99 }, () => 5), 900, 299];
    const backup: Mail[] = sizes.map((size, n) => ({
      id: `i${n}`,
      folder: 'Inbox',
      content: 'x'.repeat(size),
      at: sizes.length - n,
    }));
    const context = await setUp(await open(), backup);
    const { target } = context;
    target.full.set('user-1', 300);
    const task = await context.restored();
    expect(await context.taskOf(task)).toMatchObject({
      result: 'warning',
      counts: { restored: 100, failed: 2 },
      canRetry: true,
    });
    expect(target.state()).toHaveLength(100);
    expect((await context.messages(task)).filter((message) => message !== 'Created.')).toEqual([
      'No room.',
      'The mailbox or drive is full. Free space in Microsoft 365, then try again.',
    ]);
    // What is larger than an item for which there was no room is not tried.
    expect(target.refused).toEqual(['i0']);
  });
});
