import { expect, test } from 'vitest';
import type { Event } from '#contract/events.ts';
import { backupRuns } from '#server/features/backup/backup-runs.ts';
import type { Store } from '#server/platform/db/store.ts';
import { companyDraft } from '../db/drafts.ts';
import { eachDatabase } from '../db/databases.ts';
import { memoryObject } from '../engine/memory-source.ts';
import { makeSessionBench } from '../engine/session-bench.ts';
import { loadMails } from '../notifications/fixtures.ts';
import { addAdministrators } from './fixtures.ts';

const HOUR = 3_600_000;

/** A repository of company 1, and administrators of every kind. */
async function makeRepository(store: Store) {
  const bench = await makeSessionBench(store, [memoryObject('mailbox', 'ann')]);
  const { ground: fixture, tenant, repository: id } = bench;
  const now = () => fixture.context.clock.now();
  await store.tenant(tenant, async (tx) => {
    await tx.append([companyDraft(2)], {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: now(),
    });
  });
  await addAdministrators(fixture, tenant);
  const append = (event: Event): Promise<void> =>
    store.tenant(tenant, async (tx) => {
      await tx.append([{ company: 1, entity: `backuprepository:${id}`, event }], {
        actor: { kind: 'clock' },
        subject: null,
        commandId: null,
        at: now(),
      });
    });
  await append({
    type: 'backuprepository.created@1',
    data: {
      id,
      company: 1,
      organization: bench.organization,
      target: { type: 'Folder' },
      retentionType: 'SnapshotBased',
      name: 'North vault',
      description: '',
      passwordDescription: '',
      retentionPolicy: 'Years3',
      shortened: null,
      proxy: null,
      deletesAt: null,
    },
  });
  return {
    pass: (ms: number) => {
      fixture.pass(ms);
    },
    verify: (damaged: number, partial = false) =>
      append({
        type: 'backuprepository.verified@1',
        data: { id, damaged, ...(partial && { partial }) },
      }),
    tamper: (recovered: number, lost: number) =>
      append({ type: 'backuprepository.tampered@1', data: { id, recovered, lost } }),
    remove: () => append({ type: 'backuprepository.deleted@1', data: { id } }),
    /** The emails that have been queued since the last call. */
    listNew: (() => {
      let known = 0;
      return async () => {
        await backupRuns(fixture.context)({
          tenant,
          payload: null,
          now: now(),
          signal: new AbortController().signal,
        });
        const all = await loadMails(fixture, bench);
        const fresh = all.slice(known).map(({ to, subject, text }) => ({ to, subject, text }));
        known = all.length;
        return fresh.toSorted((a, b) => a.to.localeCompare(b.to));
      };
    })(),
  };
}

eachDatabase((name, open) => {
  test(`SUITE-35: administrators who see the company learn once of each new damage (${name})`, async () => {
    const { verify, listNew } = await makeRepository(await open());
    await verify(0);
    expect(await listNew()).toEqual([]);
    await verify(2, true);
    const mails = await listNew();
    // Neither those of another company nor operators.
    expect(mails.map(({ to }) => to)).toEqual(['ann@example.com', 'bob@example.com']);
    expect(mails[0]?.subject).toBe('Damaged data in the backup repository North vault');
    expect(mails[0]?.text).toContain('North vault of Company 1 found damaged data. 2 items lost');
    // The same damage, and less of it, is no news; more is.
    await verify(2);
    await verify(1, true);
    expect(await listNew()).toEqual([]);
    await verify(3);
    expect((await listNew()).map(({ text }) => text.includes('3 items'))).toEqual([true, true]);
    expect(await listNew()).toEqual([]);
  });

  test(`SUITE-35: administrators learn of files that somebody else deleted, unless the repository is gone or a day has passed (${name})`, async () => {
    const { tamper, remove, pass, listNew } = await makeRepository(await open());
    await tamper(4, 1);
    const [first] = await listNew();
    expect(first?.subject).toContain('Files of the backup repository North vault were deleted');
    expect(first?.text).toContain('deleted or overwrote 4 files');
    expect(first?.text).toContain("1 file of the backup repository North vault of Company 1 can't");
    expect(first?.text).toContain('Change the access key');
    await tamper(1, 0);
    pass(25 * HOUR);
    expect(await listNew()).toEqual([]);
    await tamper(1, 0);
    expect(await listNew()).toHaveLength(2);
    await tamper(1, 0);
    await remove();
    expect(await listNew()).toEqual([]);
  });
});
