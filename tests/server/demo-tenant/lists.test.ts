import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { type Cloud, aCloud } from './fixtures.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const WRITE = ['Sites.Manage.All', 'User.Read.All'];

const intranet = async ({ all }: Cloud) => {
  const sites = await all('site', '/sites?search=*');
  return sites.find(({ displayName }) => displayName === 'Intranet');
};

const send = (cloud: Cloud, method: string, path: string, body: unknown, headers = {}) =>
  cloud.call(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('GRAPH-17: a site has libraries with drives, and lists with columns, rows and versions of published types', async () => {
  const cloud = await aCloud();
  const { all, one, call } = cloud;
  const site = await intranet(cloud);
  const lists = await all('list', `/sites/${site.id}/lists`);
  const drives = await all('drive', `/sites/${site.id}/drives`);
  const libraries = lists.filter(({ list }) => list.template === 'documentLibrary');
  expect(libraries.map(({ displayName }) => displayName)).toEqual(drives.map(({ name }) => name));
  for (const [at, { id }] of libraries.entries())
    expect(await one('drive', `/sites/${site.id}/lists/${id}/drive`)).toMatchObject({
      id: drives[at].id,
    });
  expect((await all('driveItem', `/drives/${drives[0].id}/root/children`)).length).toBeGreaterThan(
    1,
  );
  const tasks = lists.find(({ displayName }) => displayName === 'Tasks');
  const columns = await all('columnDefinition', `/sites/${site.id}/lists/${tasks.id}/columns`);
  expect(columns.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Title', 'Status', 'DueDate', 'Hours', 'Modified']),
  );
  const path = `/sites/${site.id}/lists/${tasks.id}/items`;
  const plain = await all('listItem', path);
  expect(plain.length).toBeGreaterThan(4);
  expect(plain[0]).not.toHaveProperty('fields');
  const rows = await all('listItem', `${path}?$expand=fields&$top=3`);
  expect(rows.map(({ id }) => id)).toEqual(plain.map(({ id }) => id));
  const [first] = rows;
  expect(first.fields.Title).toEqual(expect.any(String));
  const found = await all(
    'listItem',
    `${path}?$expand=fields&$filter=${encodeURIComponent(`fields/Title eq '${first.fields.Title}'`)}`,
  );
  expect(found.map(({ id }) => id)).toContain(first.id);
  cloud.tenant.admin.changeRow(site.id, tasks.id, Number(first.id), { Title: 'Changed' });
  const versions = await all('listItemVersion', `${path}/${first.id}/versions`);
  expect(versions.map(({ fields }) => fields.Title)).toEqual(['Changed', first.fields.Title]);
  expect(await call(`${path}/999`)).toMatchObject({ status: 404 });
  const [, host, sitePath] = /^https:\/\/([^/]+)\/(.*)$/.exec(site.webUrl) ?? [];
  expect(await one('site', `/sites/${host}:/${sitePath}`)).toMatchObject({ id: site.id });
});

test('GRAPH-17: lists, columns and rows are written as published; other permissions, fields and states are refused', async () => {
  const cloud = await aCloud({ roles: WRITE });
  const site = await intranet(cloud);
  const made = await send(cloud, 'POST', `/sites/${site.id}/lists`, {
    displayName: 'Books',
    columns: [
      { name: 'Pages', number: {} },
      { name: 'Genre', choice: { choices: ['Fiction', 'Other'] } },
    ],
    list: { template: 'genericList' },
  });
  expect(made).toMatchObject({ status: 201, body: { displayName: 'Books' } });
  const list = `/sites/${site.id}/lists/${made.body.id}`;
  const row = await send(cloud, 'POST', `${list}/items`, {
    fields: { Title: 'Tides', Pages: 320, Genre: 'Other' },
  });
  expect(row).toMatchObject({ status: 201, body: { fields: { Title: 'Tides', Pages: 320 } } });
  expect(await cloud.one('listItem', `${list}/items/${row.body.id}?$expand=fields`)).toMatchObject({
    fields: { Genre: 'Other' },
  });
  const item = `${list}/items/${row.body.id}`;
  for (const fields of [{ Pages: 'many' }, { Created: '2020-01-01T00:00:00Z' }, { Nothing: 1 }])
    expect(await send(cloud, 'PATCH', `${item}/fields`, fields)).toMatchObject({ status: 400 });
  const changed = await send(
    cloud,
    'PATCH',
    `${item}/fields`,
    { Pages: 321 },
    {
      'if-match': row.body.eTag,
    },
  );
  expect(changed).toMatchObject({ status: 200, body: { Pages: 321, Title: 'Tides' } });
  expect(
    await cloud.call(item, { method: 'DELETE', headers: { 'if-match': row.body.eTag } }),
  ).toMatchObject({ status: 412 });
  expect(await cloud.call(item, { method: 'DELETE' })).toMatchObject({ status: 204 });
  expect(await send(cloud, 'POST', `${list}/columns`, { name: 'Shelf', text: {} })).toMatchObject({
    status: 201,
  });
  expect(await send(cloud, 'POST', `${list}/columns`, { name: 'Shelf', text: {} })).toMatchObject({
    status: 409,
  });
  expect(await cloud.call(list, { method: 'DELETE' })).toMatchObject({ status: 204 });
  expect(await cloud.call(list)).toMatchObject({ status: 404 });
  const reader = await aCloud({ roles: ['Sites.ReadWrite.All'] });
  expect(
    await send(reader, 'POST', `/sites/${site.id}/lists`, { displayName: 'Books' }),
  ).toMatchObject({ status: 403 });
});

test('GRAPH-17: a removed library can be created again, with a drive of its own', async () => {
  const cloud = await aCloud({ roles: WRITE });
  const site = await intranet(cloud);
  const lists = `/sites/${site.id}/lists`;
  const drives = new Set<string>();
  for (let n = 0; n < 3; n += 1) {
    const made = await send(cloud, 'POST', lists, {
      displayName: 'Plans',
      list: { template: 'documentLibrary' },
    });
    expect(made.status).toBe(201);
    drives.add((await cloud.one('drive', `${lists}/${made.body.id}/drive`)).id);
    expect(await cloud.call(`${lists}/${made.body.id}`, { method: 'DELETE' })).toMatchObject({
      status: 204,
    });
  }
  expect(drives.size).toBe(3);
});

const act = record({ what: constantFrom('add', 'change', 'delete', 'page'), which: nat(30) });

test('GRAPH-17, GRAPH-3: however changes and pages of a list interleave, its delta ends with what the list has', async () => {
  await assert(
    asyncProperty(array(act, { maxLength: 14 }), async (acts) => {
      const cloud = await aCloud();
      const site = await intranet(cloud);
      const { admin } = cloud.tenant;
      const list = admin.listLists(site.id)[0]?.id ?? '';
      const known = new Map<string, unknown>();
      let link = `/sites/${site.id}/lists/${list}/items/delta?$expand=fields&$top=3`;
      const readPage = async (): Promise<boolean> => {
        const { body } = await cloud.page('listItem', link);
        for (const row of body.value)
          if (row.deleted) known.delete(row.id);
          else known.set(row.id, row.fields);
        link = body['@odata.nextLink'] ?? body['@odata.deltaLink'];
        return body['@odata.nextLink'] !== undefined;
      };
      for (const { what, which } of acts) {
        const rows = admin.listRows(site.id, list);
        const row = rows[which % Math.max(1, rows.length)];
        if (what === 'add') admin.addRow(site.id, list);
        else if (what === 'change' && row) admin.changeRow(site.id, list, row.n);
        else if (what === 'delete' && row) admin.deleteRow(site.id, list, row.n);
        else if (what === 'page') await readPage();
      }
      while (await readPage()) continue;
      while (await readPage()) continue;
      const all = await cloud.all(
        'listItem',
        `/sites/${site.id}/lists/${list}/items?$expand=fields`,
      );
      expect(Object.fromEntries(known)).toEqual(
        Object.fromEntries(all.map(({ id, fields }) => [id, fields])),
      );
      admin.expireTokens();
      expect(await cloud.call(link)).toMatchObject({ status: 410 });
    }),
    { numRuns: 10 * PROOF },
  );
});

test('GRAPH-17, GRAPH-11: rows and files of sites change as the tenant lives on', async () => {
  const cloud = await aCloud();
  const { admin } = cloud.tenant;
  const getState = (): string =>
    JSON.stringify(
      admin
        .listSites()
        .map(({ id }) => [
          admin.listLists(id).map((list) => admin.listRows(id, list.id)),
          admin.listLibraries(id).map((drive) => admin.listLibraryFiles(drive.id)),
        ]),
    );
  const before = getState();
  cloud.tenant.live(cloud.clock.now + 3 * 86_400_000);
  expect(getState()).not.toBe(before);
});
