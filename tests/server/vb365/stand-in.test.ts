import * as v from 'valibot';
import { afterEach, describe, expect, test } from 'vitest';
import { PUBLISHED, publishedError } from '#tests/fakes/vb365/schema.ts';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
  addRow,
} from '#tests/fakes/vb365/restore-state.ts';
import { startVb365, type Vb365Server } from '#tests/fakes/vb365/server.ts';
import {
  addDirectoryObject,
  addJob,
  addJobItem,
  addOrganization,
  addSession,
  uid,
  type Vb365Content,
  type Vb365Version,
} from '#tests/fakes/vb365/state.ts';
import {
  addChannel,
  addPost,
  addTab,
  addTeam,
  addTeamFile,
} from '#tests/fakes/vb365/team-state.ts';
import { USER } from '#tests/fakes/vb365/tokens.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const HOUR = 3_600_000;

let server: Vb365Server;
let access = '';
afterEach(() => server.outside.stop());

/** A server with two organizations, jobs of every state, and their sessions. */
async function start(version: Vb365Version): Promise<Vb365Server> {
  server = await startVb365(version, () => NOON);
  const { content } = server;
  const [first, second] = [
    addOrganization(content, 'Example One'),
    addOrganization(content, 'Example Two', { isTeamsChatsOnline: true }),
  ];
  const nightly = addJob(content, first, 'Nightly');
  addSession(content, nightly, NOON - 30 * HOUR);
  addSession(content, nightly, NOON - 6 * HOUR, { status: 'Failed', details: 'It failed.' });
  addSession(content, addJob(content, second, 'Teams', { isEnabled: false }), NOON - 5 * HOUR, {
    status: 'Warning',
  });
  addJob(content, second, 'Manual', { schedulePolicy: { type: 'ManualOnly' } });
  for (const list of ['users', 'groups', 'teams', 'sites'] as const)
    addDirectoryObject(content, first, list, 'Ann');
  const user = { displayName: 'Ann', name: 'ann@example.com', locationType: 'Cloud' };
  addJobItem(content, nightly, 'selectedItems', { type: 'User', user, mailbox: true });
  addJobItem(content, nightly, 'excludedItems', { type: 'PartialOrganization', oneDrive: true });
  return server;
}

const CODE = JSON.stringify({ userCode: 'CODE0' });
const EXPLORE = JSON.stringify({ dateTime: new Date(NOON).toISOString(), type: 'Vex' });

/** A body that the request wants. */
function getBody(path: string, content: Vb365Content): string {
  const { objects, teams, jobs, repositories } = content;
  if (path.startsWith('backuprepositories'))
    return JSON.stringify(getRepositoryBody(path, content));
  if (path.includes('/organization/teams/')) return JSON.stringify(getTeamBody(path, teams));
  if (path.endsWith('/explore')) return EXPLORE;
  if (/(?:^|\/)jobs(?:\/\{id\})?$/.test(path))
    return JSON.stringify(getJobBody(path, jobs, repositories));
  if (/(?:items|documents)\/(?:save|exporttopst)$/.test(path)) {
    const [mailbox, drive, site] = objects;
    const [list, object] = path.includes('/items/')
      ? ['items', mailbox]
      : ['documents', path.includes('/sites/') ? site : drive];
    const [item] = object?.items ?? [];
    return JSON.stringify({ [list]: [{ id: item?.id, ...item?.row }] });
  }
  return path.includes('jobs') || /(?:save|exporttopst)$/.test(path) ? '{}' : CODE;
}

/** What the documents require of the body of a repository. */
const getRepositoryBody = (path: string, { proxies: [proxy] }: Vb365Content): object => ({
  name: `Made by ${path}`,
  path: 'E:\\Vault',
  retentionType: 'SnapshotBased',
  proxyId: proxy?.id,
});

