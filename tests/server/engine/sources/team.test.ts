import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { Parser } from 'htmlparser2';
import { expect, test } from 'vitest';
import { threadPage } from '#server/engine/embedded/sources/team-thread.ts';
import { teamSource } from '#server/engine/embedded/sources/team.ts';
import type { FetchedItem, SourceCall, SourceObject } from '#server/engine/embedded/types.ts';
import { Replica } from './replica.ts';
import { randomTrouble, tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const ROLES = [
  'Group.Read.All',
  'TeamSettings.Read.All',
  'TeamMember.Read.All',
  'Channel.ReadBasic.All',
  'TeamsTab.Read.All',
  'ChannelMessage.Read.All',
  'Files.Read.All',
];
const DAY_MS = 86_400_000;

function aTeam(options: Parameters<typeof tenantGraph>[0] = {}) {
  const graph = tenantGraph({ roles: ROLES, mails: 1, files: 1, ...options });
  const [group] = graph.tenant.admin.teams.list();
  if (!group) throw new Error('no team');
  const object: SourceObject = { kind: 'team', id: group.id, name: group.name, address: '' };
  const call: SourceCall = { ...graph.call, includesPosts: true };
  return { graph, teams: graph.tenant.admin.teams, team: group.id, object, call };
}

const sorted = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => JSON.stringify(row)).sort((a, b) => (a < b ? -1 : 1));

/** All of a team as the tenant's own tables have it: the slow oracle. */
function getTruth({ tenant }: TenantGraph, team: string) {
  const { teams } = tenant.admin;
  const channels = teams.listChannels(team);
  return {
    channels: sorted(channels.map(({ id, name, membership }) => [id, name, membership])),
    posts: sorted(
      channels.flatMap(({ id }) =>
        teams.listPosts(team, id).flatMap((post) => {
          const replies = teams.listReplies(post).filter(({ deleted_at }) => deleted_at === null);
          return post.deleted_at !== null && replies.length === 0
            ? []
            : [[id, post.id, replies.length]];
        }),
      ),
    ),
    files: sorted(
      channels.flatMap((channel) =>
        teams
          .listFiles(team, channel.id)
          .map((file) => [channel.id, `${channel.drive_id}/${file.id}`, file.name, file.size]),
      ),
    ),
    shared: sorted(tenant.admin.listFiles(team).map(({ id }) => [id])),
    tabs: sorted(
      channels.flatMap(({ id }) => teams.listTabs(team, id).map((tab) => [id, tab.id, tab.name])),
    ),
    members: sorted(teams.listMembers(team).map(({ personId, isOwner }) => [personId, isOwner])),
  };
}

/** What a backup knows, in the same form; files by the channel above them. */
function getKnown({ items, folders }: Replica, drive: string) {
  const all = [...items.values()];
  const getParent = (folder: string): string => folders.get(folder)?.parent ?? '';
  const top = [...folders.values()].filter(({ wellKnown }) => wellKnown?.endsWith('channel'));
  const isInChannel = (folder: string): boolean => folders.get(folder)?.wellKnown === 'files';
  return {
    channels: sorted(
      top.map(({ key, name, wellKnown }) => [
        key,
        name,
        wellKnown === 'channel' ? 'standard' : wellKnown?.replace('-channel', ''),
      ]),
    ),
    posts: sorted(
      all
        .filter(({ kind }) => kind === 'post')
        .map(({ folder, key, flags }) => [
          folder,
          key.replace(`post:${folder}/`, ''),
          flags.replies,
        ]),
    ),
    files: sorted(
      all
        .filter(({ kind, folder }) => kind === 'file' && isInChannel(folder))
        .map(({ folder, key, title, bytes }) => [getParent(folder), key, title, bytes]),
    ),
    shared: sorted(
      all
        .filter(({ kind, key }) => kind === 'file' && key.startsWith(`${drive}/`))
        .map(({ key }) => [key.slice(drive.length + 1)]),
    ),
    tabs: sorted(
      all
        .filter(({ kind }) => kind === 'tab')
        .map(({ folder, key, title }) => [getParent(folder), key, title]),
    ),
  };
}

