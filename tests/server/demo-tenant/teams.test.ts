import { expect, test } from 'vitest';
import { checkEntity } from '../../fakes/graph-schema.ts';
import { type Cloud, aCloud } from './fixtures.ts';

const READ = [
  'User.Read.All',
  'Group.Read.All',
  'TeamMember.Read.All',
  'ChannelMessage.Read.All',
  'Files.Read.All',
  'Sites.Read.All',
];
const WRITE = [
  ...READ,
  'Teamwork.Migrate.All',
  'Channel.Create',
  'TeamsTab.ReadWrite.All',
  'TeamMember.ReadWrite.All',
  'TeamSettings.ReadWrite.All',
];
const DAY_MS = 86_400_000;

async function aTeam(roles: readonly string[] = READ) {
  const cloud = await aCloud({ roles });
  const { teams } = cloud.tenant.admin;
  const team = teams.list()[0]?.id ?? '';
  const [general, , budget] = teams.listChannels(team);
  if (!general || !budget) throw new Error('a team without channels');
  const path = (channel: string, rest = '') =>
    `/teams/${team}/channels/${encodeURIComponent(channel)}${rest}`;
  return { ...cloud, teams, team, general, budget, path };
}

const bind = (id = ''): string => `https://graph.microsoft.com/v1.0/users/${id}`;
const post = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

/** Reads delta pages up to the last one, and returns the rows and the address of the next round. */
async function readDelta({ page }: Cloud, from: string) {
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of published shapes
  const rows: any[] = [];
  for (let next = from; ;) {
    const { body } = await page('chatMessage', next);
    rows.push(...body.value);
    if (body['@odata.deltaLink'] !== undefined)
      return { rows, link: body['@odata.deltaLink'] as string };
    next = body['@odata.nextLink'];
  }
}

test('GRAPH-20: a team has settings, members with roles, channels, files and tabs in their published form', async () => {
  const { one, all, team, general, budget, path, tenant } = await aTeam();
  expect(await one('team', `/teams/${team}`)).toMatchObject({
    id: team,
    memberSettings: { allowCreateUpdateChannels: true },
  });
  const members = await all('aadUserConversationMember', `/teams/${team}/members?$top=2`);
  expect(new Set(members.map(({ userId }) => userId))).toEqual(
    new Set(tenant.admin.teams.listMembers(team).map(({ personId }) => personId)),
  );
  expect(members.filter(({ roles }) => roles.includes('owner'))).toHaveLength(1);
  const channels = await all('channel', `/teams/${team}/channels`);
  expect(channels.map(({ displayName, membershipType }) => [displayName, membershipType])).toEqual([
    ['General', 'standard'],
    ['Deliveries', 'standard'],
    ['Budget', 'private'],
  ]);
  const drive = await one('drive', `/groups/${team}/drive`);
  const folder = await one('driveItem', path(general.id, '/filesFolder'));
  expect(folder).toMatchObject({ name: 'General', parentReference: { driveId: drive.id } });
  expect(
    (await all('driveItem', `/drives/${drive.id}/items/${folder.id}/children`)).length,
  ).toBeGreaterThan(1);
  const ownFolder = await one('driveItem', path(budget.id, '/filesFolder'));
  expect(ownFolder.parentReference.driveId).not.toBe(drive.id);
  expect(await all('teamsTab', path(general.id, '/tabs?$expand=teamsApp'))).toMatchObject([
    { displayName: 'Weather', teamsApp: { displayName: 'Website' } },
  ]);
});

test('GRAPH-20: only groups that are teams have channels, and each part needs its permission', async () => {
  const { call, tenant, team, general, path } = await aTeam(['Group.Read.All']);
  const group = tenant.admin.teams.list().length;
  expect(group).toBeGreaterThan(0);
  expect(await call(path(general.id, '/messages'))).toMatchObject({ status: 403 });
  expect(await call(`/teams/${team}/members`)).toMatchObject({ status: 403 });
  expect(await call(path(general.id, '/tabs'))).toMatchObject({ status: 200 });
  expect(await call(`/teams/00000000-0000-4000-8000-000000000000`)).toMatchObject({ status: 404 });
  expect(await call(path('19:none@thread.tacv2'))).toMatchObject({ status: 404 });
});

