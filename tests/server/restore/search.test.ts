import { expect, test } from 'vitest';
import { eachDatabase } from '../db/databases.ts';
import { POINT_AT } from '../engine/explorer/history.ts';
import { openSession, someBackups } from './fixtures.ts';

interface Found {
  readonly rows: readonly {
    readonly id: string;
    readonly name: string;
    readonly deleted: boolean;
    readonly sessionType: string;
    readonly openAt: number;
    readonly path: readonly string[];
    readonly object: { readonly id: string };
  }[];
  readonly next: string | null;
}

eachDatabase((kind, open) => {
  test(`RES-80, RES-55: an organization is searched as a whole, nobody else's, and the search is in the audit without its words (${kind})`, async () => {
    const { ground: fixture, office, admin, ours, theirs } = await someBackups(await open());
    const path = `o365/restore/search?organizationId=${ours.organization}`;
    const found = await admin<Found>('GET', `${path}&search=mail%201`);
    expect(
      found.body.data.rows
        .map(({ name, deleted, openAt }) => [name, deleted, openAt] as const)
        .toSorted(([a], [b]) => a.localeCompare(b)),
    ).toEqual([
      ['Ann mail 1', true, POINT_AT(1)],
      ['Bob mail 1', true, POINT_AT(1)],
    ]);
    expect((await admin('GET', `${path}&search=Canary`)).text).not.toContain('Canary mail');
    expect(
      (await admin<Found>('GET', `${path}&search=mail&deleted=false`)).body.data.rows,
    ).toHaveLength(4);
    for (const sessionType of ['Veod', 'Vesp', 'Vet'])
      expect(
        (await admin<Found>('GET', `${path}&search=mail&sessionType=${sessionType}`)).body.data
          .rows,
      ).toEqual([]);
    for (const query of [
      '',
      '&search=',
      '&search=%20',
      '&search=a&deleted=x',
      '&search=a&sessionType=mail',
    ])
      expect([query, (await admin('GET', `${path}${query}`)).status]).toEqual([query, 400]);
    expect((await admin('GET', `${path}&search=mail&companyId=2`)).status).toBe(404);
    // A customer of the other company.
    const other = await office.as('other', ['o365_admin'], [2]);
    expect((await other('GET', `${path}&search=mail`)).status).toBe(404);
    expect(
      (
        await other<Found>(
          'GET',
          `o365/restore/search?organizationId=${theirs.organization}&search=mail`,
        )
      ).body.data.rows.map(({ name }) => name),
    ).toEqual(['Canary mail 3', 'Canary mail 2', 'Canary mail 1']);
    const viewer = await office.as('viewer', ['read-only'], [1]);
    expect((await viewer('GET', `${path}&search=mail`)).status).toBe(403);
    const audit = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('audit')
        .select('detail')
        .where('tenant_id', '=', tenant)
        .where('what', '=', 'backupcontent.read')
        .execute(),
    );
    const searches = audit.map(({ detail }) => JSON.stringify(detail));
    // Answered ones alone.
    expect(searches).toHaveLength(7);
    for (const entry of searches) {
      expect(entry).toContain('"search"');
      expect(entry.toLowerCase()).not.toContain('mail');
    }
  });

  test(`RES-80: a session says where an item is, and only of what it shows (${kind})`, async () => {
    const { admin, ours, office } = await someBackups(await open());
    const { body } = await admin<Found>(
      'GET',
      `o365/restore/search?organizationId=${ours.organization}&search=Ann%20mail%202`,
    );
    const [found] = body.data.rows;
    expect(found).toMatchObject({
      sessionType: 'Vex',
      path: ['Inbox', 'Old'],
      openAt: POINT_AT(2),
    });
    const session = await openSession(admin, ours, { datetime: found?.openAt });
    const where = (id: string) =>
      admin<{ objects: string[]; folders: string[]; index: number }>(
        'GET',
        `o365/restore/restoresessions/${session}/place?itemId=${id}`,
      );
    const { data } = (await where(found?.id ?? '')).body;
    expect([data.objects, data.index]).toEqual([[found?.object.id], 0]);
    expect(data.folders).toHaveLength(2);
    for (const id of ['o1', 'f1.1', 'i1.99', 'i3.1', 'x'])
      expect([id, (await where(id)).status]).toEqual([id, 404]);
    const other = await office.as('other', ['o365_admin']);
    const path = `o365/restore/restoresessions/${session}/place?itemId=${found?.id}`;
    expect((await other('GET', path)).status).toBe(404);
  });

  test(`RES-84, RES-55: a session names nodes by their ids, and only those that it has (${kind})`, async () => {
    const { admin, ours, office, ground: fixture } = await someBackups(await open());
    const first = await openSession(admin, ours, { datetime: POINT_AT(0) });
    const of = `o365/restore/restoresessions/${first}`;
    const list = async (path: string) =>
      (await admin<{ rows: readonly { id: string; name: string }[] }>('GET', `${of}/${path}`)).body
        .data.rows;
    const ann = 'o1';
    const [inbox] = await list(`mailboxes/${ann}/folders`);
    const [mail] = await list(`mailboxes/${ann}/items?parentId=${inbox?.id}`);
    const newest = await openSession(admin, ours);
    const later =
      (
        await admin<{ rows: readonly { id: string; name: string }[] }>(
          'GET',
          `o365/restore/restoresessions/${newest}/mailboxes/${ann}/items?parentId=${inbox?.id}`,
        )
      ).body.data.rows.find(({ name }) => name === 'Ann mail 3')?.id ?? '';
    const theirs = ['o3', 'f3.1', 'i3.1'];
    const wanted = [mail?.id ?? '', later, ann, ...theirs, inbox?.id ?? '', 'o99', 'i1.99', 'x'];
    const name = (session: string, nodes: readonly string[], who = admin) =>
      who<{ rows: readonly { id: string; kind: string; name: string; object: { id: string } }[] }>(
        'POST',
        `o365/restore/restoresessions/${session}/nodes`,
        { nodes },
      );
    const describe = async (session: string) =>
      (await name(session, wanted)).body.data.rows.map((row) => [row.id, row.kind, row.name]);
    expect(await describe(first)).toEqual([
      [mail?.id, 'mail', 'Ann mail 1'],
      [ann, 'mailbox', (await list('mailboxes')).find(({ id }) => id === ann)?.name],
      [inbox?.id, 'folder', 'Inbox'],
    ]);
    // What the first point does not have yet.
    expect(await describe(newest)).toContainEqual([later, 'mail', 'Ann mail 3']);
    expect((await name(first, [])).status).toBe(400);
    const other = await office.as('other', ['o365_admin']);
    expect((await name(first, [ann], other)).status).toBe(404);
    const audit = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .selectFrom('audit')
        .select('detail')
        .where('tenant_id', '=', tenant)
        .where('what', '=', 'backupcontent.read')
        .execute(),
    );
    const read = audit.map(({ detail }) => JSON.stringify(detail));
    expect(read.filter((entry) => entry.includes(`"rows":3`) && entry.includes(first))).not.toEqual(
      [],
    );
    for (const entry of read) expect(entry).not.toContain('Ann mail');
  });
});
