import type { EngineResult } from '#contract/engine/engine.ts';
import { ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import { parseTime } from '../times.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { type KnownNode, makeNodeId, type ShownNode } from './nodes.ts';
import {
  countRows,
  findObjects,
  getCommon,
  getName,
  type ServerListInput,
  type ListRequest,
  part,
  readPage,
  type ShownPage,
  SITES,
} from './pages.ts';
import {
  SiteItemShape,
  SitePartShape,
  SiteShape,
  type Vb365Site,
  type Vb365SiteItem,
  type Vb365SitePart,
} from './shapes.ts';

/** How a page of a site's content begins when it is one of lists: libraries are first. */
export const LISTS_CURSOR = /^lists-/;

/** What a node of a site is on the server, beside its id there. */
const TYPES = {
  library: 'Libraries',
  list: 'Lists',
  folder: 'Folders',
  listfolder: 'Folders',
  document: 'Documents',
  item: 'Items',
} as const;
type SiteType = keyof typeof TYPES;

/** A node of a site by its key: its type, and its id on the server. */
export function parseSiteKey({ item_key: key }: Pick<KnownNode, 'item_key'>): {
  readonly type: SiteType;
  readonly collection: (typeof TYPES)[SiteType];
  readonly id: string;
} | null {
  const at = key.indexOf(':');
  const type = (Object.keys(TYPES) as SiteType[]).find((one) => one === key.slice(0, at));
  return type === undefined ? null : { type, collection: TYPES[type], id: key.slice(at + 1) };
}

interface SiteInput extends Pick<ServerListInput, 'only' | 'text' | 'cursor' | 'limit'> {
  readonly offset: number;
}

/** Lists sites, what a site has, and what is below that. `parent` null: the sites at the top. */
export async function listSites(
  client: Vb365Client,
  explorer: OpenExplorer,
  parent: KnownNode | null,
  { only, text, cursor, offset, limit }: SiteInput,
): Promise<EngineResult<ShownPage>> {
  const range = { offset, limit };
  const site = parent?.object_key ?? '';
  if (parent === null || only === 'objects') {
    // Without a parent, the server lists all sites.
    const list: ListRequest<Vb365Site> = {
      path: text !== null ? SITES : `${SITES}?parentId=${part(site || 'root')}`,
      row: SiteShape,
      show: (row) => toSite(explorer, row),
    };
    return text === null
      ? ok(await readPage(client, explorer, list, range))
      : ok(await findObjects(client, explorer, list, text));
  }
  const base = `${SITES}/${part(site)}`;
  const own = parseSiteKey(parent);
  if (own === null)
    return ok(only === 'items' ? EMPTY : await listContent(client, explorer, site, cursor, range));
  const isList = own.type === 'list' || own.type === 'listfolder';
  const query = `parentId=${part(own.id)}`;
  if (only === 'folders')
    return ok(
      await readPage(
        client,
        explorer,
        {
          path: `${base}/Folders?${query}`,
          row: SiteItemShape,
          show: (row: Vb365SiteItem) =>
            toSiteNode(explorer, site, isList ? 'listfolder' : 'folder', row),
        },
        range,
      ),
    );
  return ok(
    await readPage(
      client,
      explorer,
      {
        path: `${base}/${isList ? 'Items' : 'Documents'}?${query}&includeFolders=false`,
        row: SiteItemShape,
        show: (row: Vb365SiteItem) => toSiteNode(explorer, site, isList ? 'item' : 'document', row),
      },
      range,
    ),
  );
}

const EMPTY: ShownPage = { shown: [], page: { rows: [], next: null, count: 0 } };
/** No room for lists: they begin on the next page. */
const FULL: ShownPage = { ...EMPTY, page: { rows: [], next: '0', count: null } };

interface Range {
  readonly offset: number;
  readonly limit: number;
}

/** The libraries of a site, then its lists: a page has both where they meet. */
async function listContent(
  client: Vb365Client,
  explorer: OpenExplorer,
  site: string,
  cursor: string | null,
  range: Range,
): Promise<ShownPage> {
  const getList = (type: 'library' | 'list'): ListRequest<Vb365SitePart> => ({
    path: `${SITES}/${part(site)}/${TYPES[type]}`,
    row: SitePartShape,
    show: (row) => toPart(explorer, site, type, row),
  });
  const read = (type: 'library' | 'list', from: Range): Promise<ShownPage> =>
    readPage(client, explorer, getList(type), from);
  const isLists = cursor !== null && LISTS_CURSOR.test(cursor);
  const libraries = isLists ? EMPTY : await read('library', range);
  if (libraries.page.next !== null)
    return { ...libraries, page: { ...libraries.page, count: null } };
  // Beyond the libraries, the server doesn't say how many there are.
  const before = isLists
    ? 0
    : (libraries.page.count ?? (await countRows(client, explorer, getList('library'))));
  const left = {
    offset: Math.max(0, range.offset - before),
    limit: range.limit - libraries.shown.length,
  };
  const { shown, page } = left.limit === 0 ? FULL : await read('list', left);
  return {
    shown: [...libraries.shown, ...shown],
    page: {
      rows: [...libraries.page.rows, ...page.rows],
      next: page.next === null ? null : `lists-${page.next}`,
      count: !isLists && page.count !== null ? before + page.count : null,
    },
  };
}

function toSite(explorer: OpenExplorer, row: Vb365Site): ShownNode {
  const common = getCommon(
    explorer,
    makeNodeId('site', row.id, ''),
    getName(row.name, row.url),
    null,
  );
  // The server does not say how many sites are below.
  const node = {
    ...common,
    kind: 'site',
    children: null,
    address: row.url ?? '',
    subsites: null,
  } as const;
  return { node, object: row.id, item: '' };
}

function toPart(
  explorer: OpenExplorer,
  site: string,
  type: 'library' | 'list',
  row: Vb365SitePart,
): ShownNode {
  const item = `${type}:${row.id}`;
  const common = getCommon(
    explorer,
    makeNodeId(type, site, row.id),
    getName(row.name, row.url),
    parseTime(row.creationTime),
  );
  const node = { ...common, kind: type, children: null, address: row.url ?? '' } as const;
  return { node, object: site, item, of: 'site' };
}

/** Shows a folder, a file or a row of a site. */
export function toSiteNode(
  explorer: OpenExplorer,
  site: string,
  type: 'folder' | 'listfolder' | 'document' | 'item',
  row: Vb365SiteItem,
): ShownNode {
  const name = type === 'item' ? getName(row.title, row.name) : getName(row.name, row.title);
  const common = {
    ...getCommon(
      explorer,
      makeNodeId(type, site, row.id),
      name,
      parseTime(type === 'item' ? row.creationTime : row.modificationTime),
    ),
    sizeBytes: type === 'document' ? (row.sizeBytes ?? null) : null,
  };
  const author = row.modifiedBy ?? '';
  const node =
    type === 'document'
      ? ({ ...common, kind: 'file', version: row.version ?? '', author } as const)
      : type === 'item'
        ? ({ ...common, kind: 'row', author, fields: {} } as const)
        : ({ ...common, kind: type === 'folder' ? 'dir' : 'list', children: null } as const);
  return { node, object: site, item: `${type}:${row.id}`, of: 'site' };
}

/** What the server shows of a row, as rows of lists are stored. */
export function getRowValues(row: Vb365SiteItem): object {
  const fields = {
    Title: row.title ?? row.name ?? '',
    Version: row.version ?? '',
    CreatedBy: row.createdBy ?? '',
    Created: row.creationTime ?? '',
    ModifiedBy: row.modifiedBy ?? '',
    Modified: row.modificationTime ?? '',
  };
  return { fields, columns: COLUMNS };
}
const COLUMNS = [
  { name: 'Title', displayName: t.title },
  { name: 'Version', displayName: t.version },
  { name: 'CreatedBy', displayName: t.createdBy },
  { name: 'Created', displayName: t.created },
  { name: 'ModifiedBy', displayName: t.modifiedBy },
  { name: 'Modified', displayName: t.modified },
];