/** What the documents require of the body of a job. */
const getJobBody = (
  path: string,
  [job]: Vb365Content['jobs'],
  [repository]: Vb365Content['repositories'],
): object => ({
  name: `Made by ${path}`,
  backupType: 'EntireOrganization',
  repositoryId: repository?.id,
  ...(path === 'jobs' && { organizationId: job?.organizationId }),
});

/** What the documents require of the body of a request about a team. */
function getTeamBody(path: string, [team]: Vb365Content['teams']): object {
  const channelId = team?.channels[0]?.id;
  const items = { restoreChangedItems: true, restoreMissingItems: true };
  if (path.endsWith('tabs/restore'))
    return { userCode: 'CODE0', restoreChangedTabs: true, restoreMissingTabs: true };
  if (path.endsWith('files/restore'))
    return { userCode: 'CODE0', ...items, channelId, fileVersion: 'Last' };
  if (path.includes('channels/{id}/restore')) return { userCode: 'CODE0', ...items };
  if (path.endsWith('/restore'))
    return { userCode: 'CODE0', ...items, restoreMembers: false, restoreSettings: false };
  return path.endsWith('{id}/save') ? {} : { channelId };
}

const EARLIER = [{ version: '0.5', versionId: 256, at: NOON, bytes: Buffer.from('earlier') }];

/** The body of a search: of a team or a channel, with what is searched. */
const getSearch = (path: string): object => ({
  query: 'plan',
  ...(/teams\/\{id\}\/(?:channels\/\{id\}\/)?search$/.test(path) && { type: 'Files' }),
});