const act = record({
  what: constantFrom(
    'post',
    'reply',
    'edit',
    'delete post',
    'add file',
    'change file',
    'delete file',
    'remove tab',
    'add channel',
    'add private',
    'rename channel',
    'remove channel',
    'expire',
    'read',
    'read',
  ),
  which: nat(),
  cut: integer({ min: 0, max: 8 }),
});

test('ENG-5: any cut, repeat or failure of the pages, any change of a team between them and any 410 give the team that the tenant has', async () => {
  await assert(
    asyncProperty(array(act, { maxLength: 14 }), nat(), async (acts, seed) => {
      const { graph, teams, team, object, call } = aTeam({ seed: 3 });
      const source = teamSource(graph.ports);
      const replica = new Replica();
      graph.trouble = randomTrouble(seed, 0.08, () => graph.clock.now());
      const drive = teams.listChannels(team)[0]?.drive_id ?? '';
      for (const [n, { what, which, cut }] of acts.entries()) {
        const channels = teams.listChannels(team);
        const channel = channels[which % channels.length];
        if (!channel) throw new Error('no channel');
        const { id } = channel;
        const posts = teams.listPosts(team, id);
        const post = posts[which % Math.max(1, posts.length)];
        const files = teams.listFiles(team, id);
        const file = files[which % Math.max(1, files.length)];
        const [tab] = teams.listTabs(team, id);
        const isFirst = id === channels[0]?.id;
        // No older than delta queries reach, as nobody writes posts of last year between two backups.
        if (what === 'post')
          teams.addPost(team, id, undefined, graph.clock.now() - (which % 200) * DAY_MS);
        if (what === 'reply' && post) teams.addPost(team, id, post);
        if (what === 'edit' && post) teams.editPost(team, id, post.id, `<p>${which}</p>`);
        if (what === 'delete post' && post) {
          const [reply] = teams.listReplies(post);
          if (reply && which % 2 === 0) teams.deletePost(team, id, post.id, reply.id);
          else teams.deletePost(team, id, post.id);
        }
        if (what === 'add file') teams.addFile(team, id, `Plan ${n}.txt`);
        if (what === 'change file' && file) teams.changeFile(team, id, file.id);
        if (what === 'delete file' && file) teams.deleteFile(team, id, file.id);
        if (what === 'remove tab' && tab) teams.removeTab(team, id, tab.id);
        if (what === 'add channel') teams.addChannel(team, `Channel ${n}`);
        if (what === 'add private') teams.addChannel(team, `Private ${n}`, 'private');
        if (what === 'rename channel' && !isFirst) teams.renameChannel(team, id, `Renamed ${n}`);
        if (what === 'remove channel' && !isFirst) teams.removeChannel(team, id);
        if (what === 'expire') graph.tenant.admin.expireTokens();
        if (what === 'read')
          await replica.read(source.changes(object, replica.cursors, call), {
            cut,
            repeats: which % 2 === 0,
          });
      }
      await replica.read(source.changes(object, replica.cursors, call));
      const { members: _, ...truth } = getTruth(graph, team);
      expect(getKnown(replica, drive)).toEqual(truth);
      for (const item of replica.items.values())
        expect(item.folder === '' || replica.folders.has(item.folder)).toBe(true);
    }),
    { numRuns: 12 * PROOF },
  );
});

async function loadParts(fetched: FetchedItem): Promise<Map<string, Buffer>> {
  if (!fetched.ok) throw new Error(fetched.error.message);
  const parts = new Map<string, Buffer>();
  for (const { as, name = '', content } of fetched.parts) {
    const pieces: Uint8Array[] = [];
    if (content instanceof Uint8Array) pieces.push(content);
    else for await (const piece of content) pieces.push(piece);
    parts.set(`${as}${name}`, Buffer.concat(pieces));
  }
  return parts;
}