test('GRAPH-21: delta lists threads of eight months with replies, then what changed in them; older ones are listed', async () => {
  const cloud = await aTeam();
  const { teams, team, general, path, clock, all } = cloud;
  const old = teams.addPost(team, general.id, undefined, clock.now - 300 * DAY_MS);
  const fresh = teams.addPost(team, general.id, undefined, clock.now - DAY_MS);
  const reply = teams.addPost(team, general.id, fresh, clock.now - 1_000);
  const first = await readDelta(cloud, path(general.id, '/messages/delta?$expand=replies&$top=3'));
  const ids = first.rows.map(({ id }) => id);
  expect(ids).toContain(fresh.id);
  expect(ids).not.toContain(old.id);
  expect(first.rows.find(({ id }) => id === fresh.id).replies).toMatchObject([
    { id: reply.id, replyToId: fresh.id },
  ]);
  const listed = await all('chatMessage', path(general.id, '/messages?$top=50'));
  expect(listed.map(({ id }) => id)).toContain(old.id);
  expect((await readDelta(cloud, first.link)).rows).toEqual([]);

  clock.now += 60_000;
  teams.addPost(team, general.id, fresh);
  teams.deletePost(team, general.id, old.id);
  const next = await readDelta(cloud, first.link);
  expect(next.rows.map(({ id, deletedDateTime }) => [id, deletedDateTime !== null])).toEqual([
    [fresh.id, false],
    [old.id, true],
  ]);
  expect(next.rows[0].replies).toHaveLength(2);
  cloud.tenant.admin.expireTokens();
  expect(await cloud.call(next.link)).toMatchObject({ status: 410 });
});

test('GRAPH-21: pictures of posts are read, and a thread of more than a thousand replies has a next page', async () => {
  const { teams, team, general, path, call, one, all, clock } = await aTeam();
  const pictures = teams.listPosts(team, general.id).flatMap(({ id, props }) => {
    const found = /hostedContents\/([^/]+)\/\$value/.exec(props)?.[1];
    return found === undefined ? [] : [{ id, hosted: found }];
  });
  let made = pictures[0];
  while (made === undefined) {
    const added = teams.addPost(team, general.id);
    const hosted = /hostedContents\/([^/]+)\/\$value/.exec(added.props)?.[1];
    made = hosted === undefined ? undefined : { id: added.id, hosted };
  }
  const picture = await call(
    path(general.id, `/messages/${made.id}/hostedContents/${made.hosted}/$value`),
  );
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect((picture.body as Buffer).subarray(1, 4).toString()).toBe('PNG');
  const root = teams.addPost(team, general.id);
  for (let n = 0; n < 1_005; n += 1) teams.addPost(team, general.id, root, clock.now - n);
  const thread = await one('chatMessage', path(general.id, `/messages/${root.id}?$expand=replies`));
  expect(thread.replies).toHaveLength(1_000);
  expect(await all('chatMessage', thread['replies@odata.nextLink'])).toHaveLength(5);
});

