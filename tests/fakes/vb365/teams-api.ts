import * as v from 'valibot';
import { writeMsgFile } from '#server/engine/embedded/msg/msg-file.ts';
import type { Details } from '#tests/server/outbound/listen.ts';
import type { ApiParts } from './restore-api.ts';
import type { Vb365RestoreSession } from './restore-state.ts';
import type { Row } from './rows.ts';
import { sent, writeZip } from './saves.ts';
import { getQueryProblem, isFound, listFound } from './searches.ts';
import type { Vb365Version } from './state.ts';
import { teamBodies } from './team-schema.ts';
import type {
  Present,
  Vb365Channel,
  Vb365Post,
  Vb365Tab,
  Vb365Team,
  Vb365TeamFile,
} from './team-state.ts';

// Teams in restore sessions, as the REST API and its documents describe them.

type Results = NonNullable<Vb365RestoreSession['results']>;
interface TeamParts extends ApiParts {
  readonly session: Vb365RestoreSession;
  /** Version 8 restores in a session of its own. */
  readonly begin: (session: Vb365RestoreSession, results: Results) => Details;
}

const iso = (at: number): string => new Date(at).toISOString();
const WORDS = new Set([
  'channels',
  'files',
  'posts',
  'tabs',
  'restore',
  'save',
  'export',
  'search',
  'versions',
]);
const QUOTA = 'The quota is exceeded.';

/** Answers a request about teams. `request`: the query of a GET request, or the body of a command. */
export function answerTeams(
  parts: TeamParts,
  [scope = '', list = '', id, ...tail]: readonly string[],
  request: URLSearchParams | Row,
  range = new URLSearchParams(),
): Details {
  const { content, session, version, listed, notFound } = parts;
  if (scope.toLowerCase() !== 'organization' || list.toLowerCase() !== 'teams') return notFound();
  const teams = content.teams.filter((one) => one.organizationId === session.organizationId);
  const isGet = request instanceof URLSearchParams;
  if (id === undefined) {
    if (!isGet) return notFound();
    const name = (request.get('displayName') ?? '').toLowerCase();
    const named = teams.filter((one) => one.displayName.toLowerCase().includes(name));
    return listed('vetteams', named.map(teamRow), request);
  }
  const team = teams.find((one) => one.id === id);
  if (team === undefined) return notFound();
  const form = tail
    .map((one) => (WORDS.has(one.toLowerCase()) ? one.toLowerCase() : '{id}'))
    .join('/');
  const at: Place = {
    ...parts,
    team,
    form,
    tail,
    channel: form.startsWith('channels/{id}') ? (tail[1] ?? '') : null,
    id: form.endsWith('{id}') ? (tail.at(-1) ?? '') : (tail.at(-2) ?? ''),
  };
  if (at.channel !== null && !team.channels.some((one) => one.id === at.channel)) return notFound();
  if (isGet) return read(at, request);
  if (form.endsWith('search')) return search(at, request, range);
  const body = teamBodies(version)[form];
  if (body === undefined) return notFound();
  if (!v.is(body, request)) return parts.refused(`Wrong body: ${JSON.stringify(request)}.`);
  return form.endsWith('restore') ? restore(at, request) : save(at, request);
}

interface Place extends TeamParts {
  readonly team: Vb365Team;
  /** What follows the team in the path. */
  readonly form: string;
  readonly tail: readonly string[];
  readonly channel: string | null;
  /** The last id of the path. */
  readonly id: string;
}

