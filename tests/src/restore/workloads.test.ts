import * as v from 'valibot';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallName } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { getObject } from '#src/features/restore/labels.ts';
import { useItems } from '#src/features/restore/items/use-items.ts';
import {
  checkDraft,
  getNewDraft,
  hasPosts,
  NEW_DRAFT,
  restoreRequest,
  startRestore,
} from '#src/features/restore/task/draft.ts';
import type { ChosenNodes } from '#src/features/restore/task/draft.ts';
import { getTreeRows } from '#src/features/restore/tree/rows.ts';
import { useTree } from '#src/features/restore/tree/use-tree.ts';
import { getSearchText, SHAREPOINT, TEAMS } from '#src/features/restore/workload.ts';
import type { ContainerNode } from '#src/features/restore/workload.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';
import { container } from './nodes.ts';

const hasError = (errors: ReturnType<typeof checkDraft>): boolean =>
  Object.values(errors).some((error) => error !== null);

const SESSION = '20000000-0000-4000-8000-000000000001';
const SITES: Readonly<Record<string, readonly ContainerNode[]>> = {
  'listSites -': [container('o1', 'site')],
  'listSites o1': [container('o2', 'site')],
  'listSiteContent o2': [container('f2.1', 'library'), container('f2.2', 'list')],
  'listSiteFolders f2.1': [container('f2.3', 'dir')],
};

const requests: { readonly name: CallName; readonly input: Record<string, string> }[] = [];
const worker = {
  ask: (name: CallName, input: Record<string, string>) => {
    requests.push({ name, input });
    if (name.startsWith('restore')) return Promise.resolve(ok({ taskId: 't1' }));
    const parent = input['parentId'] ?? input['siteId'] ?? '-';
    const rows = SITES[`${name} ${parent}`] ?? [];
    return Promise.resolve(ok({ rows, next: null, count: rows.length }));
  },
} as unknown as WorkerClient;
beforeEach(() => {
  setClient(worker);
  requests.length = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
});
/** Every request has an input that the server takes. */
const expectAccepted = (): void => {
  for (const { name, input } of requests)
    expect([name, v.safeParse(getCall(name).input, input).success]).toEqual([name, true]);
};

test('RES-40, RES-30: below a site are its subsites and its content, and each node is asked for in its own site', async () => {
  const path = ['o1', 'o1.subsites', 'o2', 'o2.content', 'f2.1', 'f2.3'];
  const hook = await renderHook(useTree, {
    workload: SHAREPOINT,
    session: SESSION,
    search: '',
    path,
    expanded: new Set(path.slice(0, -1)),
    onRead: () => undefined,
  });
  for (let n = 0; n < 20 && hook.current().chain.length < path.length; n += 1)
    await hook.run(() => Promise.resolve());
  expect(hook.current().chain.map(({ id }) => id)).toEqual(path);
  const { branches, chain } = hook.current();
  expect(getTreeRows(branches, new Set(path)).map(({ id, level }) => [id, level])).toEqual(
    expect.arrayContaining([
      ['o1', 1],
      ['o1.subsites', 2],
      ['o2', 3],
      ['o2.content', 4],
      ['f2.1', 5],
      ['f2.2', 5],
      ['f2.3', 6],
    ]),
  );
  const [top, ...rest] = chain;
  expect(top && getObject([top, ...rest]).id).toBe('o2');
  const sent = requests.map(({ name, input }) => `${name} ${input['siteId'] ?? ''}`);
  expect(sent).toEqual(expect.arrayContaining(['listSiteContent o2', 'listSiteFolders o2']));
  expectAccepted();
});

test('RES-40: rows are listed for a list, files for a library and its folders, and nothing for a site itself', async () => {
  const query = { limit: '10', sort: 'date', descending: 'true' } as const;
  const at = { object: 'o2' };
  await SHAREPOINT.listItems(SESSION, { ...at, folder: 'f2.2', kind: 'list' }, query);
  await SHAREPOINT.listItems(SESSION, { ...at, folder: 'f2.1', kind: 'library' }, query);
  await SHAREPOINT.listItems(SESSION, { ...at, folder: 'f2.3', kind: 'dir' }, query);
  for (const folder of [null, 'o2.subsites', 'o2.content'])
    expect(await SHAREPOINT.listItems(SESSION, { ...at, folder }, query)).toMatchObject({
      value: { rows: [], count: 0 },
    });
  expect(requests.map(({ name }) => name)).toEqual([
    'listSiteItems',
    'listSiteDocuments',
    'listSiteDocuments',
  ]);
  expectAccepted();
});

