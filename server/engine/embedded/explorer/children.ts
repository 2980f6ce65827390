import { getShownTitle } from '../../shared/shown-title.ts';
import { sql, type RawBuilder } from 'kysely';
import type {
  ChannelMembership,
  EngineResult,
  ItemKind,
  ListChildrenInput,
  Node,
  ObjectKind,
  EnginePage,
} from '#contract/engine/engine.ts';
import type { ItemFlags } from '#contract/engine/stored-item.ts';
import type { Bytes, Ms, NodeId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import { isOutlookTop, parseFolderKey } from '../sources/outlook/keys.ts';
import { cursorAfter, readCursor, type After } from '../../shared/cursor.ts';
import { getOperatorScope } from '../../shared/role-scope.ts';
import type { OpenExplorer } from './explorers.ts';
import { getWordQuery } from './search-words.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';
import { folderId, isWithinObject, itemId, objectId, parseNodeId } from './node-id.ts';

type Input = Omit<ListChildrenInput, 'explorer'>;

/** An object of the explorer's organization, and its state at the explorer's point. */
export interface ObjectState {
  readonly n: number;
  readonly kind: ObjectKind;
  readonly directoryId: string;
  readonly name: string;
  readonly address: string;
  /** Of a subsite: the directory id of the site above it. */
  readonly parent: string | null;
  /** The object's own number of the state: the ranges of its folders and items count in it. */
  readonly point: number;
  readonly at: Ms;
  readonly items: number;
  readonly bytes: Bytes;
  /** Subjects and content are shown, and may be downloaded. */
  readonly reads: boolean;
  readonly downloads: boolean;
  /** It is restored without the approval of another person. */
  readonly alone: boolean;
}

/**
 * Objects that the explorer shows: those with a finished state at or before its point. With a job,
 * only states that the job made count. An operator sees what its roles are about (G63).
 */
export const getStates = (tenant: string, explorer: OpenExplorer): RawBuilder<ObjectState> => sql`
  select o.n, o.kind, o.directory_id as "directoryId", o.name, o.address, o.parent_id as parent, s.point, s.at, s.items, s.bytes, g.reads, g.downloads, g.alone
  from backup_object as o ${
    explorer.operator === null
      ? sql`cross join (select true as reads, true as downloads, true as alone) as g`
      : sql`join (${getOperatorScope(tenant, explorer.operator)}) as g on g.n = o.n`
  } cross join lateral (
    select s.point, s.at, s.items, s.bytes from object_point as s
    join restore_point as p on p.tenant_id = s.tenant_id and p.id = s.point_id and p.complete
    where s.tenant_id = ${tenant} and s.object_n = o.n and s.at <= ${explorer.at} and (${explorer.job}::uuid is null or p.job_id = ${explorer.job})
    order by s.point desc limit 1
  ) as s
  where o.tenant_id = ${tenant} and o.repository_id = ${explorer.repository} and o.organization_id = ${explorer.organization}
    and o.kind in (${sql.join(explorer.kinds)})`;

/** Returns the state of one object, if the explorer shows it. */
export async function loadState(
  { sql: db, tenant }: TenantTx,
  explorer: OpenExplorer,
  object: number,
): Promise<ObjectState | null> {
  const { rows } =
    await sql<ObjectState>`select * from (${getStates(tenant, explorer)}) as s where s.n = ${object}`.execute(
      db,
    );
  return rows[0] ?? null;
}

/**
 * Lists the children of a node: objects, folders or items. Deleted ones only if the explorer shows
 * them: those whose last version ended before the point.
 */
export async function listChildren(
  tx: TenantTx,
  explorer: OpenExplorer,
  input: Input,
): Promise<EngineResult<EnginePage<Node>>> {
  const read = readCursor(input.cursor);
  if (!read.ok) return read;
  const listObjectsBelow = (above: ObjectState | null) =>
    listCounted(input, read.value, (range) => listObjects(tx, explorer, range, read.value, above));
  if (input.parent === null) return ok(await listObjectsBelow(null));
  const ref = parseNodeId(input.parent);
  if (ref === null || ref.kind === 'item' || !isWithinObject(ref, input.within))
    return failed('missing', t.noNode);
  const state = await loadState(tx, explorer, ref.object);
  if (state === null) return failed('missing', t.noNode);
  if (input.only === 'objects') return ok(await listObjectsBelow(state));
  const folder = ref.kind === 'folder' ? await loadFolder(tx, state, ref.n) : null;
  if (ref.kind === 'folder' && folder === null) return failed('missing', t.noNode);
  const level = { explorer, state, folderKey: folder?.key ?? null };
  const channel = state.kind === 'team' ? await findChannel(tx, state, level.folderKey) : null;
  if (input.channel !== undefined && !(await isChannel(tx, state, channel, input.channel)))
    return failed('missing', t.noNode);
  const list = input.only === 'folders' ? listFolders : listItems;
  const page = await listCounted(input, read.value, (range) => list(tx, level, range, read.value));
  return ok(
    channel === null ? page : { ...page, rows: page.rows.map((row) => addChannel(row, channel)) },
  );
}

/** A page beyond the last row has no row that the count comes with. */
async function listCounted(
  input: Input,
  after: After | null,
  list: (range: Input) => Promise<EnginePage<Node>>,
): Promise<EnginePage<Node>> {
  const page = await list(input);
  if (page.rows.length > 0 || after !== null || (input.offset ?? 0) === 0) return page;
  const { count } = await list({ ...input, offset: 0, limit: 1 });
  return { ...page, count };
}

const addChannel = (node: Node, channel: NodeId): Node =>
  node.kind === 'file' || node.kind === 'tab' || node.kind === 'dir' ? { ...node, channel } : node;

/** Returns the channel at the top of a folder of a team; null: the folder belongs to none. */
async function findChannel(
  { sql: db, tenant }: TenantTx,
  { n: object, point }: ObjectState,
  folder: string | null,
): Promise<NodeId | null> {
  const { rows } = await sql<{ n: number }>`
    with recursive above as (
      select f.n, f.parent_key, f.well_known from ${getLast(tenant, object, point, sql`${folder}`)} as l
        join folder as f on f.tenant_id = ${tenant} and f.object_n = ${object} and f.n = l.n
      union
      select f.n, f.parent_key, f.well_known from above as a cross join lateral ${getLast(tenant, object, point, sql`a.parent_key`)} as l
        join folder as f on f.tenant_id = ${tenant} and f.object_n = ${object} and f.n = l.n
    )
    select n from above where parent_key is null and well_known like '%channel'`.execute(db);
  return rows[0] === undefined ? null : folderId(object, rows[0].n);
}

/** Whether an id, also of an earlier version, is that of a channel. */
async function isChannel(
  tx: TenantTx,
  state: ObjectState,
  channel: NodeId | null,
  id: NodeId,
): Promise<boolean> {
  const ref = parseNodeId(id);
  if (channel === null || ref?.kind !== 'folder' || ref.object !== state.n) return false;
  const folder = await loadFolder(tx, state, ref.n);
  return folder?.parent === null && (await findChannel(tx, state, folder.key)) === channel;
}

/** The number of a folder's last version by a point. */
const getLast = (
  tenant: string,
  object: number,
  point: number,
  key: RawBuilder<unknown>,
): RawBuilder<number> => sql`(
  select last.n from folder as last
  where last.tenant_id = ${tenant} and last.object_n = ${object} and last.key = ${key} and last.from_point <= ${point}
  order by last.from_point desc limit 1)`;

interface Level {
  readonly explorer: OpenExplorer;
  readonly state: ObjectState;
  readonly folderKey: string | null;
}

/** Returns the folder version with this number, if the object had the folder by the point. */
export async function loadFolder(
  { sql: db, tenant }: TenantTx,
  { n: object, point }: Pick<ObjectState, 'n' | 'point'>,
  n: number,
): Promise<{ readonly key: string; readonly name: string; readonly parent: string | null } | null> {
  const { rows } = await sql<{ key: string; name: string; parent: string | null }>`
    select key, name, parent_key as parent from folder
    where tenant_id = ${tenant} and object_n = ${object} and n = ${n} and from_point <= ${point}`.execute(
    db,
  );
  return rows[0] ?? null;
}

type ObjectRow = ObjectState & {
  readonly first: Ms;
  readonly last: Ms;
  readonly subsites: number;
  readonly sortKey: string;
  readonly all: number;
};

/** Lists objects: those below one, else those that have none above them; with a text, all of them. */
async function listObjects(
  { sql: db, tenant }: TenantTx,
  explorer: OpenExplorer,
  { text, limit, offset = 0 }: Input,
  after: After | null,
  above: ObjectState | null,
): Promise<EnginePage<Node>> {
  const level =
    above !== null
      ? sql`s.parent = ${above.directoryId}`
      : text === null
        ? sql`not exists (select from states as p where p."directoryId" = s.parent)`
        : sql`true`;
  const { rows } = await sql<ObjectRow>`
    with states as (${getStates(tenant, explorer)})
    select s.*, (select count(*) from states as below where below.parent = s."directoryId") as subsites, lower(s.name) as "sortKey", count(*) over () as "all",
      (select min(at) from object_point where tenant_id = ${tenant} and object_n = s.n) as first,
      (select max(at) from object_point where tenant_id = ${tenant} and object_n = s.n) as last
    from states as s
    where ${level} and ${text === null ? sql`true` : sql`(s.name ilike ${pattern(text)} or s.address ilike ${pattern(text)})`}
      and ${after === null ? sql`true` : sql`(lower(s.name), s.n) > (${after.key}::text, ${after.n}::bigint)`}
    order by lower(s.name), s.n limit ${limit + 1} offset ${offset}`.execute(db);
  return page(rows, limit, after, objectNode);
}

const objectNode = ({ kind, address, subsites, ...row }: ObjectRow): Node => ({
  id: objectId(row.n),
  name: row.name,
  sizeBytes: row.bytes,
  at: row.at,
  deleted: false,
  seen: { first: row.first, last: row.last },
  children: row.items,
  ...(kind === 'site'
    ? { kind, address, subsites }
    : { kind: kind === 'archive' || kind === 'drive' || kind === 'team' ? kind : 'mailbox' }),
});

async function listFolders(
  { sql: db, tenant }: TenantTx,
  { explorer, state, folderKey }: Level,
  { kinds, text, limit, offset = 0 }: Input,
  after: After | null,
): Promise<EnginePage<Node>> {
  const { rows } = await sql<{
    readonly n: number;
    readonly name: string;
    readonly key: string;
    readonly wellKnown: string | null;
    readonly deleted: boolean;
    readonly items: number;
    readonly hasFolders: boolean;
    readonly first: Ms;
    readonly last: Ms;
    readonly sortKey: string;
    readonly all: number;
  }>`
    with shown as (
      select v.n, v.key, v.name, v.well_known, v.from_point, v.to_point, not ${isAt(state.point)} as deleted, lower(v.name) as "sortKey"
      from folder as v
      where v.tenant_id = ${tenant} and v.object_n = ${state.n} and v.parent_key is not distinct from ${folderKey}
        and ${isShown(tenant, sql`folder`, explorer, state)}
        and ${kinds === undefined ? sql`true` : hasFolderKind(state, folderKey, kinds)}
        and ${text === null ? sql`true` : sql`v.name ilike ${pattern(text)}`}
    )
    select s.n, s.name, s.key, s.well_known as "wellKnown", s.deleted, s."sortKey", count(*) over () as "all",
      (select count(*) from item as v where v.tenant_id = ${tenant} and v.object_n = ${state.n} and v.folder_key = s.key and ${isAt(state.point)}) as items,
      exists (select from folder as v where v.tenant_id = ${tenant} and v.object_n = ${state.n} and v.parent_key = s.key and ${isShown(tenant, sql`folder`, explorer, state)}) as "hasFolders",
      ${seenFrom(tenant, state.n)} as first, ${seenTo(tenant, state.n)} as last
    from shown as s
    where ${after === null ? sql`true` : sql`(s."sortKey", s.n) > (${after.key}::text, ${after.n}::bigint)`}
    order by s."sortKey", s.n limit ${limit + 1} offset ${offset}`.execute(db);
  return page(rows, limit, after, (row) => ({
    ...folderProperties(state, folderKey, row),
    id: folderId(state.n, row.n),
    name: row.name,
    sizeBytes: null,
    at: null,
    deleted: row.deleted,
    seen: { first: row.first, last: row.last },
    children: row.items,
    hasFolders: row.hasFolders,
  }));
}

/** The folder `v` is of one of these kinds, as its properties are. */
function hasFolderKind(
  state: ObjectState,
  parent: string | null,
  kinds: readonly Node['kind'][],
): RawBuilder<boolean> {
  const is = (wellKnown: string | null): boolean =>
    kinds.includes(folderProperties(state, parent, { key: '', wellKnown }).kind);
  if (state.kind !== 'site') return is(null) ? sql`true` : sql`false`;
  const parts = SITE_PARTS.filter(is);
  return sql`(v.well_known = any(${parts}::text[]) or (${is(null)} and (v.well_known is null or v.well_known <> all(${SITE_PARTS}::text[]))))`;
}
const SITE_PARTS = ['library', 'list'];

export function folderProperties(
  { kind, address }: ObjectState,
  parent: string | null,
  { key, wellKnown }: { readonly key: string; readonly wellKnown: string | null },
) {
  if (kind === 'team') return teamFolder(parent, wellKnown);
  if (kind === 'drive') return { kind: 'dir' } as const;
  if (kind !== 'site') {
    const holds = isOutlookTop(key) ? key : parseFolderKey(key)?.top;
    return { kind: 'folder', ...(holds !== undefined && { holds }) } as const;
  }
  const isPart = wellKnown === 'library' || wellKnown === 'list';
  return { kind: isPart ? wellKnown : 'dir', address } as const;
}

/** The folders at the top of a team are its channels. */
function teamFolder(parent: string | null, wellKnown: string | null) {
  if (parent === null)
    return { kind: 'channel', membership: MEMBERSHIPS[wellKnown ?? ''] ?? 'none' } as const;
  const holds = wellKnown === 'files' || wellKnown === 'tabs' ? wellKnown : null;
  return holds === null ? ({ kind: 'dir' } as const) : ({ kind: 'dir', holds } as const);
}
const MEMBERSHIPS: Readonly<Record<string, ChannelMembership>> = {
  'channel': 'standard',
  'private-channel': 'private',
  'shared-channel': 'shared',
};

/** A version of an item as a list shows it. */
export interface ItemRow {
  readonly n: number;
  readonly kind: ItemKind;
  readonly title: string;
  readonly people: string;
  readonly at: Ms;
  readonly bytes: Bytes;
  readonly flags: ItemFlags;
  readonly deleted: boolean;
  readonly first: Ms;
  readonly last: Ms;
}

async function listItems(
  { sql: db, tenant }: TenantTx,
  { explorer, state, folderKey }: Level,
  { kinds, text, sort: wanted, descending, limit, offset = 0 }: Input,
  after: After | null,
): Promise<EnginePage<Node>> {
  // A search or an order by hidden titles would give them away.
  const sort = wanted === 'name' && !state.reads ? 'date' : wanted;
  const words = text === null ? null : getWordQuery(text);
  const hasWords =
    words === null
      ? sql`false`
      : sql`v.n in (select t.n from item_text as t where t.tenant_id = ${tenant} and t.object_n = ${state.n} and t.words @@ ${words})`;
  const hasText = (pattern: string): RawBuilder<boolean> =>
    state.reads
      ? sql`(v.title ilike ${pattern} or v.people ilike ${pattern} or ${hasWords})`
      : sql`((v.kind = 'file' and v.title ilike ${pattern}) or v.people ilike ${pattern})`;
  const by = SORTS[sort];
  const direction = descending ? sql`desc` : sql`asc`;
  const beyond = descending ? sql`<` : sql`>`;
  const type = sort === 'name' ? sql`text` : sql`bigint`;
  const isListed = sql`v.tenant_id = ${tenant} and v.object_n = ${state.n} and v.folder_key = ${folderKey ?? ''}
      and ${isShown(tenant, sql`item`, explorer, state)}
      and ${kinds === undefined || ITEM_KINDS[state.kind].every((kind) => kinds.includes(kind)) ? sql`true` : sql`v.kind = any(${[...kinds]}::text[])`}
      and ${text === null ? sql`true` : hasText(pattern(text))}`;
  // A count over the rows would read and sort all of them before the first page.
  const { rows } = await sql<ItemRow & { readonly sortKey: string | number; all: number }>`
    select v.n, v.kind, v.title, v.people, v.at, v.bytes, v.flags, not ${isAt(state.point)} as deleted, ${by} as "sortKey",
      ${after === null ? sql`(select count(*) from item as v where ${isListed})` : sql`0`} as "all",
      ${seenFrom(tenant, state.n, sql`v`)} as first, ${seenTo(tenant, state.n, sql`v`)} as last
    from item as v
    where ${isListed}
      and ${after === null ? sql`true` : sql`(${by}, v.n) ${beyond} (${after.key}::${type}, ${after.n}::bigint)`}
    order by ${by} ${direction}, v.n ${direction} limit ${limit + 1} offset ${offset}`.execute(db);
  return page(rows, limit, after, (row) =>
    itemNode(state.n, state.reads ? row : withoutContent(row)),
  );
}

const MAIL_KINDS = ['mail', 'event', 'contact', 'task', 'note'] as const;
/** Which kinds of items an object has. */
const ITEM_KINDS: Readonly<Record<ObjectKind, readonly ItemKind[]>> = {
  mailbox: MAIL_KINDS,
  archive: MAIL_KINDS,
  drive: ['file'],
  site: ['file', 'row'],
  team: ['post', 'file', 'tab', 'settings'],
};

const SORTS = {
  name: sql`lower(v.title)`,
  date: sql`v.at`,
  size: sql`v.bytes`,
} as const satisfies Record<Input['sort'], RawBuilder<unknown>>;

/** Sender, date and size, and the names of files: without those nobody could choose any. */
export const withoutContent = (row: ItemRow): ItemRow => ({
  ...row,
  title: getShownTitle(row.kind, row.title, false),
  flags: { ...row.flags, fields: {} },
});

export const itemNode = (
  object: number,
  row: ItemRow,
): Extract<Node, { readonly kind: ItemKind }> => ({
  id: itemId(object, row.n),
  name: row.title,
  sizeBytes: row.bytes,
  at: row.at,
  deleted: row.deleted,
  seen: { first: row.first, last: row.last },
  ...itemProperties(row),
});

function itemProperties({ kind, people, flags }: ItemRow) {
  switch (kind) {
    case 'file':
      return { kind, version: flags.version ?? flags.presentVersion ?? '', author: people };
    case 'row':
      return { kind, author: people, fields: flags.fields ?? {} };
    case 'post':
      return { kind, author: people, replies: flags.replies ?? 0 };
    case 'tab':
      return { kind, app: people };
    case 'settings':
      return { kind };
    default:
      return { kind, people, attachments: flags.attachments ?? 0, read: flags.read ?? true };
  }
}

/** The version `v` is part of the object at this point of it. */
export const isAt = (point: number): RawBuilder<boolean> =>
  sql`(v.from_point <= ${point} and (v.to_point is null or v.to_point >= ${point}))`;

/**
 * The version `v` is shown: it is part of the point, or it is the last one of something that had
 * ended by then and deleted items are shown.
 */
export const isShown = (
  tenant: string,
  table: RawBuilder<unknown>,
  { showDeleted }: OpenExplorer,
  { n, point }: Pick<ObjectState, 'n' | 'point'>,
): RawBuilder<boolean> =>
  showDeleted
    ? sql`(${isAt(point)} or (v.to_point < ${point} and not exists (
        select from ${table} as later where later.tenant_id = ${tenant} and later.object_n = ${n} and later.key = v.key
          and later.from_point > v.from_point and later.from_point <= ${point})))`
    : isAt(point);

/** When the first point that has a version was made. `s`, `v`: the row with its range. */
const seenFrom = (tenant: string, object: number, row = sql`s`): RawBuilder<Ms> =>
  sql`(select at from object_point where tenant_id = ${tenant} and object_n = ${object} and point >= ${row}.from_point order by point limit 1)`;
/**
 * When the last point that has a version was made; of one that continues, the newest of the object.
 */
const seenTo = (tenant: string, object: number, row = sql`s`): RawBuilder<Ms> =>
  sql`(select at from object_point where tenant_id = ${tenant} and object_n = ${object} and (${row}.to_point is null or point <= ${row}.to_point) order by point desc limit 1)`;

const pattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

function page<
  R extends { readonly n: number; readonly sortKey: string | number; readonly all: number },
>(
  rows: readonly R[],
  limit: number,
  after: After | null,
  getNode: (row: R) => Node,
): EnginePage<Node> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(getNode),
    next: rows.length > limit && last ? cursorAfter({ key: last.sortKey, n: last.n }) : null,
    // Counted once, with the first page.
    count: after === null ? (rows[0]?.all ?? 0) : null,
  };
}