function read(at: Place, query: URLSearchParams): Details {
  const { team, form, tail, channel, id, version, session, listed, answered, notFound } = at;
  const one = (row: Row | undefined): Details => (row === undefined ? notFound() : answered(row));
  const inChannel = query.get('channelId') ?? channel;
  const isIn = ({ channelId }: { readonly channelId: string }): boolean =>
    inChannel === null || channelId === inChannel;
  const parent = query.get('parentId');
  const files = team.files.filter((file) => isIn(file) && file.from <= session.dateTime);
  const posts = team.posts.filter((post) => isIn(post) && post.createdTime <= session.dateTime);
  const tabs = team.tabs.filter(isIn);
  const fileAt = version === 'v8' ? 'channels/{id}/files/{id}' : 'files/{id}';
  switch (form) {
    case '':
      return answered(teamRow(team));
    case 'channels':
      return listed(
        'vetchannels',
        team.channels.map((row) => channelRow(version, team, row)),
        query,
      );
    case 'channels/{id}': {
      const found = team.channels.find((row) => row.id === id);
      if (found === undefined) return notFound();
      const { type: _, ...row } = channelRow(version, team, found);
      return answered(row);
    }
    case 'files':
      return listed(
        'vetfiles',
        files
          .filter(({ parentId }) => parent === null || (parentId ?? 'root') === parent)
          .filter(({ bytes }) => query.get('foldersOnly') !== 'true' || bytes === null)
          .map((row) => fileRow(version, team, row)),
        query,
      );
    case fileAt:
      return one(files.filter((row) => row.id === id).map((row) => fileRow(version, team, row))[0]);
    case `${fileAt}/versions`: {
      const file = files.find((row) => row.id === tail.at(-2));
      if (file === undefined) return notFound();
      const rows = (file.versions ?? []).map((earlier) => ({
        ...fileRow(version, team, file),
        sizeBytes: earlier.bytes.byteLength,
        version: earlier.versionId,
        uiVersion: earlier.version,
        modified: iso(earlier.at),
      }));
      return listFound(at, rows, query, 'offset limit');
    }
    case 'posts':
      return listed(
        'vetposts',
        posts
          .filter(({ parentId }) => parent === null || String(parentId ?? -1) === parent)
          .map((row) => postRow(version, team, row)),
        query,
      );
    case 'posts/{id}':
      return one(
        posts
          .filter((row) => String(row.postId) === id)
          .map((row) => postRow(version, team, row))[0],
      );
    case 'channels/{id}/tabs':
      return listed(
        'vettabs',
        tabs.map((row) => tabRow(version, team, row)),
        query,
      );
    case 'channels/{id}/tabs/{id}':
      return one(tabs.filter((row) => row.id === id).map((row) => tabRow(version, team, row))[0]);
    default:
      return notFound();
  }
}

/** Searches a team or a channel for one type of items, or one of its lists. */
function search(at: Place, body: Row, query: URLSearchParams): Details {
  const { team, form, channel, version, session, notFound, refused } = at;
  const fixed = { 'files/search': 'Files', 'posts/search': 'Posts' }[form];
  const inTabs = form === 'channels/{id}/tabs/search';
  if (fixed === undefined && !inTabs && form !== 'search' && form !== 'channels/{id}/search')
    return notFound();
  const isTyped = fixed === undefined && !inTabs;
  const type = isTyped ? body['type'] : (fixed ?? 'Tabs');
  const problem = getQueryProblem(body);
  if (problem !== null || Object.keys(body).length !== (isTyped ? 2 : 1))
    return refused(problem ?? 'Wrong body.');
  const [inChannel, parent] = [query.get('channelId') ?? channel, query.get('parentId')];
  const isIn = ({ channelId }: { readonly channelId: string }): boolean =>
    inChannel === null || channelId === inChannel;
  const rows =
    type === 'Files'
      ? team.files
          .filter((file) => isIn(file) && file.from <= session.dateTime)
          .filter(({ parentId }) => parent === null || (parentId ?? 'root') === parent)
          .map((row) => fileRow(version, team, row))
      : type === 'Posts'
        ? team.posts
            .filter((post) => isIn(post) && post.createdTime <= session.dateTime)
            .map((row) => postRow(version, team, row))
        : type === 'Tabs'
          ? team.tabs.filter(isIn).map((row) => tabRow(version, team, row))
          : null;
  if (rows === null) return refused('Wrong type.');
  const found = rows.filter((row) => isFound(String(body['query']), row));
  return listFound(
    at,
    found,
    query,
    `offset limit${fixed === undefined ? '' : ' channelId parentId'}`,
  );
}

