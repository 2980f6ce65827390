import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import { aSuite, job, makeAll, storeDirectoryItems } from './fixtures.ts';

interface Rows {
  readonly rows: readonly { readonly _id: string; readonly name: string }[];
}
const item = (type: string, id: string | null) => ({ type, id });

anyDatabase((kind, open) => {
  test(`SUITE-5: a job that names what the directory doesn't have is refused at the item (${kind})`, async () => {
    const suite = await aSuite(await open());
    const { office, recording } = suite;
    const admin = await office.as('admin', ['o365_admin']);
    const { organization, repository: vault } = await makeAll(admin, 1, 'Calloway');
    await storeDirectoryItems(suite, organization, {
      user: ['ann'],
      group: ['crew'],
      team: ['board'],
      site: ['intranet'],
    });
    const save = async (selectedItems: object[], excludedItems: object[] = []) => {
      const { status, body } = await admin(
        'POST',
        'o365/jobs',
        job(organization, vault, {
          name: randomUUID(),
          backupType: 'SelectedItems',
          selectedItems,
          excludedItems,
        }),
      );
      const paths = body.error?.issues?.map(({ path }) => path);
      return paths === undefined ? [status] : [status, paths, body.message];
    };
    const wrong = "The directory of the organization doesn't have this item. Choose another one.";
    const ann = item('User', 'ann');
    expect([
      await save([ann, item('User', 'nobody')]),
      await save([item('Group', 'ann')]),
      await save([ann], [item('Site', 'nowhere')]),
      await save([item('Team', 'intranet')]),
    ]).toEqual([
      [400, ['selectedItems.1.id'], wrong],
      [400, ['selectedItems.0.id'], wrong],
      [400, ['excludedItems.0.id'], wrong],
      [400, ['selectedItems.0.id'], wrong],
    ]);
    // A team has the id of its group, and all sites have none.
    const all = [ann, item('Group', 'crew'), item('Group', 'board'), item('Site', null)];
    expect(await save(all, [item('Team', 'board'), item('Site', 'intranet')])).toEqual([200]);
    // The directory is read first: somebody may just have been added. Where it can't be, nobody knows.
    recording.calls.length = 0;
    await save([item('User', 'new'), item('User', 'newer')]);
    expect(recording.calls).toMatchObject([{ name: 'listObjects', input: { kind: 'user' } }]);
    recording.failing.set('listObjects', { kind: 'unreachable', message: 'No answer.' });
    expect(await save([item('User', 'new')])).toEqual([200]);
    recording.failing.clear();
    // What was accepted stays, whatever became of it.
    const { rows } = (await admin<Rows>('GET', `o365/jobs?limit=100`)).body.data;
    interface Named {
      readonly selectedItems: { readonly id: string | null }[];
    }
    for (const { _id: id, name } of rows) {
      const { selectedItems } = (await admin<Named>('GET', `o365/jobs/${id}`)).body.data;
      if (!selectedItems.some((one) => one.id === 'new')) continue;
      const { organizationId: _of, ...change } = job(organization, vault, {
        name,
        backupType: 'SelectedItems',
        selectedItems: [item('User', 'new')],
      }) as Record<string, unknown>;
      expect((await admin('PUT', `o365/jobs/${id}`, change)).status).toBe(200);
      const more = { ...change, selectedItems: [item('User', 'new'), item('User', 'other')] };
      const refused = await admin('PUT', `o365/jobs/${id}`, more);
      expect(refused.body.error.issues?.map(({ path }) => path)).toEqual(['selectedItems.1.id']);
    }
  });
});
