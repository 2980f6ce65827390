import * as v from 'valibot';
import { deltaPage } from './delta.ts';
import { driveEntity } from './drive-entities.ts';
import { findDrive } from './drive-store.ts';
import { GraphError, itemNotFound } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import { findSite, getUrl } from './groups.ts';
import {
  columnEntity,
  fieldsEntity,
  listEntity,
  removedRowEntity,
  rowEntity,
  rowTag,
  rowVersionEntity,
} from './list-entities.ts';
import {
  COLUMN_TYPES,
  type ListColumn,
  type ListItemRow,
  type ListRow,
  addColumn,
  changeRow,
  createLibrary,
  createList,
  deleteRow,
  findList,
  findRow,
  insertRow,
  listColumns,
  listLists,
  listRows,
  listRowVersions,
  removeList,
  renameList,
} from './list-store.ts';
import {
  type GraphEntity,
  checkIfMatch,
  graphUrl,
  pageEntities,
  listPage as pageRows,
  selectProperties,
  readJson,
  readQuery,
} from './odata.ts';
import { checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';

const facet = v.optional(v.looseObject({}));
const columnInput = v.looseObject({
  name: v.pipe(v.string(), v.minLength(1)),
  displayName: v.optional(v.string()),
  required: v.optional(v.boolean(), false),
  ...Object.fromEntries(COLUMN_TYPES.map((type) => [type, facet])),
});
const listInput = v.object({
  displayName: v.pipe(v.string(), v.minLength(1)),
  columns: v.optional(v.array(columnInput), []),
  list: v.optional(v.object({ template: v.optional(v.string()) }), {}),
});
const fieldsInput = v.record(v.string(), v.unknown());
const renameInput = v.object({ displayName: v.pipe(v.string(), v.minLength(1)) });
const rowInput = v.object({ fields: v.optional(fieldsInput, {}) });

function parse<S extends v.GenericSchema>(schema: S, json: unknown): v.InferOutput<S> {
  const parsed = v.safeParse(schema, json);
  if (!parsed.success)
    throw new GraphError(
      400,
      'invalidRequest',
      `${v.getDotPath(parsed.issues[0]) ?? ''}: ${parsed.issues[0].message}`,
    );
  return parsed.output;
}

function readColumn(input: v.InferOutput<typeof columnInput>): ListColumn {
  const type = COLUMN_TYPES.find((one) => input[one] !== undefined) ?? 'text';
  return {
    name: input.name,
    displayName: input.displayName ?? input.name,
    type,
    facet: (input[type] ?? {}) as ListColumn['facet'],
    required: input.required,
    readOnly: false,
  };
}

const LIST = '/sites/:site/lists/:list' as const;

const query = (c: GraphContext) => readQuery(new URL(c.req.url));

/** Lists of sites, with their columns and rows. */
export function addListRoutes(app: GraphApp, tenant: Tenant): void {
  /** The site and the list of a path, if the caller may do this. */
  const open = (
    c: GraphContext,
    action: Parameters<typeof checkPermission>[1] = 'readSites',
  ): {
    readonly site: ReturnType<typeof findSite>;
    readonly url: string;
    readonly list: ListRow;
  } => {
    checkPermission(c.get('caller'), action);
    const site = findSite(tenant, c.req.param('site') ?? '');
    return { site, url: getUrl(site), list: findList(tenant, site.id, c.req.param('list') ?? '') };
  };
  const getRow = (c: GraphContext, list: ListRow): ListItemRow =>
    findRow(tenant, list, c.req.param('item') ?? '');
  const getEditor = (c: GraphContext): string => c.get('caller').personId ?? tenant.id;

  app.get('/sites/:site/lists', (c) => {
    checkPermission(c.get('caller'), 'readSites');
    const site = findSite(tenant, c.req.param('site'));
    const rows = listLists(tenant, site.id).map((list) => listEntity(tenant, getUrl(site), list));
    return c.json(pageEntities(tenant, c.req.raw, rows, { type: 'list', normal: 200, max: 999 }));
  });
  app.post('/sites/:site/lists', async (c) => {
    checkPermission(c.get('caller'), 'manageLists');
    const site = findSite(tenant, c.req.param('site'));
    const input = parse(listInput, await readJson(c.req.raw));
    const at = tenant.now();
    const list =
      input.list.template === 'documentLibrary'
        ? createLibrary(tenant, { id: site.id, url: getUrl(site) }, at, input.displayName).list
        : createList(tenant, {
            siteId: site.id,
            name: input.displayName,
            columns: input.columns.map(readColumn),
            at,
          });
    return c.json(listEntity(tenant, getUrl(site), list), 201);
  });
  app.get(LIST, (c) => {
    const { url, list } = open(c);
    return c.json(selectProperties(listEntity(tenant, url, list), query(c).select, 'list'));
  });
  app.patch(LIST, async (c) => {
    const { site, url, list } = open(c, 'manageLists');
    renameList(tenant, list, parse(renameInput, await readJson(c.req.raw)).displayName);
    return c.json(listEntity(tenant, url, findList(tenant, site.id, list.id)));
  });
  app.delete(LIST, (c) => {
    removeList(tenant, open(c, 'manageLists').list);
    return c.body(null, 204);
  });
  app.get(`${LIST}/drive`, (c) => {
    const { list } = open(c);
    const drive = list.drive_id === null ? null : findDrive(tenant, list.drive_id);
    if (!drive) throw itemNotFound();
    return c.json(selectProperties(driveEntity(tenant, drive), query(c).select, 'drive'));
  });
  app.get(`${LIST}/columns`, (c) => {
    const { list } = open(c);
    const rows = listColumns(tenant, list).map((column) => columnEntity(list, column));
    return c.json(
      pageEntities(tenant, c.req.raw, rows, { type: 'columnDefinition', normal: 200, max: 999 }),
    );
  });
  app.post(`${LIST}/columns`, async (c) => {
    const { list } = open(c, 'manageLists');
    const column = readColumn(parse(columnInput, await readJson(c.req.raw)));
    addColumn(tenant, list.id, column);
    return c.json(columnEntity(list, column), 201);
  });

  app.get(`${LIST}/items`, (c) => {
    const { url, list } = open(c);
    const { expand } = query(c);
    return c.json(
      pageRows(
        tenant,
        c.req.raw,
        listRows(tenant, list),
        (row) => rowEntity(tenant, url, list, row, expand),
        { type: 'listItem', normal: 200, max: 999 },
      ),
    );
  });
  app.post(`${LIST}/items`, async (c) => {
    const { url, list } = open(c, 'writeRows');
    if (list.drive_id !== null)
      throw new GraphError(400, 'invalidRequest', 'Files are created through the drive.');
    const { fields } = parse(rowInput, await readJson(c.req.raw));
    const row = insertRow(tenant, list, { fields, author: getEditor(c), at: tenant.now() });
    return c.json(rowEntity(tenant, url, list, row, ['fields']), 201);
  });
  app.get(`${LIST}/items/delta`, (c) => {
    const { url, list } = open(c);
    return c.json(rowDelta(tenant, c.req.raw, url, list));
  });
  app.get(`${LIST}/items/:item`, (c) => {
    const { url, list } = open(c);
    const { select, expand } = query(c);
    const entity = rowEntity(tenant, url, list, getRow(c, list), expand);
    return c.json(selectProperties(entity, select, 'listItem'));
  });
  app.delete(`${LIST}/items/:item`, (c) => {
    const { list } = open(c, 'writeRows');
    const row = getRow(c, list);
    checkIfMatch(c.req.raw, rowTag(list, row));
    deleteRow(tenant, list, row);
    return c.body(null, 204);
  });
  app.get(`${LIST}/items/:item/fields`, (c) => {
    const { list } = open(c);
    return c.json(fieldsEntity(list, getRow(c, list)));
  });
  app.patch(`${LIST}/items/:item/fields`, async (c) => {
    const { list } = open(c, 'writeRows');
    const row = getRow(c, list);
    checkIfMatch(c.req.raw, rowTag(list, row));
    const fields = parse(fieldsInput, await readJson(c.req.raw));
    return c.json(
      fieldsEntity(list, changeRow(tenant, list, row, { fields, editor: getEditor(c) })),
    );
  });
  app.get(`${LIST}/items/:item/versions`, (c) => {
    const { list } = open(c);
    const row = getRow(c, list);
    const rows = listRowVersions(tenant, list, row).map((version) =>
      rowVersionEntity(tenant, list, row, version),
    );
    return c.json(
      pageEntities(tenant, c.req.raw, rows, { type: 'listItemVersion', normal: 200, max: 999 }),
    );
  });
}

/** What changed in a list since the token. */
function rowDelta(tenant: Tenant, request: Request, url: string, list: ListRow): GraphEntity {
  const path = `${graphUrl(tenant)}/sites/${list.site_id}/lists/${list.id}/items/delta`;
  return deltaPage(tenant, request, {
    scope: `list:${list.id}`,
    kind: 'content',
    type: 'listItem',
    normalPage: 200,
    maxPage: 1000,
    tokens: { next: 'token', done: 'token' },
    gone: () =>
      new GraphError(
        410,
        'resyncRequired',
        'Resync required. Start again without a token.',
        { location: path },
        'resyncChangesApplyDifferences',
      ),
    changes: (state, limit) =>
      tenant.store
        .all<ListItemRow>(
          `select * from list_row where list_id = ? and seq > ? and seq <= ? and deleted <= ?
             order by seq limit ?`,
          list.id,
          state.at,
          state.until,
          state.since === 0 ? 0 : 1,
          limit,
        )
        .map((row) => ({
          seq: row.seq,
          entity:
            row.deleted === 1
              ? removedRowEntity(list, row)
              : selectProperties(
                  rowEntity(tenant, url, list, row, state.expand ?? []),
                  state.select,
                  'listItem',
                ),
        })),
  });
}