test('RES-40: a library, a list and their folders can be searched; a site and its groups have no items', () => {
  const paths = [
    ['o1'],
    ['o1', 'o1.subsites'],
    ['o1', 'o1.subsites', 'o2'],
    ['o1', 'o1.subsites', 'o2', 'o2.content'],
    ['o1', 'o1.subsites', 'o2', 'o2.content', 'f2.1'],
    ['o1', 'o1.content', 'f1.1', 'f1.2'],
  ];
  expect(paths.map((path) => SHAREPOINT.hasItems?.(path))).toEqual([
    false,
    false,
    false,
    false,
    true,
    true,
  ]);
});

const search = (...path: string[]) => getSearchText(SHAREPOINT, { path, text: 'plan' });

test('RES-40: words in the address of a site, which has no search, leave out nothing', () => {
  expect([search(), search('o1'), search('o1', 'o1.content')]).toEqual(['', '', '']);
  expect(search('o1', 'o1.content', 'f1.1')).toBe('plan');
});

test('RES-40, RES-34: each level of a site is restored with its own call, also to another site', async () => {
  const site = container('o2', 'site');
  const content = container('o2.content', 'content');
  const chain = (...below: readonly ContainerNode[]) =>
    [container('o1', 'site'), container('o1.subsites', 'subsites'), site, ...below] as const;
  const levels: readonly (readonly [CallName, ChosenNodes])[] = (
    [
      ['restoreSite', 'object', chain(content), ['o2']],
      ['restoreLibrary', 'folder', chain(content, container('f2.1', 'library')), ['f2.1']],
      ['restoreList', 'folder', chain(content, container('f2.2', 'list')), ['f2.2']],
      ['restoreSiteFolder', 'folder', chain(content, container('f2.3', 'dir')), ['f2.3']],
      ['restoreSiteItems', 'items', chain(content, container('f2.2', 'list')), ['i2.1']],
      ['restoreSiteDocuments', 'items', chain(content, container('f2.3', 'dir')), ['i2.2']],
    ] as const
  ).map(([name, level, nodes, ids]) => [name, { level, chain: nodes, nodes: ids, size: null }]);
  const draft = {
    ...NEW_DRAFT,
    isOther: true,
    user: { id: 'host,collection,web', name: 'Yard' },
    reason: 'The office moves',
  };
  const session = { id: SESSION, organization: '10000000-0000-4000-8000-000000000001' };
  for (const [name, chosen] of levels) {
    const request = restoreRequest(draft, chosen, session);
    expect(await startRestore('sharepoint', chosen, request, true)).toEqual(ok('t1'));
    expect(requests.at(-1)).toMatchObject({
      name,
      input: { siteId: 'o2', site: 'host,collection,web', dryRun: true },
    });
  }
  expectAccepted();
});

const OPEN = { id: SESSION, organization: '10000000-0000-4000-8000-000000000001' };
const team = container('o1', 'team');
const general = container('f1.1', 'channel');
const files: ContainerNode = { ...container('f1.2', 'dir'), holds: 'files' };
const tabs: ContainerNode = { ...container('f1.3', 'dir'), holds: 'tabs' };

test('RES-45: folders and items of a team are asked for in their team', async () => {
  const query = { limit: '10', sort: 'date', descending: 'true' } as const;
  const page = { limit: '10' };
  await TEAMS.listObjects(SESSION, page);
  await TEAMS.listFolders(SESSION, { object: 'o1', folder: null }, page);
  await TEAMS.listFolders(SESSION, { object: 'o1', folder: 'f1.1' }, page);
  await TEAMS.listItems(SESSION, { object: 'o1', folder: null }, query);
  await TEAMS.listItems(SESSION, { object: 'o1', folder: 'f1.1' }, query);
  await TEAMS.getSize(SESSION, ['o1']);
  expect(requests.map(({ name, input }) => [name, input['teamId'], input['parentId']])).toEqual([
    ['listTeams', undefined, undefined],
    ['listTeamFolders', 'o1', undefined],
    ['listTeamFolders', 'o1', 'f1.1'],
    ['listTeamItems', 'o1', undefined],
    ['listTeamItems', 'o1', 'f1.1'],
    ['getTeamDownloadSize', undefined, undefined],
  ]);
  expectAccepted();
});