/** The paths of what a mailbox and a drive have, in a session for each. */
async function getRestorePaths(content: Vb365Content): Promise<ReadonlyMap<string, string>> {
  const [organization] = content.organizations;
  if (organization === undefined) throw new Error('there is no organization');
  const [used] = content.repositories;
  if (used) content.repositories.push({ ...used, id: uid('unused'), name: 'Unused' });
  addPoint(content, organization, NOON);
  const mailbox = addObject(content, organization, 'mailboxes', 'Ann');
  const mail = addMail(mailbox, addFolder(mailbox, 'Inbox'), 'Hello', NOON);
  const drive = addObject(content, organization, 'onedrives', 'Ann');
  const file = addFile(
    drive,
    addFolder(drive, 'Plans'),
    'plan.txt',
    NOON,
    Buffer.from('plan'),
    EARLIER,
  );
  const site = addObject(content, organization, 'sites', 'Plans');
  const library = addFolder(site, 'Documents', null, 'library');
  const folder = addFolder(site, 'Old', library);
  const document = addFile(site, folder, 'plan.txt', NOON, Buffer.from('plan'), EARLIER);
  const tasks = addFolder(site, 'Tasks', null, 'list');
  const row = Object.assign(addRow(site, tasks, 'Call Ann', NOON), { versions: EARLIER });
  const team = addTeam(content, organization, 'Flight');
  const channel = addChannel(team, 'General');
  const shared = addTeamFile(team, channel, 'plan.txt', Buffer.from('plan'));
  const post = addPost(team, channel, 'Launch', NOON);
  const tab = addTab(team, channel, 'Wiki');
  for (const type of ['Vex', 'Veod', 'Vesp', 'Vet'])
    await send(`organizations/${organization.id}/explore`, {
      method: 'POST',
      body: JSON.stringify({ dateTime: new Date(NOON).toISOString(), type }),
    });
  content.codes.set('CODE0', true);
  const user = content.directory.find(({ list }) => list === 'users');
  const [mails = '', files = '', sites = '', teams = ''] = content.restoreSessions.map(
    ({ id }) => `restoresessions/${id}`,
  );
  const ids = [
    ['mailboxes', mails, mailbox.id, mail.id, mailbox.folders[0]?.id ?? ''],
    ['onedrives', files, drive.id, file.id, drive.folders[0]?.id ?? ''],
  ] as const;
  const inSite = (path: string): string => {
    if (path.includes('/libraries/{id}')) return library.id;
    if (path.includes('/lists/{id}')) return tasks.id;
    if (path.includes('/folders/{id}')) return folder.id;
    return path.includes('/items') ? row.id : document.id;
  };
  const inTeam = (path: string): string =>
    path.includes('/posts') ? String(post.postId) : path.includes('/tabs') ? tab.id : shared.id;
  return new Map([
    ...Object.keys(PUBLISHED[server.version]).flatMap((request) => {
      const path = request.slice(request.indexOf(' ') + 1);
      const known = ids.find(([list]) =>
        path.startsWith(`restoresessions/{id}/organization/${list}`),
      );
      if (path.startsWith('restoresessions/{id}/organization/teams'))
        return [
          [
            request,
            path
              .replace('restoresessions/{id}', teams)
              .replace('{id}', team.id)
              .replace('channels/{id}', `channels/${encodeURIComponent(channel.id)}`)
              .replace('{id}', inTeam(path)),
          ] as const,
        ];
      if (path.startsWith('restoresessions/{id}/organization/sites'))
        return [
          [
            request,
            path
              .replace('restoresessions/{id}', sites)
              .replace('{id}', site.id)
              .replace('{id}', encodeURIComponent(inSite(path)))
              .replace('versions/{id}', 'versions/256'),
          ] as const,
        ];
      if (known === undefined) return [];
      const [, session, object, item, folder] = known;
      return [
        [
          request,
          path
            .replace('restoresessions/{id}', session)
            .replace('{id}', object)
            .replace('{id}', encodeURIComponent(path.includes('/folders/{id}') ? folder : item))
            .replace('versions/{id}', 'versions/256'),
        ] as const,
      ];
    }),
    ['GET events', 'events?from=latest&timeoutSeconds=0'],
    ['GET restoresessions/{id}', mails],
    ['GET restoresessions/{id}/statistics', `${mails}/statistics`],
    [
      'POST restoresessions/{id}/organization/restoredevicecode',
      `${mails}/organization/restoredevicecode`,
    ],
    ...['', '/onedrives'].map(
      (more) =>
        [
          `GET organizations/{id}/users/{id}${more}`,
          `organizations/${organization.id}/users/${user?.id ?? ''}${more}`,
        ] as const,
    ),
    [
      'GET organizations/{id}/sites/{id}',
      `organizations/${organization.id}/sites/${content.directory.find(({ list }) => list === 'sites')?.id ?? ''}`,
    ],
    ...(['groups', 'teams'] as const).map(
      (list) =>
        [
          `GET organizations/{id}/${list}/{id}`,
          `organizations/${organization.id}/${list}/${content.directory.find((one) => one.list === list)?.id ?? ''}`,
        ] as const,
    ),
    ['POST restoresessions/{id}/stop', `${mails}/stop`],
    ...(['GET', 'PUT', 'DELETE'] as const).map(
      (method) =>
        [
          `${method} backuprepositories/{id}`,
          `backuprepositories/${content.repositories[method === 'DELETE' ? 1 : 0]?.id ?? ''}`,
        ] as const,
    ),
  ]);
}

const send = (
  path: string,
  init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
): Promise<Response> =>
  fetch(`${server.outside.url}/${server.version}/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${access}`, ...init.headers },
  });
const signIn = (more: Record<string, string> = { disable_antiforgery_token: 'true' }) =>
  send('Token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      username: USER.name,
      password: USER.secret,
      ...more,
    }),
  });

