import type { ChannelMembership, EngineResult } from '#contract/engine/engine.ts';
import { ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import { parseTime } from '../times.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { type KnownNode, makeNodeId, type ShownNode } from './nodes.ts';
import {
  findObjects,
  getCommon,
  getName,
  type ServerListInput,
  type ListRequest,
  part,
  readAll,
  readPage,
  type ShownPage,
  TEAMS,
} from './pages.ts';
import {
  ChannelShape,
  PostShape,
  TabShape,
  TeamFileShape,
  TeamShape,
  type Vb365Channel,
  type Vb365Post,
  type Vb365Tab,
  type Vb365Team,
  type Vb365TeamFile,
} from './shapes.ts';

/** What a node of a team is. `files`, `tabs`: the folders of a channel, which have no id there. */
const TYPES = ['channel', 'files', 'tabs', 'dir', 'file', 'post', 'tab'] as const;
type TeamType = (typeof TYPES)[number];
/** `id`: its own in the channel; empty of a channel and its two folders. */
interface TeamKey {
  readonly type: TeamType;
  readonly channel: string;
  readonly id: string;
}

/** The ids of channels have colons, and those of what is in them have no slashes. */
const getKey = ({ type, channel, id }: TeamKey): string => `${type}:${channel}/${id}`;

/** A node of a team by its key. Null: it is the team itself. */
export function parseTeamKey({ item_key: key }: Pick<KnownNode, 'item_key'>): TeamKey | null {
  const [start, end] = [key.indexOf(':'), key.lastIndexOf('/')];
  const type = TYPES.find((one) => one === key.slice(0, start));
  return type === undefined || end < start
    ? null
    : { type, channel: key.slice(start + 1, end), id: key.slice(end + 1) };
}

/** Whether a node of a team is a channel or in it. */
export function isInChannel(node: KnownNode, channel: KnownNode): boolean {
  const key = parseTeamKey(channel);
  return (
    key?.type === 'channel' &&
    node.object_id === channel.object_id &&
    parseTeamKey(node)?.channel === key.channel
  );
}

interface TeamInput extends Pick<ServerListInput, 'only' | 'text' | 'limit'> {
  readonly offset: number;
}

/**
 * Lists teams, the channels of one, and what those have: posts, and a folder each of files and of tabs.
 * `parent` null: the teams.
 */
export async function listTeams(
  client: Vb365Client,
  explorer: OpenExplorer,
  parent: KnownNode | null,
  { only, text, offset, limit }: TeamInput,
): Promise<EngineResult<ShownPage>> {
  const range = { offset, limit };
  if (parent === null) {
    const list: ListRequest<Vb365Team> = {
      path: TEAMS,
      row: TeamShape,
      show: (row) => toTeam(explorer, row),
    };
    return text === null
      ? ok(await readPage(client, explorer, list, range))
      : ok(await findObjects(client, explorer, list, text));
  }
  const team = parent.object_key;
  const base = `${TEAMS}/${part(team)}`;
  const own = parseTeamKey(parent);
  if (own === null) {
    if (only !== 'folders') return ok(EMPTY);
    const list: ListRequest<Vb365Channel> = {
      path: `${base}/channels`,
      row: ChannelShape,
      show: (row) => toChannel(explorer, team, row),
    };
    return ok(await readPage(client, explorer, list, range));
  }
  const { type, channel, id } = own;
  if (type === 'channel') {
    if (only === 'folders') return ok(getFolders(explorer, team, channel, range));
    const list = getPostList(explorer, team, channel, PARENTS);
    return ok(await readPage(client, explorer, list, range));
  }
  if (type === 'tabs') {
    if (only === 'folders') return ok(EMPTY);
    const list: ListRequest<Vb365Tab> = {
      path: `${base}/channels/${part(channel)}/tabs`,
      row: TabShape,
      show: (row) => toTab(explorer, team, channel, row),
    };
    return ok(await readPage(client, explorer, list, range));
  }
  const query = `channelId=${part(channel)}&parentId=${type === 'files' ? 'root' : part(id)}`;
  const getFiles = (more: string): ListRequest<Vb365TeamFile> => ({
    path: `${base}/files?${query}&foldersOnly=${more}`,
    row: TeamFileShape,
    show: (row) => toFile(explorer, team, channel, row),
  });
  return ok(
    only === 'folders'
      ? await readPage(client, explorer, getFiles('true'), range)
      : await readFiles(client, explorer, getFiles('false'), range),
  );
}

const EMPTY: ShownPage = { shown: [], page: { rows: [], next: null, count: 0 } };
/** Instead of a post's id: posts that answer none. */
const PARENTS = '-1';

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** The server lists files among folders: those are left out, so that each page of files is full. */
async function readFiles(
  client: Vb365Client,
  explorer: OpenExplorer,
  list: ListRequest<Vb365TeamFile>,
  { offset, limit }: Range,
): Promise<ShownPage> {
  const files: ShownNode[] = [];
  for await (const rows of readAll(client, explorer, list)) {
    files.push(...rows.filter(({ node }) => node.kind === 'file'));
    if (files.length > offset + limit) break;
  }
  const isLast = files.length <= offset + limit;
  const shown = files.slice(offset, offset + limit);
  return {
    shown,
    page: {
      rows: shown.map(({ node }) => node),
      next: isLast ? null : String(offset + limit),
      count: isLast ? files.length : null,
    },
  };
}

/** The list of the posts of a channel, or of the replies to one. */
const getPostList = (
  explorer: OpenExplorer,
  team: string,
  channel: string,
  parent: string,
): ListRequest<Vb365Post> => ({
  path: `${TEAMS}/${part(team)}/posts?channelId=${part(channel)}&parentId=${parent}`,
  row: PostShape,
  show: (row) => toPost(explorer, team, channel, row),
});

/** Returns the ids of the replies to a post, in the order of the server. */
export async function findReplies(
  client: Vb365Client,
  explorer: OpenExplorer,
  team: string,
  { channel, id }: Pick<TeamKey, 'channel' | 'id'>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const list = getPostList(explorer, team, channel, part(id));
  for await (const rows of readAll(client, explorer, list))
    ids.push(...rows.map((one) => parseTeamKey({ item_key: one.item })?.id ?? ''));
  return ids;
}

function getFolders(
  explorer: OpenExplorer,
  team: string,
  channel: string,
  { offset, limit }: Range,
): ShownPage {
  const all = (['files', 'tabs'] as const).map((holds): ShownNode => {
    const key = { type: holds, channel, id: '' };
    const common = getCommon(explorer, getId(team, key), t[holds], null);
    return toShown(team, key, { ...common, kind: 'dir', children: null, holds });
  });
  const shown = all.slice(offset, offset + limit);
  const next = offset + limit < all.length ? String(offset + limit) : null;
  return { shown, page: { rows: shown.map(({ node }) => node), next, count: all.length } };
}

const getId = (team: string, key: TeamKey) => makeNodeId(key.type, team, getKey(key));
const toShown = (team: string, key: TeamKey, node: ShownNode['node']): ShownNode => ({
  node,
  object: team,
  item: getKey(key),
  of: 'team',
});

function toTeam(explorer: OpenExplorer, row: Vb365Team): ShownNode {
  const name = getName(row.displayName, row.groupEmail);
  const common = getCommon(explorer, makeNodeId('team', row.id, ''), name, null);
  return {
    node: { ...common, kind: 'team', children: null },
    object: row.id,
    item: '',
    of: 'team',
  };
}

/** Version 7 doesn't say who may open a channel. */
const MEMBERSHIPS: Readonly<Record<string, ChannelMembership>> = {
  private: 'private',
  shared: 'shared',
};
function toChannel(explorer: OpenExplorer, team: string, row: Vb365Channel): ShownNode {
  const key: TeamKey = { type: 'channel', channel: row.id, id: '' };
  const membership = MEMBERSHIPS[(row.type ?? '').toLowerCase()] ?? 'standard';
  const common = getCommon(explorer, getId(team, key), getName(row.displayName), null);
  return toShown(team, key, { ...common, kind: 'channel', children: null, membership });
}

/** Shows what a channel has. */
export function toPost(
  explorer: OpenExplorer,
  team: string,
  channel: string,
  row: Vb365Post,
): ShownNode {
  const key: TeamKey = { type: 'post', channel, id: String(row.postId) };
  const at = parseTime(row.createdTime) ?? parseTime(row.lastModifiedTime);
  return toShown(team, key, {
    ...getCommon(explorer, getId(team, key), getName(row.subject), at),
    deleted: row.isDeleted === true,
    kind: 'post',
    author: getName(row.author),
    // Each post would have to be asked for its own.
    replies: null,
  });
}

/** Shows what a channel has. */
export function toFile(
  explorer: OpenExplorer,
  team: string,
  channel: string,
  row: Vb365TeamFile,
): ShownNode {
  const isFolder = row.fileType?.toLowerCase() === 'folder';
  const key: TeamKey = { type: isFolder ? 'dir' : 'file', channel, id: row.id };
  const at = parseTime(row.modified);
  const common = getCommon(explorer, getId(team, key), getName(row.name), at);
  return toShown(
    team,
    key,
    isFolder
      ? { ...common, kind: 'dir', children: null }
      : {
          ...common,
          sizeBytes: row.sizeBytes ?? null,
          kind: 'file',
          version: row.uiVersion ?? '',
          author: getName(row.modifiedBy),
        },
  );
}

/** Shows what a channel has. */
export function toTab(
  explorer: OpenExplorer,
  team: string,
  channel: string,
  row: Vb365Tab,
): ShownNode {
  const key: TeamKey = { type: 'tab', channel, id: row.id };
  const common = getCommon(explorer, getId(team, key), getName(row.displayName), null);
  return toShown(team, key, { ...common, kind: 'tab', app: getName(row.type) });
}
