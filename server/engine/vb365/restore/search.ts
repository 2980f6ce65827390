import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { failed, ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import { getNextOffset } from '../paging.ts';
import type { OpenExplorer } from './explorers.ts';
import { toDriveItem, toMailNode as toMailItem } from './items.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { KnownNode, ShownNode } from './nodes.ts';
import {
  DRIVES,
  type ServerListInput,
  inSession,
  MAILBOXES,
  part,
  type ShownPage,
  SITES,
  TEAMS,
} from './pages.ts';
import {
  DriveItemShape,
  FoundInChannelShape,
  MailItemShape,
  PostShape,
  SiteItemShape,
  TabShape,
  TeamFileShape,
  toPageShape,
  type Vb365DriveItem,
  type Vb365FoundInChannel,
  type Vb365MailItem,
  type Vb365SiteItem,
} from './shapes.ts';
import { parseSiteKey, toSiteNode as toSiteItem } from './sites.ts';
import { parseTeamKey, toFile, toPost, toTab } from './teams.ts';

/** One search on the server. Of a team or a channel, each kind of items has its own. */
interface Search {
  readonly path: string;
  /** Beside the words. */
  readonly body: object;
  readonly row: Parameters<typeof toPageShape>[0];
  /** Null: what isn't asked for, such as a folder. */
  readonly show: (row: unknown) => ShownNode | null;
  /** The server caches the found rows, and names them so that later pages don't search again. */
  readonly hasSet: boolean;
}

/** The longest a search of the server may take: it reads what it has not indexed. */
const SEARCH_MS: Ms = 120_000;
/** The server's own maximum is 10,000. */
const PAGE_ROWS = 1_000;
/** How many rows are requested at least once some were dropped. */
const MORE_ROWS = 100;
/** How many rows can be left out: the server has no other way than to find them first. */
const MAX_OFFSET = 10_000;
/** Which search is next, at which of its rows, and how the server names those that it found. */
const CURSOR = /^(\d)-(\d{1,9})(?:-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}))?$/i;

/**
 * Searches what is below a node in the open session for words: in a mailbox, drive, site or team, or a
 * folder, library, list or channel. In the order of the server, each page full but the last one.
 */
export async function searchBelow(
  client: Vb365Client,
  explorer: OpenExplorer,
  parent: KnownNode,
  input: Pick<ServerListInput, 'only' | 'cursor' | 'limit'> & {
    readonly text: string;
    readonly offset: number;
  },
): Promise<EngineResult<ShownPage>> {
  const { only, text, cursor, offset, limit } = input;
  const searches = only === 'folders' || only === 'objects' ? null : getSearches(explorer, parent);
  if (searches === null) return failed('unsupported', t.notOffered);
  const begin = cursor === null ? { n: 0, at: 0, set: undefined } : readCursor(cursor);
  if (begin === null || begin.n >= searches.length)
    return failed('invalid', explorerMessages.wrongCursor, { field: 'cursor' });
  const query = getQuery(text);
  if (query === '') return ok({ shown: [], page: { rows: [], next: null, count: 0 } });
  // Without a cursor, rows to leave out are found first.
  const skipped = cursor === null ? offset : 0;
  if (skipped > MAX_OFFSET) return failed('invalid', t.searchTooFar, { field: 'offset' });
  const shown: ShownNode[] = [];
  let count = 0;
  const wanted = skipped + limit;
  let { n, at, set } = begin;
  let isFirst = true;
  for (let search = searches[n]; search !== undefined && count < wanted;) {
    // Rows that aren't shown are dropped: what lacks then isn't requested one by one.
    const rows = Math.max(wanted - count, isFirst ? 0 : MORE_ROWS);
    isFirst = false;
    const page = await readFound(client, explorer, search, query, {
      at,
      set,
      limit: Math.min(PAGE_ROWS, rows),
    });
    let left: number | null = null;
    for (const [index, row] of page.rows.entries()) {
      const node = search.show(row);
      if (node === null) continue;
      if (count === wanted) {
        left = index;
        break;
      }
      if (count >= skipped) shown.push(node);
      count += 1;
    }
    if (left !== null) [at, set] = [at + left, search.hasSet ? page.set : undefined];
    else if (page.next === null) {
      n += 1;
      [at, set, search] = [0, undefined, searches[n]];
    } else [at, set] = [page.next, search.hasSet ? page.set : undefined];
  }
  const isLast = n >= searches.length;
  return ok({
    shown,
    page: {
      rows: shown.map(({ node }) => node),
      next: isLast ? null : `${n}-${at}${set === undefined ? '' : `-${set}`}`,
      count: isLast && cursor === null ? count : null,
    },
  });
}

/**
 * The query of words. The server's queries have operators and fields, such as `OR` and `from:`: in
 * quotation marks, none of a person's words is one, and its marks can't be escaped there.
 * Source: helpcenter.veeam.com/docs/vbo365/rest/appendix_search.html
 */