interface Item {
  readonly title: string;
  readonly channelId: string;
  readonly present: Present;
}

const toItems = (
  all: readonly (Omit<Item, 'title'> & {
    name?: string;
    displayName?: string;
    subject?: string;
  })[],
): Item[] =>
  all.map(({ name, displayName, subject, ...one }) => ({
    channelId: one.channelId,
    present: one.present,
    title: name ?? displayName ?? subject ?? '',
  }));

function restore(at: Place, body: Row): Details {
  const { team, form, channel, session, content, version, refused, answered, begin } = at;
  if (content.codes.get(String(body['userCode'])) !== true) return refused('No rights to restore.');
  const files = getFiles(at, body);
  if (form === 'files/restore' && new Set(files.map((one) => one.channelId)).size > 1)
    return refused('The files must reside in the same channel.');
  const rows = body['tabs'] as readonly Row[] | undefined;
  const tabs = team.tabs.filter(
    ({ id, channelId }) =>
      (channel === null || channelId === channel) &&
      (rows === undefined || rows.some((row) => row['id'] === id)),
  );
  const posts = team.posts.filter((one) => channel === null || one.channelId === channel);
  const all =
    form === 'files/restore'
      ? toItems(files)
      : form.endsWith('tabs/restore')
        ? toItems(tabs)
        : [
            ...toItems(
              team.files.filter(
                (one) => one.bytes !== null && isSeen(at, one) && isInPlace(at, one),
              ),
            ),
            ...toItems(posts),
            ...toItems(tabs),
          ];
  const wanted: Record<Present, boolean> = {
    missing: (body['restoreMissingItems'] ?? body['restoreMissingTabs']) === true,
    changed: (body['restoreChangedItems'] ?? body['restoreChangedTabs']) === true,
    same: false,
  };
  const beside = ['restoreMembers', 'restoreSettings'].filter((name) => body[name] === true);
  const titles = [
    ...all.filter(({ present }) => wanted[present]).map(({ title }) => title),
    ...beside.map((name) => name.slice('restore'.length)),
  ];
  const results = titles.map((title) => ({ title, isRefused: content.refusedItems.has(title) }));
  for (const { title, isRefused } of results)
    if (!isRefused) content.restored.push({ object: team.id, title, to: null });
  if (version === 'v8') return begin(session, results);
  const failed = results.filter(({ isRefused }) => isRefused);
  return answered({
    totalItemsCount: all.length + beside.length,
    restoredItemsCount: results.length - failed.length,
    failedItemsCount: failed.length,
    skippedItemsCount: all.length + beside.length - results.length,
    restoreIssues: failed.map(({ title }) => ({
      id: title,
      name: title,
      title: '',
      type: 'File',
      warnings: [],
      error: QUOTA,
    })),
  });
}

const isSeen = ({ session }: Place, { from }: Vb365TeamFile): boolean => from <= session.dateTime;
const isInPlace = ({ channel }: Place, { channelId }: Vb365TeamFile): boolean =>
  channel === null || channelId === channel;

/** The files that a body names: those of a channel, or itself and those in its folders. */
function getFiles(at: Place, body: Row): readonly Vb365TeamFile[] {
  const { team } = at;
  const rows = body['files'] as readonly Row[] | undefined;
  const isNamed = (file: Vb365TeamFile | undefined): boolean =>
    file !== undefined &&
    (rows === undefined
      ? file.channelId === body['channelId']
      : rows.some((row) => row['id'] === file.id) ||
        isNamed(team.files.find(({ id }) => id === file.parentId)));
  return team.files.filter((one) => one.bytes !== null && isSeen(at, one) && isNamed(one));
}

