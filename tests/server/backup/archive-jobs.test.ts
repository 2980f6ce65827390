import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import { aSuite, job, makeAll, storeDirectoryItems } from './fixtures.ts';

anyDatabase((kind, open) => {
  test(`SUITE-5: a job that names archive mailboxes is refused, and one that names nothing gets none (${kind})`, async () => {
    const suite = await aSuite(await open());
    const admin = await suite.office.as('admin', ['o365_admin']);
    const { organization, repository: vault } = await makeAll(admin, 1, 'Calloway');
    await storeDirectoryItems(suite, organization, { user: ['ann', 'bob'] });
    const refused = {
      status: 400,
      body: {
        error: { kind: 'bad-input', issues: [{ path: 'selectedItems.1.archiveMailbox' }] },
        message:
          "Archive mailboxes can't be backed up. Microsoft Graph finds them only in its beta version, which isn't supported for production.",
      },
    };
    const archive = {
      backupType: 'SelectedItems',
      selectedItems: [
        { type: 'User', id: 'ann' },
        { type: 'User', id: 'bob', mailbox: true, archiveMailbox: true },
      ],
    };
    expect(await admin('POST', 'o365/jobs', job(organization, vault, archive))).toMatchObject(
      refused,
    );
    const plain = job(organization, vault, {
      name: 'Plain',
      backupType: 'SelectedItems',
      selectedItems: [{ type: 'User', id: 'ann' }],
    });
    const { id } = (await admin<{ id: string }>('POST', 'o365/jobs', plain)).body.data;
    expect((await admin('GET', `o365/jobs/${id}`)).body.data).toMatchObject({
      selectedItems: [{ id: 'ann', mailbox: true, archiveMailbox: false, oneDrive: true }],
    });
    const { organizationId: _, ...changed } = {
      ...(plain as { organizationId: string }),
      ...archive,
    };
    expect(await admin('PUT', `o365/jobs/${id}`, changed)).toMatchObject(refused);
  });
});