const LEVELS: readonly (readonly [CallName, ChosenNodes, Readonly<Record<string, unknown>>])[] = [
  [
    'restoreTeam',
    { level: 'object', chain: [team], nodes: ['o1'], size: null },
    { restoreMissingItems: true, restoreChangedItems: true, restoreMembers: false },
  ],
  [
    'restoreTeam',
    {
      level: 'items',
      chain: [team],
      nodes: ['i1.1'],
      itemKind: 'settings',
      size: null,
    },
    {
      restoreMissingItems: false,
      restoreChangedItems: false,
      restoreMembers: true,
      restoreSettings: true,
    },
  ],
  [
    'restoreTeamChannel',
    { level: 'folder', chain: [team, general], nodes: ['f1.1'], size: null },
    { channelId: 'f1.1' },
  ],
  [
    'restoreTeamPosts',
    { level: 'items', chain: [team, general], nodes: ['i1.2'], itemKind: 'post', size: null },
    { posts: ['i1.2'] },
  ],
  [
    'restoreTeamFiles',
    { level: 'folder', chain: [team, general, files], nodes: ['f1.2'], size: null },
    { files: ['f1.2'], fileVersion: 'Last' },
  ],
  [
    'restoreTeamFiles',
    {
      level: 'items',
      chain: [team, general, files],
      nodes: ['i1.3'],
      itemKind: 'file',
      size: null,
    },
    { files: ['i1.3'] },
  ],
  [
    'restoreTeamTabs',
    { level: 'folder', chain: [team, general, tabs], nodes: ['f1.3'], size: null },
    { tabs: ['f1.3'] },
  ],
  [
    'restoreTeamTabs',
    { level: 'items', chain: [team, general, tabs], nodes: ['i1.4'], itemKind: 'tab', size: null },
    { tabs: ['i1.4'] },
  ],
];

test('RES-45, RES-34: each level of a team is restored with its own call', async () => {
  for (const [name, chosen, input] of LEVELS) {
    const request = restoreRequest(getNewDraft('teams', chosen), chosen, OPEN);
    expect(await startRestore('teams', chosen, request, true)).toEqual(ok('t1'));
    expect(requests.at(-1)).toMatchObject({
      name,
      input: { teamId: 'o1', dryRun: true, ...input },
    });
  }
  expectAccepted();
});

test('RES-48: what an undo leaves is said of teams, channels and posts, and of nothing else', () => {
  expect(LEVELS.map(([, chosen]) => hasPosts('teams', chosen))).toEqual([
    true,
    false,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(LEVELS.some(([, chosen]) => hasPosts('onedrive', chosen))).toBe(false);
});

test('RES-45: members and settings alone are restored if at least one of them is chosen', () => {
  const [, [, chosen]] = LEVELS as readonly [unknown, (typeof LEVELS)[number]];
  const draft = getNewDraft('teams', chosen);
  const neither = {
    ...draft,
    flags: { ...draft.flags, team: { members: false, settings: false } },
  };
  expect(hasError(checkDraft(draft, undefined, { isForSettings: true }))).toBe(false);
  expect(checkDraft(neither, undefined, { isForSettings: true }).what).toContain('members');
  expect(hasError(checkDraft(neither))).toBe(false);
});

test('RES-40: a list of rows is read as rows, also when it is opened', async () => {
  const hook = await renderHook(useItems, {
    workload: SHAREPOINT,
    session: SESSION,
    at: { object: 'o2', folder: 'f2.2', kind: 'list' },
    text: '',
    sort: '-date',
    onRead: () => undefined,
  });
  await hook.run(() => Promise.resolve());
  expect(requests.map(({ name }) => name)).toEqual(['listSiteItems']);
});
