import { expect, test } from 'vitest';
import {
  directoryClient,
  readDirectory,
  readMembers,
} from '#server/engine/embedded/sources/directory.ts';
import type { DirectoryList } from '#contract/engine/directory-list.ts';
import type { DirectoryPage } from '#server/engine/embedded/sources/directory.ts';
import { graphError, json, testGraph, getValue } from '../graph/fixtures.ts';
import { tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

async function loadPages(
  graph: TenantGraph,
  list: DirectoryList,
  cursor?: string,
): Promise<DirectoryPage[]> {
  const pages: DirectoryPage[] = [];
  for await (const page of readDirectory(directoryClient(graph.ports, graph.call), list, cursor))
    pages.push(getValue(page));
  return pages;
}

test('ENG-26: a directory of 10,000 people is listed, and later only what changed', async () => {
  const graph = tenantGraph({ people: 6, otherPeople: 9_994, mails: 1, files: 1 });
  const { admin } = graph.tenant;
  const first = await loadPages(graph, 'users');
  const people = first.flatMap(({ objects }) => objects);
  expect(people.map(({ id }) => id).sort()).toEqual(
    admin
      .listUsers()
      .map(({ id }) => id)
      .sort(),
  );
  expect([first[0]?.restart, first.at(-1)?.isComplete, first[1]?.restart]).toEqual([
    true,
    true,
    false,
  ]);
  const [user] = admin.listUsers();
  expect(people.find(({ id }) => id === user?.id)).toEqual({
    kind: 'user',
    id: user?.id,
    name: user?.name,
    address: user?.mail,
    children: null,
    licensed: user?.licensed,
  });
  const added = admin.addUser();
  admin.removeUser(user?.id ?? '');
  const cursor = first.at(-1)?.cursor ?? '';
  const [later, ...rest] = await loadPages(graph, 'users', cursor);
  expect(rest).toEqual([]);
  expect([later?.restart, later?.objects.map(({ id }) => id), later?.removed]).toEqual([
    false,
    [added.id],
    [user?.id],
  ]);
  admin.expireTokens();
  const again = await loadPages(graph, 'users', later?.cursor ?? '');
  expect([again[0]?.restart, again.flatMap(({ objects }) => objects).length]).toEqual([
    true,
    10_000,
  ]);
});

const getGraph = (pages: Readonly<Record<string, unknown>>) => {
  const graph = testGraph((request) => {
    const { pathname, search } = new URL(request.url);
    return json(pages[`${pathname}${search}`] ?? { value: [] });
  });
  return graph.clientFor({ service: 'directory', object: 'directory' });
};

test('ENG-26: a group with a team is listed as both, a site by its address, a group by its people', async () => {
  const client = getGraph({
    '/v1.0/groups/delta?$select=id,displayName,mail,resourceProvisioningOptions': {
      'value': [
        {
          id: 'g1',
          displayName: 'Sales',
          mail: 'sales@example.com',
          resourceProvisioningOptions: ['Team'],
        },
        { id: 'g2', displayName: 'Boats', mail: null, resourceProvisioningOptions: [] },
        { 'id': 'g3', '@removed': { reason: 'deleted' } },
      ],
      '@odata.deltaLink': 'https://graph.microsoft.com/v1.0/groups/delta?$deltatoken=1',
    },
    '/v1.0/sites?search=*': {
      'value': [
        { id: 's1', name: 'x', displayName: 'Quay', webUrl: 'https://demo.sharepoint.com/quay' },
      ],
      '@odata.nextLink': 'https://graph.microsoft.com/v1.0/sites?search=*&$skiptoken=1',
    },
    '/v1.0/sites?search=*&$skiptoken=1': { value: [{ id: 's2', name: 'Dock' }] },
    '/v1.0/groups/g1/transitiveMembers?$select=id&$top=999': {
      'value': [
        { 'id': 'u1', '@odata.type': '#microsoft.graph.user' },
        { 'id': 'g2', '@odata.type': '#microsoft.graph.group' },
      ],
      '@odata.nextLink':
        'https://graph.microsoft.com/v1.0/groups/g1/transitiveMembers?$skiptoken=2',
    },
    '/v1.0/groups/g1/transitiveMembers?$skiptoken=2': {
      value: [{ 'id': 'u2', '@odata.type': '#microsoft.graph.user' }],
    },
  });
  const read = async (list: DirectoryList) => {
    const pages: DirectoryPage[] = [];
    for await (const page of readDirectory(client, list, undefined)) pages.push(getValue(page));
    return pages;
  };
  const [groups] = await read('groups');
  expect(groups?.objects.map(({ kind, id, address }) => `${kind} ${id} ${address}`)).toEqual([
    'group g1 sales@example.com',
    'team g1 sales@example.com',
    'group g2 ',
  ]);
  expect(groups?.removed).toEqual(['g3']);
  const sites = await read('sites');
  expect(sites.map(({ restart, isComplete }) => [restart, isComplete])).toEqual([
    [true, false],
    [false, false],
    [false, true],
  ]);
  expect(sites.flatMap(({ objects }) => objects)).toEqual([
    {
      kind: 'site',
      id: 's1',
      name: 'Quay',
      address: 'https://demo.sharepoint.com/quay',
      children: null,
    },
    { kind: 'site', id: 's2', name: 'Dock', address: '', children: null },
  ]);
  expect(getValue(await readMembers(client, 'g1'))).toEqual(['u1', 'u2']);
});

test('ENG-26, ENG-31: the people of a group are also those of the groups within it, each once, also in a circle', async () => {
  const graph = tenantGraph({ people: 6, otherPeople: 30, mails: 1, files: 1 });
  const { admin } = graph.tenant;
  const client = directoryClient(graph.ports, graph.call);
  const groups = (await loadPages(graph, 'groups')).flatMap(({ objects }) =>
    objects.filter(({ kind }) => kind === 'group').map(({ id }) => id),
  );
  const [top = '', middle = '', low = '', other = ''] = groups;
  const own = new Map<string, readonly string[]>();
  for (const group of groups) own.set(group, getValue(await readMembers(client, group)));
  admin.nestGroup(top, middle);
  admin.nestGroup(middle, low);
  admin.nestGroup(low, middle);
  const members = async (group: string) => getValue(await readMembers(client, group)).toSorted();
  const union = (...names: string[]) =>
    [...new Set(names.flatMap((name) => own.get(name) ?? []))].toSorted();
  expect(await members(top)).toEqual(union(top, middle, low));
  expect(union(top, middle, low)).not.toEqual(union(top));
  expect(await members(low)).toEqual(union(middle, low));
  expect(await members(other)).toEqual(union(other));
});

test('ENG-61, ENG-26: all sites are listed, also those that no search finds yet, and by search where that is all there is', async () => {
  const graph = tenantGraph({ people: 2, mails: 1, files: 1 });
  const { admin } = graph.tenant;
  const listed = async () =>
    (await loadPages(graph, 'sites')).flatMap(({ objects }) => objects.map(({ id }) => id));
  const before = await listed();
  const added = admin.addSite('Dry dock');
  const below = admin.addSite('Cranes', added.id);
  expect((await listed()).toSorted()).toEqual([...before, added.id, below.id].toSorted());
  for (const [status, code] of [
    [403, 'accessDenied'],
    [400, 'invalidRequest'],
    [501, 'notSupported'],
    [404, 'itemNotFound'],
  ] as const) {
    graph.trouble = ({ url }) => (url.includes('getAllSites') ? graphError(status, code) : null);
    expect([code, await listed()]).toEqual([code, before]);
  }
  graph.trouble = ({ url }) => (url.includes('search=') ? graphError(403, 'accessDenied') : null);
  for await (const page of readDirectory(
    directoryClient(graph.ports, graph.call),
    'sites',
    undefined,
  ))
    if (!page.ok) return expect(page.error.kind).toBe('forbidden');
  expect.fail('A list that is cut is an error.');
});