test('GRAPH-22: messages are written with author and date in migration mode alone, in existing channels too', async () => {
  const { call, one, teams, team, general, path, clock, tenant } = await aTeam(WRITE);
  const author = tenant.admin.listUsers()[1];
  const at = new Date(clock.now - 30 * DAY_MS).toISOString();
  const message = {
    createdDateTime: at,
    from: { user: { id: author?.id, displayName: author?.name, userIdentityType: 'aadUser' } },
    body: { contentType: 'html', content: '<img src="../hostedContents/1/$value">' },
    hostedContents: [
      {
        '@microsoft.graph.temporaryId': '1',
        'contentBytes': 'iVBORw==',
        'contentType': 'image/png',
      },
    ],
  };
  const messages = path(general.id, '/messages');
  expect(await call(messages, post(message))).toMatchObject({ status: 403 });
  const start = path(general.id, '/startMigration');
  expect(await call(start, post({}))).toMatchObject({ status: 204 });
  expect(await call(start, post({}))).toMatchObject({ status: 400 });
  expect(await one('channel', path(general.id))).toMatchObject({ migrationMode: 'inProgress' });
  const written = await call(messages, post(message));
  expect(written).toMatchObject({
    status: 201,
    body: { createdDateTime: at, from: { user: { id: author?.id, displayName: author?.name } } },
  });
  expect(await call(messages, post(message))).toMatchObject({ status: 409 });
  const future = { ...message, createdDateTime: new Date(clock.now + 1_000).toISOString() };
  expect(await call(messages, post(future))).toMatchObject({ status: 400 });
  const early = { ...message, createdDateTime: '2001-01-01T00:00:00.000Z' };
  expect(await call(messages, post(early))).toMatchObject({ status: 400 });
  const reply = { ...message, createdDateTime: new Date(clock.now - 1_000).toISOString() };
  expect(await call(`${messages}/${written.body.id}/replies`, post(reply))).toMatchObject({
    status: 201,
    body: { replyToId: written.body.id },
  });
  const hosted = /hostedContents\/([^/]+)\/\$value/.exec(written.body.body.content)?.[1];
  const picture = await call(`${messages}/${written.body.id}/hostedContents/${hosted}/$value`);
  expect(picture.body).toEqual(Buffer.from('iVBORw==', 'base64'));
  const complete = path(general.id, '/completeMigration');
  expect(await call(complete, { method: 'POST' })).toMatchObject({ status: 204 });
  expect(await call(complete, { method: 'POST' })).toMatchObject({ status: 400 });
  expect(teams.listPosts(team, general.id).map(({ id }) => id)).toContain(written.body.id);
  expect(
    await call(start, post({ conversationCreationDateTime: '2019-01-01T00:00:00.000Z' })),
  ).toMatchObject({
    status: 204,
  });
  expect(await one('channel', path(general.id))).toMatchObject({
    createdDateTime: '2019-01-01T00:00:00.000Z',
  });
});

test('GRAPH-22: channels, tabs, members and settings are written', async () => {
  const { call, all, one, team, general, path, tenant, teams } = await aTeam(WRITE);
  const add = (body: object) => call(`/teams/${team}/channels`, post(body));
  const created = await add({ displayName: 'Winch', membershipType: 'standard' });
  expect(created.status).toBe(201);
  expect(await add({ displayName: 'winch' })).toMatchObject({ status: 400 });
  expect(await add({ displayName: 'Secret', membershipType: 'private' })).toMatchObject({
    status: 400,
  });
  expect(await one('driveItem', path(created.body.id, '/filesFolder'))).toMatchObject({
    name: 'Winch',
  });

  const remove = (id: string) => call(path(id), { method: 'DELETE' });
  expect(await remove(created.body.id)).toMatchObject({ status: 403 });
  const deleter = await aTeam([...WRITE, 'Channel.Delete.All']);
  const [primary, other] = deleter.teams.listChannels(deleter.team);
  const removeAs = (id = '') => deleter.call(deleter.path(id), { method: 'DELETE' });
  expect(await removeAs(other?.id)).toMatchObject({ status: 204 });
  expect(await removeAs(other?.id)).toMatchObject({ status: 404 });
  expect(await removeAs(primary?.id)).toMatchObject({ status: 400 });

  const tab = await call(
    path(general.id, '/tabs'),
    post({
      'displayName': 'Tide',
      'teamsApp@odata.bind':
        'https://graph.microsoft.com/v1.0/appCatalogs/teamsApps/com.microsoft.teamspace.tab.web',
      'configuration': { contentUrl: 'https://tide.example.com' },
    }),
  );
  expect(tab.status).toBe(201);
  const renamed = { method: 'PATCH', body: JSON.stringify({ displayName: 'Tides' }) };
  expect(await call(path(general.id, `/tabs/${tab.body.id}`), renamed)).toMatchObject({
    status: 200,
  });
  expect(
    (await all('teamsTab', path(general.id, '/tabs'))).map(({ displayName }) => displayName),
  ).toEqual(['Weather', 'Tides']);
  expect(await call(path(general.id, `/tabs/${tab.body.id}`), { method: 'DELETE' })).toMatchObject({
    status: 204,
  });

  const person = tenant.admin.addUser();
  const member = await call(
    `/teams/${team}/members`,
    post({
      '@odata.type': '#microsoft.graph.aadUserConversationMember',
      'roles': ['owner'],
      'user@odata.bind': `https://graph.microsoft.com/v1.0/users('${person.id}')`,
    }),
  );
  expect(member).toMatchObject({ status: 201, body: { userId: person.id, roles: ['owner'] } });
  const memberPath = `/teams/${team}/members/${member.body.id}`;
  expect(
    await call(memberPath, { method: 'PATCH', body: JSON.stringify({ roles: [] }) }),
  ).toMatchObject({ status: 200 });
  expect(teams.listMembers(team)).toContainEqual({ personId: person.id, isOwner: false });
  expect(await call(memberPath, { method: 'DELETE' })).toMatchObject({ status: 204 });
  const settings = { memberSettings: { allowDeleteChannels: false }, description: 'Quay' };
  expect(
    await call(`/teams/${team}`, { method: 'PATCH', body: JSON.stringify(settings) }),
  ).toMatchObject({
    status: 204,
  });
  expect(await one('team', `/teams/${team}`)).toMatchObject({
    description: 'Quay',
    memberSettings: { allowDeleteChannels: false, allowCreateUpdateChannels: true },
  });
});

