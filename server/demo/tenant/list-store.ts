import type { Ms } from '#contract/ids.ts';
import { type DriveRow, FIRST_LIBRARY, createDrive, findUserDrive } from './drive-store.ts';
import { GraphError, itemNotFound } from './graph-error.ts';
import { guid } from './ids.ts';
import type { Tenant } from './store.ts';

/** A list of a site. The one of a document library has its drive. */
export interface ListRow {
  readonly n: number;
  readonly id: string;
  readonly site_id: string;
  readonly name: string;
  readonly template: string;
  readonly drive_id: string | null;
  readonly created_at: Ms;
  readonly changed_at: Ms;
  readonly removed: number;
}
/** Values of a row, by the names of their columns. */
export type ListFields = Readonly<Record<string, unknown>>;
export interface ListItemRow {
  readonly list_id: string;
  readonly n: number;
  readonly fields: string;
  readonly author: string;
  readonly editor: string;
  readonly created_at: Ms;
  readonly changed_at: Ms;
  readonly version: number;
  readonly deleted: number;
  readonly seq: number;
}
export interface ListItemVersionRow {
  readonly n: number;
  readonly version: number;
  readonly fields: string;
  readonly editor: string;
  readonly at: Ms;
}
export const COLUMN_TYPES = [
  'text',
  'number',
  'boolean',
  'dateTime',
  'choice',
  'currency',
  'personOrGroup',
] as const;
/** A column of a list: `type`, and the properties of that type. */
export interface ListColumn {
  readonly name: string;
  readonly displayName: string;
  readonly type: (typeof COLUMN_TYPES)[number];
  readonly facet: Readonly<Record<string, unknown>>;
  readonly required: boolean;
  readonly readOnly: boolean;
}

const wholeSeconds = (at: Ms): Ms => Math.floor(at / 1000) * 1000;

export const listLists = ({ store }: Tenant, siteId: string): ListRow[] =>
  store.all<ListRow>('select * from list where site_id = ? and removed = 0 order by n', siteId);

/** @throws GraphError 404 */
export function findList({ store }: Tenant, siteId: string, key: string): ListRow {
  const row = store.get<ListRow>(
    'select * from list where site_id = ? and (id = ? or name = ?) and removed = 0',
    siteId,
    key.toLowerCase(),
    key,
  );
  if (!row) throw itemNotFound();
  return row;
}

/** @throws GraphError 404 a drive that is no library */
export function findLibraryList({ store }: Tenant, drive: DriveRow): ListRow {
  const row = store.get<ListRow>('select * from list where drive_id = ?', drive.id);
  if (!row) throw itemNotFound();
  return row;
}

/** Whether a drive is a library that was deleted. */
export const isRemovedLibrary = ({ store }: Tenant, drive: DriveRow): boolean =>
  store.get('select 1 from list where drive_id = ? and removed = 1', drive.id) !== undefined;

export interface NewList {
  readonly siteId: string;
  readonly name: string;
  readonly columns: readonly ListColumn[];
  readonly at: Ms;
}

/**
 * Adds a list with its columns; a `Title` is always there.
 * @throws GraphError 409
 */
export function createList(tenant: Tenant, { siteId, name, columns, at }: NewList): ListRow {
  const { id } = insertList(tenant, { siteId, name, template: 'genericList', driveId: null, at });
  for (const column of [TITLE, ...columns.filter((one) => one.name !== TITLE.name)])
    addColumn(tenant, id, column);
  return findList(tenant, siteId, id);
}

/**
 * Adds a document library.
 * @throws GraphError 409
 */
export function createLibrary(
  tenant: Tenant,
  site: { readonly id: string; readonly url: string },
  at: Ms,
  name: string = FIRST_LIBRARY,
): { readonly list: ListRow; readonly drive: DriveRow } {
  checkFree(tenant, site.id, name);
  const existing = name === FIRST_LIBRARY ? findUserDrive(tenant, site.id) : null;
  const drive = existing ?? createDrive(tenant, { kind: 'site', ...site }, at, name);
  const list = insertList(tenant, {
    siteId: site.id,
    name,
    template: 'documentLibrary',
    driveId: drive.id,
    at,
  });
  return { list, drive };
}

