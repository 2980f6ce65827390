import { expect, test } from 'vitest';
import { hidePerson, releasePerson } from '#server/engine/embedded/repositories/exclusions.ts';
import { eachDatabase } from '../../db/databases.ts';
import { POINT_AT } from '../explorer/history.ts';
import { getValue, type Mail, setUp } from './restore-bench.ts';

/** Items that a task writes side by side. */
const BATCH_SIZE = 4;
const MAILS: readonly Mail[] = Array.from({ length: 12 }, (_, n) => ({
  id: `mail ${n}`,
  folder: 'Inbox',
  content: `content ${n}`,
  at: n + 1,
}));
const EXCLUDED = 'The person of this item was excluded from backups on request meanwhile.';

eachDatabase((name, open) => {
  test(`ENG-122, RES-3: a running restore writes nothing more of a person once they are excluded, says why for each item, and names none (${name})`, async () => {
    const context = await setUp(await open(), MAILS);
    const { target, store, tenant, scope } = context;
    const person = { organization: scope.organization, id: 'user-1' };
    let hidden: Promise<void> | null = null;
    target.onWrite = async () => {
      hidden ??= store.tenant(tenant, (tx) => hidePerson(tx, person, POINT_AT(10)));
      await hidden;
    };
    const task = await context.restored();
    const { counts, result, items } = await context.taskOf(task);
    expect(items).toEqual({ done: MAILS.length, total: MAILS.length });
    expect(counts.restored + counts.failed).toBe(MAILS.length);
    // Only what was being written then.
    expect(counts.restored).toBeGreaterThan(0);
    expect(counts.restored).toBeLessThanOrEqual(BATCH_SIZE);
    expect(result).toBe('warning');
    expect(target.state()).toHaveLength(counts.restored);
    const messages = await context.messages(task);
    expect(messages.filter((message) => message === EXCLUDED)).toHaveLength(counts.failed);
    expect((await context.outcomes(task)).filter((line) => line.includes('mail'))).toEqual([]);

    // Neither its undo nor a new restore has anything of the person, and the target stays as it is.
    const before = target.state();
    expect(await context.run(getValue(await context.undo(task)))).toBe(null);
    expect(target.state()).toEqual(before);
    expect((await context.request()).ok).toBe(false);

    // The end of the exclusion brings nothing back.
    await store.tenant(tenant, (tx) => releasePerson(tx, person));
    expect((await context.request()).ok).toBe(false);
    expect((await context.outcomes(task)).filter((line) => line.includes('mail'))).toEqual([]);
  });

  test(`ENG-122: a restore that was requested before an exclusion and begins after it writes nothing (${name})`, async () => {
    const context = await setUp(await open(), MAILS);
    const { target, store, tenant, scope } = context;
    const task = getValue(await context.request());
    const person = { organization: scope.organization, id: 'user-1' };
    await store.tenant(tenant, (tx) => hidePerson(tx, person, POINT_AT(10)));
    expect(await context.run(task)).toBe(null);
    expect(target.state()).toEqual([]);
    const { counts, result } = await context.taskOf(task);
    expect([counts.restored, counts.failed, result]).toEqual([0, MAILS.length, 'failed']);
    expect(new Set(await context.messages(task))).toEqual(new Set([EXCLUDED]));
  });
});
