import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { someBackups, type Backups } from './fixtures.ts';

interface Role {
  readonly id: string;
  readonly name: string;
  readonly operatorNames: readonly string[];
  readonly people: number;
  readonly operators: readonly { readonly id: string; readonly name: string }[];
}

const ROLE = {
  name: 'Reception',
  operators: [{ type: 'User', id: 'user-1' }],
  roleType: 'SpecificObjects',
  selectedItems: [{ type: 'User', id: 'user-2' }],
};

/** People and a group of the directory: users 1 to 4, of whom 3 and 4 are in the group. */
async function fillDirectory(
  { ground: { context }, office }: Backups,
  organization: string,
): Promise<void> {
  await context.store.tenant(office.tenant, async ({ sql, tenant }) => {
    const object = (kind: 'user' | 'group', id: string, name: string) => ({
      tenant_id: tenant,
      organization_id: organization,
      kind,
      id,
      name,
      address: `${id}@example.com`,
      parent_id: null,
      deleted_at: null,
    });
    await sql
      .insertInto('directory_object')
      .values([
        ...[1, 2, 3, 4].map((n) => object('user', `user-${n}`, `Person ${n}`)),
        object('group', 'group-1', 'Sales'),
      ])
      .execute();
    await sql
      .insertInto('directory_member')
      .values(
        ['user-3', 'user-4'].map((user_id) => ({
          tenant_id: tenant,
          organization_id: organization,
          group_id: 'group-1',
          user_id,
        })),
      )
      .execute();
  });
}