const getQuery = (text: string): string =>
  text
    .split(/[\s"“”„]+/)
    .filter((word) => word !== '')
    .map((word) => `"${word}"`)
    .join(' ');

function readCursor(
  cursor: string,
): { readonly n: number; readonly at: number; readonly set: string | undefined } | null {
  const [, n, at, set] = CURSOR.exec(cursor) ?? [];
  return n === undefined ? null : { n: Number(n), at: Number(at), set };
}

async function readFound(
  client: Vb365Client,
  explorer: OpenExplorer,
  { path, body, row, hasSet }: Search,
  query: string,
  { at, set, limit }: { readonly at: number; readonly set: string | undefined; limit: number },
): Promise<{ rows: readonly unknown[]; next: number | null; set: string | undefined }> {
  const range = `limit=${limit}&offset=${at}${hasSet && set !== undefined ? `&setId=${set}` : ''}`;
  const page = await client.command(
    {
      method: 'POST',
      path: inSession(explorer, `${path}${path.includes('?') ? '&' : '?'}${range}`),
      body: { ...body, query },
      timeoutMs: SEARCH_MS,
    },
    v.object({ ...toPageShape(row).entries, setId: v.nullish(v.pipe(v.string(), v.uuid())) }),
  );
  if (page === null) throw new SourceError('failed', t.noAnswer({ host: client.host }));
  return {
    rows: page.results,
    next: getNextOffset(page, at, limit),
    set: page.setId ?? undefined,
  };
}

/** The searches of what is below a node. Null: it has none. */
function getSearches(explorer: OpenExplorer, parent: KnownNode): readonly Search[] | null {
  switch (explorer.workload) {
    case 'outlook':
      return [getMailSearch(explorer, parent)];
    case 'onedrive':
      return [getDriveSearch(explorer, parent)];
    case 'sharepoint':
      return [getSiteSearch(explorer, parent)];
    case 'teams':
      return getTeamSearches(explorer, parent);
    default:
      return explorer.workload satisfies never;
  }
}

const getMailSearch = (
  explorer: OpenExplorer,
  { object_key: object, item_key: folder }: KnownNode,
): Search => ({
  path: `${MAILBOXES}/${part(object)}${folder === '' ? '' : `/folders/${part(folder)}`}/search`,
  body: {},
  row: MailItemShape,
  show: (row) => toMailItem(explorer, object, row as Vb365MailItem),
  hasSet: true,
});

const getDriveSearch = (
  explorer: OpenExplorer,
  { object_key: object, item_key: folder }: KnownNode,
): Search => ({
  path: `${DRIVES}/${part(object)}${folder === '' ? '' : `/Folders/${part(folder)}`}/search?itemType=Documents`,
  body: {},
  row: DriveItemShape,
  show: (row) => {
    const item = row as Vb365DriveItem;
    return item.isFolder === true ? null : toDriveItem(explorer, object, 'file', item);
  },
  hasSet: true,
});

function getSiteSearch(explorer: OpenExplorer, parent: KnownNode): Search {
  const own = parseSiteKey(parent);
  const site = parent.object_key;
  const below = own === null ? '' : `/${own.collection}/${part(own.id)}`;
  return {
    path: `${SITES}/${part(site)}${below}/search?itemType=Items`,
    body: {},
    row: SiteItemShape,
    show: (row) => {
      const item = row as Vb365SiteItem;
      if (item.isFolder === true) return null;
      const isRow =
        own === null ? item.title != null : own.type === 'list' || own.type === 'listfolder';
      return toSiteItem(explorer, site, isRow ? 'item' : 'document', item);
    },
    hasSet: true,
  };
}

const TEAM_TYPES = ['posts', 'files', 'tabs'] as const;
type TeamType = (typeof TEAM_TYPES)[number];
/** As bodies of searches name them. */
const getWord = (type: TeamType): string => `${type.charAt(0).toUpperCase()}${type.slice(1)}`;

function getTeamSearches(explorer: OpenExplorer, parent: KnownNode): readonly Search[] | null {
  const team = parent.object_key;
  const base = `${TEAMS}/${part(team)}`;
  const own = parseTeamKey(parent);
  const search = (type: TeamType, path: string, body: object): Search => ({
    path: `${base}${path}`,
    body,
    row: FoundInChannelShape,
    show: (row) => showInChannel(explorer, team, own?.channel, type, row as Vb365FoundInChannel),
    hasSet: false,
  });
  if (own === null)
    return TEAM_TYPES.map((type) => search(type, '/search', { type: getWord(type) }));
  const channel = `/channels/${part(own.channel)}`;
  switch (own.type) {
    case 'channel':
      return TEAM_TYPES.map((type) => search(type, `${channel}/search`, { type: getWord(type) }));
    case 'files':
      return [search('files', `${channel}/search`, { type: getWord('files') })];
    case 'tabs':
      return [search('tabs', `${channel}/tabs/search`, {})];
    case 'dir': {
      const where = `channelId=${part(own.channel)}&parentId=${part(own.id)}`;
      return [search('files', `/files/search?${where}`, {})];
    }
    default:
      return null;
  }
}

/** `channel`: which one was searched. Without it, the row must name its own. */
function showInChannel(
  explorer: OpenExplorer,
  team: string,
  channel: string | undefined,
  type: TeamType,
  row: Vb365FoundInChannel,
): ShownNode | null {
  const where = channel ?? row.channelId ?? undefined;
  if (where === undefined) return null;
  switch (type) {
    case 'posts': {
      const post = v.safeParse(PostShape, row);
      return post.success ? toPost(explorer, team, where, post.output) : null;
    }
    case 'files': {
      const file = v.safeParse(TeamFileShape, row);
      const shown = file.success ? toFile(explorer, team, where, file.output) : null;
      return shown?.node.kind === 'file' ? shown : null;
    }
    case 'tabs': {
      const tab = v.safeParse(TabShape, row);
      return tab.success ? toTab(explorer, team, where, tab.output) : null;
    }
    default:
      return type satisfies never;
  }
}