function insertList(
  tenant: Tenant,
  list: {
    readonly siteId: string;
    readonly name: string;
    readonly template: string;
    readonly driveId: string | null;
    readonly at: Ms;
  },
): ListRow {
  const { store, seed } = tenant;
  checkFree(tenant, list.siteId, list.name);
  const n = store.nextN('list');
  const at = wholeSeconds(list.at);
  store.insert('list', {
    n,
    id: guid(seed, 'list', n),
    site_id: list.siteId,
    name: list.name,
    template: list.template,
    drive_id: list.driveId,
    created_at: at,
    changed_at: at,
  });
  return findList(tenant, list.siteId, list.name);
}

function checkFree({ store }: Tenant, siteId: string, name: string): void {
  if (store.get('select 1 from list where site_id = ? and name = ? and removed = 0', siteId, name))
    throw new GraphError(409, 'nameAlreadyExists', 'Name already exists');
}

export function renameList(tenant: Tenant, list: ListRow, name: string): void {
  const { store } = tenant;
  if (name !== list.name) checkFree(tenant, list.site_id, name);
  store.run(
    'update list set name = ?, changed_at = ? where n = ?',
    name,
    wholeSeconds(tenant.now()),
    list.n,
  );
  if (list.drive_id !== null)
    store.run('update drive set name = ? where id = ?', name, list.drive_id);
}

/** Deletes a list with all that it holds. */
export function removeList({ store }: Tenant, { n }: ListRow): void {
  store.run('update list set removed = 1 where n = ?', n);
}

const TITLE: ListColumn = {
  name: 'Title',
  displayName: 'Title',
  type: 'text',
  facet: { allowMultipleLines: false, maxLength: 255 },
  required: false,
  readOnly: false,
};
/** Columns that the cloud fills. */
const SYSTEM_COLUMNS: readonly ListColumn[] = (
  [
    ['Created', 'Created', 'dateTime'],
    ['Modified', 'Modified', 'dateTime'],
    ['Author', 'Created By', 'personOrGroup'],
    ['Editor', 'Modified By', 'personOrGroup'],
    ['_UIVersionString', 'Version', 'text'],
  ] as const
).map(([name, displayName, type]) => ({
  name,
  displayName,
  type,
  facet: {},
  required: false,
  readOnly: true,
}));

export const listColumns = ({ store }: Tenant, { id }: Pick<ListRow, 'id'>): ListColumn[] => [
  ...store
    .all<{ props: string }>('select props from list_column where list_id = ? order by n', id)
    .map(({ props }) => JSON.parse(props) as ListColumn),
  ...SYSTEM_COLUMNS,
];

/** @throws GraphError 409 */
export function addColumn(tenant: Tenant, listId: string, column: ListColumn): void {
  const { store } = tenant;
  if (listColumns(tenant, { id: listId }).some(({ name }) => name === column.name))
    throw new GraphError(409, 'nameAlreadyExists', 'Name already exists');
  const n = store.get<{ n: number }>(
    'select count(*) as n from list_column where list_id = ?',
    listId,
  );
  store.insert('list_column', {
    list_id: listId,
    n: (n?.n ?? 0) + 1,
    name: column.name,
    props: JSON.stringify(column),
  });
}

export const listRows = ({ store }: Tenant, { id }: Pick<ListRow, 'id'>): ListItemRow[] =>
  store.all<ListItemRow>('select * from list_row where list_id = ? and deleted = 0 order by n', id);

