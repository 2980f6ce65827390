import { expect, test } from 'vitest';
import { backupRuns } from '#server/features/backup/backup-runs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { anyDatabase } from '../db/databases.ts';
import { memoryObject } from '../engine/memory-source.ts';
import { makeSessionBench, type SessionBench } from '../engine/session-bench.ts';
import { user } from '../http/fixtures.ts';
import { loadMails } from '../notifications/fixtures.ts';

const HOUR = 3_600_000;

const follow = ({ ground: { context }, tenant }: SessionBench, store: Store = context.store) =>
  backupRuns({ ...context, store })({
    tenant,
    payload: null,
    now: context.clock.now(),
    signal: new AbortController().signal,
  });

/** A backup job of two mailboxes, with its recipients. */
async function makeRecipients(store: Store) {
  const objects = ['ann', 'bob'].map((name) => memoryObject('mailbox', name));
  for (const memory of objects) {
    memory.putFolder('top', null, 'Inbox');
    memory.putItem('i0', 'top', 'content');
  }
  const bench = await makeSessionBench(store, objects);
  const { ground: fixture, tenant } = bench;
  const job = await bench.addJob();
  const make = (username: string, companies: number[] | null) =>
    user(fixture, tenant, { username, email: `${username}@example.com`, companies });
  const userIds = [await make('kate', null), await make('lars', [1]), await make('mona', [2])];
  await fixture.context.store.tenant(tenant, async ({ sql }) => {
    await sql
      .updateTable('person')
      .set({ language: 'en-XA' })
      .where('tenant_id', '=', tenant)
      .where('username', '=', 'lars')
      .execute();
    await sql
      .insertInto('backup_job_recipient')
      .values(
        ['help@example.net', 'kate@example.com'].map((address) => ({
          tenant_id: tenant,
          job_id: job,
          address,
        })),
      )
      .execute();
  });
  return {
    bench,
    bob: objects[1],
    notify: (notifyOnFailure: boolean, enabled = true) =>
      bench.append({
        type: 'backupjob.notificationsUpdated@1',
        data: {
          id: job,
          notifications: { enabled, notifyOnFailure, userIds, externalCount: 2 },
        },
      }),
    backUp: async (stop = false): Promise<void> => {
      fixture.pass(60_000);
      const session = (await bench.start(job)) ?? '';
      if (stop) await bench.stop(job);
      for (;;) {
        const next = await bench.run(session);
        if (next === null) return;
        fixture.pass(Math.max(1, next - fixture.context.clock.now()));
      }
    },
    mails: async () => {
      await follow(bench);
      return (await loadMails(fixture, bench)).map(({ to, subject, text }) => ({
        to,
        subject,
        text,
      }));
    },
    job,
  };
}

anyDatabase((name, open) => {
  test(`SUITE-33: after the chosen sessions, each recipient gets one email in their language (${name})`, async () => {
    const { bench, bob, notify, backUp, mails, job } = await makeRecipients(await open());
    await backUp();
    expect(await mails()).toEqual([]);
    await notify(true);
    await backUp();
    await backUp(true);
    expect(await mails()).toEqual([]);

    bob?.putItem('new', 'top', 'more');
    if (bob) bob.trouble.cutAfter = 1;
    await backUp();
    const failed = await mails();
    // The user of another company and the address that is a user's get none.
    expect(failed.map(({ to }) => to).toSorted()).toEqual([
      'help@example.net',
      'kate@example.com',
      'lars@example.com',
    ]);
    const kate = failed.find(({ to }) => to.startsWith('kate'));
    expect(kate?.subject).toBe('Backup ended with warnings: Mail and files of Saltmarsh Marine');
    expect(kate?.text).toContain('- Person bob: The tenant does not answer.');
    expect(kate?.text).toContain('Company: Company 1');
    expect(kate?.text).toContain('Backed up: 5 of 6 objects');
    expect(kate?.text).toContain(job);
    expect(failed.find(({ to }) => to.startsWith('lars'))?.subject).not.toBe(kate?.subject);
    expect(await mails()).toHaveLength(3);

    if (bob) bob.trouble.cutAfter = null;
    await notify(false);
    await backUp();
    expect((await mails()).slice(3).map(({ subject }) => subject)).toContain(
      'Backup succeeded: Mail and files of Saltmarsh Marine',
    );
    expect(await mails()).toHaveLength(6);
    await backUp(true);
    expect(await mails()).toHaveLength(9);
    // News that nobody could send for a day are no news.
    await backUp();
    bench.ground.pass(25 * HOUR);
    expect(await mails()).toHaveLength(9);
    await notify(false, false);
    await backUp();
    expect(await mails()).toHaveLength(9);
  });

  test(`SUITE-33: a process that is killed at any step sends no email twice, and none is lost (${name})`, async () => {
    const { bench, notify, backUp, mails } = await makeRecipients(await open());
    await notify(false);
    const { store } = bench.ground.context;
    for (let round = 1, cut = 1; ; round += 1, cut += 1) {
      await backUp();
      let left = cut;
      const killed = Object.assign(Object.create(store) as Store, {
        async tenant(...args: Parameters<Store['tenant']>) {
          const done = await store.tenant(...args);
          left -= 1;
          if (left <= 0) throw new Error('killed');
          return done;
        },
      });
      const isDone = await follow(bench, killed).then(
        () => true,
        () => false,
      );
      expect(await mails(), `killed after step ${cut}`).toHaveLength(3 * round);
      if (isDone) break;
    }
  });
});