test('ENG-69, ENG-11: a team is read with posts, replies and pictures, files to the byte, tabs, members and settings, and nothing is written', async () => {
  const { graph, teams, team, object, call } = aTeam();
  const source = teamSource(graph.ports);
  const channel = teams.listChannels(team)[0];
  if (!channel) throw new Error('no channel');
  let picture: string | undefined;
  let post = teams.addPost(team, channel.id);
  while ((picture = /hostedContents\/([^/]+)\/\$value/.exec(post.props)?.[1]) === undefined)
    post = teams.addPost(team, channel.id);
  const reply = teams.addPost(team, channel.id, post);
  const postKey = `post:${channel.id}/${post.id}`;
  const replica = new Replica();
  await replica.read(source.changes(object, replica.cursors, call));
  const items = [...replica.items.values()];
  const wanted = items.filter(
    ({ key, kind, folder }) =>
      key === postKey ||
      kind === 'settings' ||
      (kind === 'tab' && folder === `tabs:${channel.id}`) ||
      kind === 'file',
  );
  const found = new Map<string, Map<string, Buffer>>();
  // What is read again after a failure is not known from its listing.
  for await (const fetched of teamSource(graph.ports).fetch(object, wanted, call))
    found.set(fetched.item.key, await loadParts(fetched));
  expect(found.size).toBe(wanted.length);

  const thread = found.get(postKey);
  const json = JSON.parse(thread?.get('json')?.toString() ?? '');
  expect(json).toMatchObject({
    post: { id: post.id, createdDateTime: new Date(post.created_at).toISOString() },
    replies: [{ id: reply.id, replyToId: post.id }],
  });
  const bytes = thread?.get(`hosted${picture}`);
  expect(bytes?.subarray(1, 4).toString()).toBe('PNG');
  const page = thread?.get('html')?.toString() ?? '';
  expect(page).toContain(json.post.from.user.displayName);
  expect(page).toContain(`data:image/png;base64,${bytes?.toString('base64')}`);

  const settings = JSON.parse(found.get('settings')?.get('json')?.toString() ?? '');
  expect(
    sorted(
      settings.members.map((member: { userId: string; roles: string[] }) => [
        member.userId,
        member.roles.includes('owner'),
      ]),
    ),
  ).toEqual(getTruth(graph, team).members);
  expect(settings.team.memberSettings).toMatchObject({ allowDeleteChannels: true });
  const tab = wanted.find(({ kind }) => kind === 'tab');
  expect(
    JSON.parse(
      found
        .get(tab?.key ?? '')
        ?.get('json')
        ?.toString() ?? '',
    ),
  ).toMatchObject({
    displayName: 'Weather',
    configuration: { contentUrl: 'https://weather.example.com/quay' },
    teamsApp: { displayName: 'Website' },
  });
  for (const item of wanted.filter(({ kind }) => kind === 'file'))
    expect(found.get(item.key)?.get('raw')).toHaveLength(item.bytes);
  const writes = graph.requests.filter((name) => !/^GET |\$batch$|oauth2/.test(name));
  expect(writes).toEqual([]);
});

test('ENG-69: posts are read only if they are asked for, and an unchanged team names no item again but what has no state', async () => {
  const { graph, team, object, call } = aTeam();
  const source = teamSource(graph.ports);
  const without = new Replica();
  await without.read(source.changes(object, without.cursors, graph.call));
  expect([...without.items.values()].filter(({ kind }) => kind === 'post')).toEqual([]);
  expect(graph.requests.filter((name) => name.includes('/messages'))).toEqual([]);
  expect(team).not.toBe('');

  const replica = new Replica();
  await replica.read(source.changes(object, replica.cursors, call));
  const before = new Map([...replica.items].map(([key, { changeKey }]) => [key, changeKey]));
  const again: string[] = [];
  for await (const page of source.changes(object, replica.cursors, call)) {
    if (!page.ok) throw new Error(page.error.message);
    for (const item of page.value.items) {
      again.push(item.kind);
      expect(before.get(item.key)).toBe(item.changeKey);
    }
    expect(page.value.removed).toEqual([]);
  }
  expect(new Set(again)).toEqual(new Set(['tab', 'settings']));
});