function save(at: Place, body: Row): Details {
  const { team, form, id, content, notFound, refused } = at;
  if (form.startsWith('posts')) {
    const rows = body['posts'] as readonly Row[] | undefined;
    const chosen = team.posts.filter(({ postId, channelId }) =>
      form === 'posts/{id}/save'
        ? String(postId) === id
        : rows === undefined
          ? channelId === body['channelId']
          : rows.some((row) => row['postId'] === postId && row['channelId'] === channelId),
    );
    const [first] = chosen;
    if (first === undefined) return notFound();
    if (new Set(chosen.map(({ channelId }) => channelId)).size > 1)
      return refused('The posts must reside in the same channel.');
    if (form === 'posts/export') return sent(content, Buffer.from(writePage(chosen)));
    if (form === 'posts/{id}/save') return sent(content, writeMsg(first));
    return sent(content, writeZip(chosen.map((post) => [`${post.postId}.msg`, writeMsg(post)])));
  }
  const isOne = form !== 'files/save';
  const files = isOne
    ? team.files.filter((file) => file.id === id && file.bytes !== null && isInPlace(at, file))
    : getFiles(at, body);
  const [first] = files;
  if (first === undefined) return notFound();
  if (isOne && body['asZip'] !== true) return sent(content, first.bytes ?? Buffer.alloc(0));
  return sent(content, writeZip(files.map(({ name, bytes }) => [name, bytes ?? Buffer.alloc(0)])));
}

/** The documents say of a page of posts only that it is HTML. */
const writePage = (posts: readonly Vb365Post[]): string =>
  `<!DOCTYPE html><html><head><title>Posts</title><script>alert(1)</script></head><body>${posts
    .map(({ author, text }) => `<div><b>${author}</b><p>${text}</p></div>`)
    .join('')}</body></html>`;

function writeMsg({ subject, author, text, createdTime }: Vb365Post): Buffer {
  const state = {
    isRead: true,
    isDraft: false,
    isFlagged: false,
    importance: null,
    categories: [],
    receivedAt: createdTime,
  };
  const from = { name: author, address: '' };
  const mail = {
    subject,
    from,
    sender: null,
    recipients: [],
    sentAt: createdTime,
    headers: '',
    text,
    html: null,
    messageId: null,
    inReplyTo: null,
    references: null,
    importance: 'normal' as const,
    attachments: [],
  };
  return Buffer.from(writeMsgFile(mail, state));
}

const inV8 = (version: Vb365Version, { id }: Vb365Team): Row =>
  version === 'v8' ? { teamId: id } : {};

const teamRow = ({ id, displayName }: Vb365Team): Row => ({
  id,
  displayName,
  description: '',
  groupEmail: `${displayName.toLowerCase()}@example.com`,
  alias: displayName.toLowerCase(),
  privacy: 'Private',
  settings: { allowExternalSenders: false },
  isArchived: false,
});
const channelRow = (version: Vb365Version, team: Vb365Team, channel: Vb365Channel): Row => ({
  id: channel.id,
  displayName: channel.displayName,
  ...inV8(version, team),
  ...(version === 'v8' && { type: channel.type }),
});
const fileRow = (version: Vb365Version, team: Vb365Team, file: Vb365TeamFile): Row => ({
  id: file.id,
  name: file.name,
  sizeBytes: file.bytes?.length ?? 0,
  version: 1,
  uiVersion: '1.0',
  modified: iso(file.from),
  modifiedBy: 'Ben Dover',
  channelId: file.channelId,
  fileType: file.bytes === null ? 'Folder' : 'File',
  ...inV8(version, team),
});
const postRow = (version: Vb365Version, team: Vb365Team, post: Vb365Post): Row => ({
  postId: post.postId,
  changeKey: String(post.postId),
  isImportant: false,
  author: post.author,
  subject: post.subject,
  createdTime: iso(post.createdTime),
  lastModifiedTime: iso(post.createdTime),
  isDeleted: post.isDeleted,
  channelId: post.channelId,
  parentId: post.parentId,
  parentChangeKey: '',
  attachments: [],
  ...inV8(version, team),
});
const tabRow = (version: Vb365Version, team: Vb365Team, tab: Vb365Tab): Row => ({
  id: tab.id,
  displayName: tab.displayName,
  contentUrl: 'https://example.com/',
  type: tab.type,
  channelId: tab.channelId,
  ...inV8(version, team),
});
