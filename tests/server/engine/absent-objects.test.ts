import { expect, test } from 'vitest';
import { freshStore, ONE } from '../db/databases.ts';
import { memoryObject } from './memory-source.ts';
import { makeSessionBench, type SessionBench } from './session-bench.ts';

async function backUp(bench: SessionBench, settings: Parameters<SessionBench['addJob']>[0]) {
  const job = await bench.addJob(settings);
  const session = (await bench.start(job)) ?? '';
  expect(await bench.run(session)).toBeNull();
  const [last] = (await bench.job(job)).recent;
  const rows = await bench.ground.context.store.tenant(bench.tenant, async ({ sql, tenant }) => ({
    work: await sql
      .selectFrom('backup_work')
      .select(['state', 'message'])
      .where('tenant_id', '=', tenant)
      .where('session_id', '=', session)
      .orderBy('object_n')
      .execute(),
    log: await sql
      .selectFrom('backup_log')
      .select(['level', 'message'])
      .where('tenant_id', '=', tenant)
      .where('session_id', '=', session)
      .orderBy('n')
      .execute(),
  }));
  return { last, ...rows };
}
const selectDrive = (id: string) => ({
  backupType: 'SelectedItems' as const,
  selectedItems: [{ type: 'User' as const, id, parts: ['oneDrive' as const] }],
});

test('ENG-6, SUITE-5: a session that finds nothing of what its job names has a warning, and names what is missing', async () => {
  const objects = [memoryObject('drive', 'ann'), memoryObject('drive', 'bob')];
  const [ann, bob] = objects;
  bob?.putFolder('top', null, 'Files');
  bob?.putItem('file', 'top', 'content');
  if (ann) ann.trouble.isAbsent = true;
  const bench = await makeSessionBench(await freshStore(ONE), objects);
  const alone = await backUp(bench, selectDrive('ann'));
  expect(alone.last).toMatchObject({
    result: 'warning',
    message: 'Nothing could be backed up.',
    point: null,
    counts: { objects: 1, succeeded: 0, warned: 1, failed: 0 },
  });
  expect(alone.work).toEqual([{ state: 'warning', message: 'It is gone.' }]);
  expect(alone.log.map(({ message }) => message)).toContain('Person ann (OneDrive): It is gone.');
  // Among others, a person without a OneDrive lacks nothing.
  const both = await backUp(bench, {
    backupType: 'SelectedItems',
    selectedItems: [{ type: 'PersonalSites', id: null, parts: ['oneDrive'] }],
  });
  expect(both.last).toMatchObject({ result: 'success', counts: { objects: 2, succeeded: 2 } });
});

test('SUITE-34: the log of a session without objects says once that there is nothing to back up', async () => {
  const bench = await makeSessionBench(await freshStore(ONE), [memoryObject('mailbox', 'ann')]);
  const { last, log } = await backUp(bench, selectDrive('nobody'));
  expect(last).toMatchObject({ result: 'warning', counts: { objects: 0 } });
  const nothing = "The job's selection contains nothing to back up.";
  expect(log.filter(({ message }) => message === nothing)).toEqual([
    { level: 'warning', message: nothing },
  ]);
});