test('ENG-69: requests about a team keep to four a second', async () => {
  const { graph, object, call } = aTeam();
  const times: number[] = [];
  graph.trouble = (request) => {
    if (new URL(request.url).pathname.includes('/teams/')) times.push(graph.clock.now());
    return null;
  };
  const replica = new Replica();
  await replica.read(teamSource(graph.ports).changes(object, replica.cursors, call));
  expect(times.length).toBeGreaterThan(8);
  for (const [n, at] of times.entries())
    expect(times.slice(n).filter((later) => later - at < 1_000).length).toBeLessThanOrEqual(4);
});

test('ENG-6: a team that is gone is named as such', async () => {
  const { graph, object, call } = aTeam();
  const missing = { ...object, id: '00000000-0000-4000-8000-000000000000' };
  for await (const page of teamSource(graph.ports).changes(missing, new Map(), call))
    expect(page).toMatchObject({ ok: false, error: { kind: 'missing' } });
});

test('DL-12: a thread is a page with formats, links, lists, mentions, pictures, names of attachments and times in the zone, which loads and runs nothing', () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');
  const html = threadPage(
    {
      post: {
        id: '1',
        createdDateTime: '2026-07-01T22:30:00.000Z',
        subject: 'Offer <1>',
        from: { user: { id: 'u', displayName: 'Kim & Co' } },
        body: {
          contentType: 'html',
          content:
            '<p onclick="x()">A <b>bold</b> <a href="https://example.com/a">link</a> <a href="javascript:x()">bad</a></p>' +
            '<ul><li>one</li></ul><at id="0">Lee</at><script>x()</script><iframe src="https://example.com"></iframe>' +
            '<img src="https://graph.microsoft.com/v1.0/teams/t/channels/c/messages/1/hostedContents/pic/$value" alt="plate">' +
            '<img src="https://example.com/tracker.png" alt="remote">',
        },
        attachments: [
          {
            id: 'a',
            contentType: 'reference',
            contentUrl: 'https://example.com/f',
            name: 'Plan.pdf',
          },
          { id: 'b', contentType: 'application/vnd.microsoft.card.adaptive' },
          { id: 'c', contentType: 'reference', contentUrl: 'javascript:x()', name: 'Bad.pdf' },
        ],
      },
      replies: [
        {
          id: '2',
          createdDateTime: '2026-07-01T23:00:00.000Z',
          body: { contentType: 'text', content: 'a < b\nc' },
        },
      ],
    },
    [{ as: 'hosted', name: 'pic', content: png }],
    'Europe/Berlin',
  );
  const tags = new Set<string>();
  const urls: string[] = [];
  const texts: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      tags.add(name);
      for (const [attribute, value] of Object.entries(attributes)) {
        expect(attribute).not.toMatch(/^on/);
        if (attribute === 'src' || attribute === 'href') urls.push(value);
      }
    },
    ontext: (text) => texts.push(text),
  });
  parser.end(html);
  for (const tag of ['b', 'ul', 'li', 'a', 'img', 'time']) expect(tags).toContain(tag);
  for (const tag of ['script', 'iframe', 'at', 'link', 'style']) expect(tags).not.toContain(tag);
  expect(urls).toEqual([
    'https://example.com/a',
    `data:image/png;base64,${png.toString('base64')}`,
    'https://example.com/f',
  ]);
  const shown = texts.join('');
  for (const text of ['Offer <1>', 'Kim & Co', 'Lee', 'Plan.pdf', 'Card', 'Bad.pdf', 'a < b'])
    expect(shown).toContain(text);
  // Half past midnight of the next day in Berlin.
  expect(shown).toMatch(/2 July 2026.*00:30:00 CEST/);
  expect(html).toContain("default-src 'none'; img-src data:");
});
