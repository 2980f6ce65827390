import * as v from 'valibot';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CallName } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import {
  checkDraft,
  getNewDraft,
  hasErrors,
  hasPosts,
  restoreRequest,
  startRestore,
} from '#src/features/restore/task/draft.ts';
import type { ChosenNodes } from '#src/features/restore/task/draft.ts';
import { useItems } from '#src/features/restore/items/use-items.ts';
import { SHAREPOINT, TEAMS } from '#src/features/restore/workload.ts';
import type { ContainerNode } from '#src/features/restore/workload.ts';
import { renderHook } from '../render-hook.ts';
import { container } from './nodes.ts';

const SESSION = '20000000-0000-4000-8000-000000000001';
const session = { id: SESSION, organization: '10000000-0000-4000-8000-000000000001' };

const requests: { readonly name: CallName; readonly input: Record<string, unknown> }[] = [];
vi.mock('#src/app/worker/worker-client.ts', () => ({
  client: () => ({
    ask: (name: CallName, input: Record<string, unknown>) => {
      requests.push({ name, input });
      return Promise.resolve(
        ok(name.startsWith('restore') ? { taskId: 't1' } : { rows: [], next: null, count: 0 }),
      );
    },
  }),
}));
beforeEach(() => {
  requests.length = 0;
});
/** Every request has an input that the server takes. */
const expectAccepted = (): void => {
  for (const { name, input } of requests)
    expect([name, v.safeParse(getCall(name).input, input).success]).toEqual([name, true]);
};

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
    const request = restoreRequest(getNewDraft('teams', chosen), chosen, session);
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
  expect(hasErrors(checkDraft(draft, undefined, true))).toBe(false);
  expect(checkDraft(neither, undefined, true).what).toContain('members');
  expect(hasErrors(checkDraft(neither))).toBe(false);
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