/** Lets a tenant live on in so many steps, and returns the posts of a team. */
async function liveOn(steps: number) {
  const { tenant, clock, teams, team } = await aTeam();
  const before = teams.listChannels(team).flatMap(({ id }) => teams.listPosts(team, id)).length;
  const days = 20;
  for (let step = 1; step <= steps; step += 1)
    tenant.live(clock.now + (days * DAY_MS * step) / steps);
  const posts = teams
    .listChannels(team)
    .flatMap(({ id }) =>
      teams.listPosts(team, id).map((row) => [row.id, row.props, row.deleted_at !== null]),
    );
  expect(posts.length).toBeGreaterThan(before);
  return posts;
}

test('GRAPH-23: teams change over time, the same in one step or many', async () => {
  expect(await liveOn(1)).toEqual(await liveOn(20));
});

test('GRAPH-20: a group is created once by its alias, becomes a team, and is deleted and restored as Graph documents', async () => {
  const { call, one, clock, tenant } = await aTeam([...WRITE, 'Group.ReadWrite.All']);
  const [owner, member] = tenant.admin.listUsers();
  const body = {
    'displayName': 'Harbour',
    'mailNickname': 'harbour',
    'description': 'All about the harbour',
    'visibility': 'Private',
    'groupTypes': ['Unified'],
    'mailEnabled': true,
    'securityEnabled': false,
    'owners@odata.bind': [bind(owner?.id)],
    'members@odata.bind': [bind(owner?.id), bind(member?.id)],
  };
  const created = await call('/groups', post(body));
  expect(created.status).toBe(201);
  expect(checkEntity('group', created.body)).toEqual([]);
  expect(await call('/groups', post(body))).toMatchObject({ status: 400 });
  const { id } = created.body;
  const put = { method: 'PUT', body: '{}' };
  // A new group is not known everywhere at once.
  expect(await call(`/groups/${id}/team`, put)).toMatchObject({ status: 404 });
  clock.now += 10_000;
  const made = await call(`/groups/${id}/team`, put);
  expect(made.status).toBe(201);
  expect(checkEntity('team', made.body)).toEqual([]);
  expect(await call(`/groups/${id}/team`, put)).toMatchObject({ status: 409 });
  expect(await one('team', `/teams/${id}`)).toMatchObject({
    description: 'All about the harbour',
    visibility: 'private',
  });
  expect(await call(`/groups/${id}`, { method: 'DELETE' })).toMatchObject({ status: 204 });
  expect(await call(`/teams/${id}`)).toMatchObject({ status: 404 });
  expect(await one('group', `/directory/deletedItems/${id}`)).toMatchObject({ id });
  const restored = await call(`/directory/deletedItems/${id}/restore`, { method: 'POST' });
  expect(restored).toMatchObject({ status: 200, body: { id, deletedDateTime: null } });
  expect(await one('team', `/teams/${id}`)).toMatchObject({ id });
  expect(await call(`/directory/deletedItems/${id}`)).toMatchObject({ status: 404 });
  await call(`/groups/${id}`, { method: 'DELETE' });
  clock.now += 31 * DAY_MS;
  expect(await call(`/directory/deletedItems/${id}/restore`, { method: 'POST' })).toMatchObject({
    status: 404,
  });
});