describe.each(['v8', 'v7'] as const)('%s', (version) => {
  test('COLLECT-8: every answer of the stand-in has the form that its version publishes', async () => {
    const { content } = await start(version);
    const token: unknown = await (await signIn()).json();
    access = (token as { access_token: string }).access_token;
    const paths = await getRestorePaths(content);
    const checked = new Set<string>();
    for (const [request, { status, body }] of Object.entries(PUBLISHED[version])) {
      const [method = '', path = ''] = request.split(' ');
      const row = path.startsWith('organizations')
        ? content.organizations[0]
        : path.startsWith('jobsessions')
          ? content.sessions[1]
          : content.jobs[0];
      const answer =
        path === 'token'
          ? await signIn()
          : await send(paths.get(request) ?? path.replace('{id}', row?.id ?? ''), {
              method,
              ...((method === 'POST' || method === 'PUT') && {
                body: path.endsWith('/search')
                  ? JSON.stringify(getSearch(path))
                  : getBody(path, content),
              }),
            });
      expect([request, answer.status]).toEqual([request, status]);
      const said = await answer.text();
      if (body === null) expect([request, said]).toEqual([request, '']);
      else if (body === 'file') expect([request, said.length > 0]).toEqual([request, true]);
      else
        expect([
          request,
          (v.safeParse(body, JSON.parse(said)).issues ?? []).map(
            (issue) => `${v.getDotPath(issue) ?? ''} ${issue.message}`,
          ),
        ]).toEqual([request, []]);
      checked.add(request);
    }
    expect(checked.size).toBe(Object.keys(PUBLISHED[version]).length);
    // Mistakes have the published form too.
    for (const [path, status] of [
      ['jobs/none', 404],
      ['jobsessions?limit=0', 400],
      ['jobsessions?sort=name', 400],
    ] as const) {
      const answer = await send(path);
      expect([path, answer.status]).toEqual([path, status]);
      expect(v.is(publishedError(version), await answer.json())).toBe(true);
    }
  });

  test('COLLECT-8: the check refuses a field, a word or a form that the version does not publish', async () => {
    await start(version);
    access = ((await (await signIn()).json()) as { access_token: string }).access_token;
    const published = PUBLISHED[version]['GET jobs/{id}']?.body ?? null;
    const schema = published === null || published === 'file' ? v.never() : published;
    const row = (await (await send(`jobs/${server.content.jobs[0]?.id ?? ''}`)).json()) as object;
    expect(v.is(schema, row)).toBe(true);
    for (const wrong of [
      { lastStatus: 'Succeeded' },
      { lastRun: NOON },
      { id: 'x' },
      { bytes: 1 },
      version === 'v8' ? { selectedItems: [] } : { organizationId: server.content.jobs[0]?.id },
    ])
      expect(v.is(schema, { ...row, ...wrong })).toBe(false);
  });

  test('COLLECT-8: the stand-in starts, stops, enables and disables jobs, and refuses what does not fit', async () => {
    const { content } = await start(version);
    access = ((await (await signIn()).json()) as { access_token: string }).access_token;
    const [job] = content.jobs;
    const ask = async (action: string, body: string | null = null) =>
      (await send(`jobs/${job?.id ?? ''}/${action}`, { method: 'POST', body })).status;
    expect(await ask('start')).toBe(400);
    expect(await ask('start', '{}')).toBe(version === 'v8' ? 200 : 204);
    expect(await ask('start', '{}')).toBe(400);
    expect(job?.lastStatus).toBe('Running');
    expect(await ask('stop')).toBe(204);
    expect(await ask('stop')).toBe(400);
    expect(content.sessions.at(-1)).toMatchObject({ status: 'Stopped', endTime: NOON });
    expect(await ask('disable')).toBe(204);
    expect(job?.isEnabled).toBe(false);
    expect(await ask('enable')).toBe(204);
    expect(job?.isEnabled).toBe(true);
  });

  test('COLLECT-8: the stand-in wants the cookie of a token that was asked for without the switch', async () => {
    await start(version);
    const plain = await signIn({});
    access = ((await plain.json()) as { access_token: string }).access_token;
    expect((await send('jobs')).status).toBe(401);
    const cookie = plain.headers.get('set-cookie') ?? '';
    expect((await send('jobs', { headers: { cookie } })).status).toBe(200);
    access = 'another';
    expect((await send('jobs')).status).toBe(401);
    const other = await fetch(`${server.outside.url}/${version === 'v8' ? 'v7' : 'v8'}/jobs`);
    expect(other.status).toBe(404);
  });
});