/** @throws GraphError 404 */
export function findRow({ store }: Tenant, { id }: Pick<ListRow, 'id'>, key: string): ListItemRow {
  const row = /^\d{1,9}$/.test(key)
    ? store.get<ListItemRow>(
        'select * from list_row where list_id = ? and n = ? and deleted = 0',
        id,
        Number(key),
      )
    : undefined;
  if (!row) throw itemNotFound();
  return row;
}

/** @throws GraphError 400 a value that the list doesn't take */
export function insertRow(
  tenant: Tenant,
  list: ListRow,
  row: { readonly fields: ListFields; readonly author: string; readonly at: Ms },
): ListItemRow {
  const { store } = tenant;
  checkFields(listColumns(tenant, list), row.fields);
  const at = wholeSeconds(row.at);
  const n =
    (store.get<{ n: number | null }>('select max(n) as n from list_row where list_id = ?', list.id)
      ?.n ?? 0) + 1;
  const fields = JSON.stringify(row.fields);
  store.transaction(() => {
    store.insert('list_row', {
      list_id: list.id,
      n,
      fields,
      author: row.author,
      editor: row.author,
      created_at: at,
      changed_at: at,
      version: 1,
      seq: store.nextSeq(),
    });
    addVersion(tenant, list, { n, version: 1, fields, editor: row.author, at });
  });
  return findRow(tenant, list, String(n));
}

/** @throws GraphError 400 a value that the list doesn't take */
export function changeRow(
  tenant: Tenant,
  list: ListRow,
  row: ListItemRow,
  change: { readonly fields: ListFields; readonly editor: string },
): ListItemRow {
  const { store } = tenant;
  checkFields(listColumns(tenant, list), change.fields);
  const at = wholeSeconds(tenant.now());
  const fields = JSON.stringify({ ...(JSON.parse(row.fields) as ListFields), ...change.fields });
  const version = row.version + 1;
  store.transaction(() => {
    store.run(
      `update list_row set fields = ?, editor = ?, changed_at = ?, version = ?, seq = ?
         where list_id = ? and n = ?`,
      fields,
      change.editor,
      at,
      version,
      store.nextSeq(),
      list.id,
      row.n,
    );
    addVersion(tenant, list, { n: row.n, version, fields, editor: change.editor, at });
  });
  return findRow(tenant, list, String(row.n));
}

export function deleteRow({ store }: Tenant, list: ListRow, { n }: ListItemRow): void {
  store.run(
    'update list_row set deleted = 1, seq = ? where list_id = ? and n = ?',
    store.nextSeq(),
    list.id,
    n,
  );
}

export const listRowVersions = (
  { store }: Tenant,
  list: ListRow,
  { n }: ListItemRow,
): ListItemVersionRow[] =>
  store.all<ListItemVersionRow>(
    'select * from list_row_version where list_id = ? and n = ? order by version desc',
    list.id,
    n,
  );

function addVersion({ store }: Tenant, { id }: ListRow, row: ListItemVersionRow): void {
  store.insert('list_row_version', { ...row, list_id: id });
}

const CHECKS: Readonly<Record<ListColumn['type'], (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  choice: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  currency: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  dateTime: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  personOrGroup: (value) => /^\d+$/.test(String(value)),
};

/** People are written by their number in the site: `AssignedToLookupId` of a column `AssignedTo`. */
const getFieldName = ({ name, type }: ListColumn): string =>
  type === 'personOrGroup' ? `${name}LookupId` : name;

function checkFields(columns: readonly ListColumn[], fields: ListFields): void {
  for (const [name, value] of Object.entries(fields)) {
    const column = columns.find((one) => getFieldName(one) === name);
    if (!column) throw new GraphError(400, 'invalidRequest', `Field '${name}' is not recognized`);
    if (column.readOnly)
      throw new GraphError(400, 'invalidRequest', `Field '${name}' is read-only`);
    if (value !== null && !CHECKS[column.type](value))
      throw new GraphError(400, 'invalidRequest', `Value of field '${name}' is not valid`);
  }
}