anyDatabase((kind, open) => {
  test(`RES-50: roles of restore operators are created, listed with the people they are about, changed and deleted (${kind})`, async () => {
    const backups = await someBackups(await open());
    const { admin, ours, office } = backups;
    await fillDirectory(backups, ours.organization);
    const path = `o365/organizations/${ours.organization}/restore-roles`;
    const list = async (at = path) =>
      (await admin<{ rows: Role[]; count: number }>('GET', at)).body.data;
    const created = await admin<{ id: string }>('POST', path, ROLE);
    expect([created.status, created.text.slice(0, 0)]).toEqual([200, '']);
    const { id } = created.body.data;
    expect((await list()).rows).toMatchObject([
      {
        _id: id,
        name: 'Reception',
        operatorNames: ['Person 1'],
        operatorCount: 1,
        selected: 1,
        excluded: 0,
        people: 1,
        withoutReading: false,
        mayDownload: false,
        needsSecondPerson: false,
      },
    ]);
    expect((await list('o365/organizations/restore-roles?search=recep')).count).toBe(1);
    expect((await list('o365/organizations/restore-roles?search=other')).count).toBe(0);
    const wide = {
      ...ROLE,
      roleType: 'EntireOrganization',
      selectedItems: [],
      excludedItems: [{ type: 'Group', id: 'group-1' }],
      withoutReading: true,
      needsSecondPerson: true,
    };
    expect((await admin('PUT', `${path}/${id}`, wide)).status).toBe(200);
    const full = await admin<Role>('GET', `${path}/${id}`);
    expect(full.body.data).toMatchObject({
      people: 2,
      roleType: 'EntireOrganization',
      withoutReading: true,
      operators: [{ type: 'User', id: 'user-1', name: 'Person 1', address: 'user-1@example.com' }],
      excludedItems: [{ type: 'Group', id: 'group-1', name: 'Sales' }],
    });
    expect((await admin('DELETE', `${path}/${id}`)).status).toBe(200);
    expect((await list()).rows).toEqual([]);
    expect((await admin('GET', `${path}/${id}`)).status).toBe(404);
    const recorded = await backups.ground.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('audit')
        .select('what')
        .where('tenant_id', '=', tenant)
        .where('what', 'like', 'restorerole.%')
        .orderBy('what')
        .execute(),
    );
    expect(recorded.map(({ what }) => what)).toEqual([
      'restorerole.created',
      'restorerole.deleted',
      'restorerole.updated',
    ]);
  });

  test(`RES-50, SUITE-7: a role is saved with all that the steps of the wizard know, and only for the company of its organization (${kind})`, async () => {
    const { admin, ours } = await someBackups(await open());
    const path = `o365/organizations/${ours.organization}/restore-roles`;
    const first = await admin<{ id: string }>('POST', path, { ...ROLE, id: null, companyId: 1 });
    expect(first.status).toBe(200);
    const { id } = first.body.data;
    const { rows } = (await admin<{ rows: Role[] }>('GET', path)).body.data;
    expect(rows).toMatchObject([{ _id: id, companyN: 1 }]);
    const change = { ...ROLE, description: 'Changed' };
    const put = async (more: object): Promise<number> =>
      (await admin('PUT', `${path}/${id}`, { ...change, ...more })).status;
    expect(await put({ id, companyId: 1 })).toBe(200);
    expect(await put({ id, companyId: 2 })).toBe(404);
    expect(await put({ id: crypto.randomUUID(), companyId: 1 })).toBe(404);
    const other = { ...ROLE, name: 'Other', id: null };
    expect((await admin('POST', path, { ...other, companyId: 2 })).status).toBe(404);
    expect((await admin('POST', path, { ...other, companyId: 999 })).status).toBe(404);
    const after = (await admin<{ rows: Role[] }>('GET', path)).body.data;
    expect(after.rows).toMatchObject([{ _id: id, description: 'Changed' }]);
  });

  test(`RES-50: a role that grants nothing, contradicts itself or has a taken name is refused, with its field (${kind})`, async () => {
    const backups = await someBackups(await open());
    const { admin, ours } = backups;
    const path = `o365/organizations/${ours.organization}/restore-roles`;
    const refusal = async (body: object): Promise<unknown> => {
      const { body: answer } = await admin<object>('POST', path, body);
      const { kind: why, issues } = answer.error as {
        kind: string;
        issues?: { path: string }[];
      };
      return [why, issues?.[0]?.path];
    };
    await fillDirectory(backups, ours.organization);
    for (const [path, change] of [
      ['operators.0.id', { operators: [{ type: 'User', id: 'nobody' }] }],
      ['selectedItems.0.id', { selectedItems: [{ type: 'Group', id: 'user-2' }] }],
      ['excludedItems.0.id', { excludedItems: [{ type: 'Site', id: 'nowhere' }] }],
    ] as const)
      expect(await refusal({ ...ROLE, ...change })).toEqual(['bad-input', path]);
    const item = { type: 'Site', id: 'site-1' };
    expect(await refusal({ ...ROLE, operators: [] })).toEqual(['bad-input', 'operators']);
    expect(await refusal({ ...ROLE, name: ' ' })).toEqual(['bad-input', 'name']);
    expect(await refusal({ ...ROLE, selectedItems: [] })).toEqual(['bad-input', 'selectedItems']);
    expect(await refusal({ ...ROLE, selectedItems: [item], excludedItems: [item] })).toEqual([
      'bad-input',
      'excludedItems',
    ]);
    expect(await refusal({ ...ROLE, withoutReading: true, mayDownload: true })).toEqual([
      'bad-input',
      'mayDownload',
    ]);
    expect(await refusal({ ...ROLE, roles: ['admin'] })).toEqual(['bad-input', 'roles']);
    expect((await admin('POST', path, ROLE)).status).toBe(200);
    expect(await refusal({ ...ROLE, name: 'RECEPTION' })).toEqual(['conflict', undefined]);
  });

  test(`RES-50, SUITE-7: roles of organizations that the user doesn't see don't exist, and other roles have no access (${kind})`, async () => {
    const backups = await someBackups(await open());
    const { ground: fixture, admin, office, ours, theirs } = backups;
    await fillDirectory(backups, theirs.organization);
    const path = `o365/organizations/${theirs.organization}/restore-roles`;
    const created = await admin<{ id: string }>('POST', path, ROLE);
    const one = `${path}/${created.body.data.id}`;
    const statuses = async (who: Asker): Promise<number[]> => [
      (await who('GET', path)).status,
      (await who('POST', path, { ...ROLE, name: 'Reach' })).status,
      (await who('GET', one)).status,
      (await who('PUT', one, ROLE)).status,
      (await who('DELETE', one)).status,
    ];
    const cora = await office.as('cora', ['o365_admin'], [1]);
    expect(await statuses(cora)).toEqual([404, 404, 404, 404, 404]);
    const all = await cora<{ rows: Role[] }>('GET', 'o365/organizations/restore-roles');
    expect(all.body.data.rows).toEqual([]);
    expect(await statuses(await office.as('olga', ['operator']))).toEqual([
      403, 403, 403, 403, 403,
    ]);
    // A role is its organization's, whatever the path says.
    expect(
      (
        await admin(
          'GET',
          `o365/organizations/${ours.organization}/restore-roles/${created.body.data.id}`,
        )
      ).status,
    ).toBe(404);
    expect((await admin('GET', `${path}/${randomUUID()}`)).status).toBe(404);
    expect((await admin('GET', one)).status).toBe(200);
    fixture.pass(6 * 60_000);
    const late = await admin<object>('PUT', one, ROLE);
    expect((late.body.error as { kind: string }).kind).toBe('reauth_required');
  });
});
