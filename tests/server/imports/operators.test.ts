import { expect, test } from 'vitest';
import { freshStore, ONE } from '../db/databases.ts';
import { AFTER_ALL, openSession, someBackups } from '../restore/fixtures.ts';
import { signInOperator, storeDirectory } from '../restore/operators.ts';

const IMPORTED = 'import:00000000-0000-4000-8000-000000000002';
interface Listed {
  readonly rows: readonly { readonly id: string }[];
}

test('RES-53, IMP-4: a role for the entire organization is not about imported mailboxes, and one that names one is', async () => {
  const backups = await someBackups(await freshStore(ONE));
  const { ground: fixture, office, admin, ours } = backups;
  await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
    sql
      .updateTable('backup_object')
      .set({ directory_id: IMPORTED })
      .where('tenant_id', '=', tenant)
      .where('n', '=', 2)
      .execute(),
  );
  const kind = 'user' as const;
  await storeDirectory(
    backups,
    ours.organization,
    ['user-1', 'operator-1'].map((id) => ({ kind, id })),
    {},
  );
  const path = `o365/organizations/${ours.organization}/restore-roles`;
  const addRole = async (name: string, scope: object): Promise<void> => {
    const { status, text } = await admin('POST', path, {
      name,
      operators: [{ type: 'User', id: 'operator-1' }],
      selectedItems: [],
      excludedItems: [],
      withoutReading: false,
      mayDownload: true,
      needsSecondPerson: false,
      ...scope,
    });
    expect([status, text]).toEqual([200, text]);
  };
  await addRole('Everybody', { roleType: 'EntireOrganization' });
  const who = await signInOperator(backups, ours.organization, 'operator-1');
  const session = await openSession(who, ours, { sessionType: 'Vex', datetime: AFTER_ALL });
  const list = async (): Promise<readonly string[]> => {
    const at = `o365/restore/restoresessions/${session}/mailboxes`;
    const { text, body } = await who<Listed>('GET', at);
    if (!body.success) throw new Error(text);
    return body.data.rows.map(({ id }) => id);
  };
  expect(await list()).toEqual(['o1']);
  await addRole('And Bob', {
    roleType: 'SpecificObjects',
    selectedItems: [{ type: 'User', id: IMPORTED }],
  });
  fixture.pass(1);
  expect(await list()).toEqual(['o1', 'o2']);
});
