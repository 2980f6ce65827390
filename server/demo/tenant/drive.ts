import { type EntityChange, deltaPage } from './delta.ts';
import {
  changedItemEntity,
  contentTag,
  driveEntity,
  driveItemEntity,
  itemTag,
  permissionEntities,
  versionEntity,
} from './drive-entities.ts';
import { downloadUrl } from './download.ts';
import { findTarget } from './drive-path.ts';
import {
  type DriveRow,
  type ItemRow,
  createDrive,
  findDrive,
  findUserDrive,
  listChildren,
  listVersions,
} from './drive-store.ts';
import { GraphError, badRequest, itemNotFound } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import {
  type GraphEntity,
  graphUrl,
  pageEntities,
  listPage,
  selectProperties,
  readQuery,
} from './odata.ts';
import { findSiteDrives } from './groups.ts';
import { findLibraryList, isRemovedLibrary } from './list-store.ts';
import { listEntity } from './list-entities.ts';
import { type Person, findPerson } from './people.ts';
import { checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';

/** Answers a request about an item of a drive; null if it isn't one of its own. */
export type DriveHandler = (
  c: GraphContext,
  drive: DriveRow,
  target: ReturnType<typeof findTarget>,
) => Promise<Response | null> | Response | null;

/** Returns the path behind the drive. */
const pathBehind = (c: GraphContext, mark: RegExp): string =>
  new URL(c.req.url).pathname.replace(mark, '').replace(/\/$/, '');

/** Drives and their items, by drive, user, group or site. */
export function addDriveRoutes(app: GraphApp, tenant: Tenant, write: DriveHandler): void {
  const serve = async (c: GraphContext, drive: DriveRow, path: string): Promise<Response> => {
    const isRead = c.req.method === 'GET';
    checkPermission(c.get('caller'), isRead ? 'readFiles' : 'writeFiles');
    if (path === '') {
      const { select } = readQuery(new URL(c.req.url));
      return c.json(selectProperties(driveEntity(tenant, drive), select, 'drive'));
    }
    if (path === 'list' && isRead)
      return c.json(listEntity(tenant, drive.url, findLibraryList(tenant, drive)));
    const target = findTarget(tenant, drive, path);
    const answer = isRead ? read(tenant, c, drive, target) : await write(c, drive, target);
    if (!answer)
      throw badRequest(`Resource not found for the segment '${target.action.join('/')}'.`);
    return answer;
  };

  const owned = (c: GraphContext, owner: string): Promise<Response> => {
    checkPermission(c.get('caller'), 'readFiles');
    return serve(
      c,
      driveOfOwner(tenant, owner),
      pathBehind(c, /^.*?\/(?:users|groups|sites)\/[^/]+\/drive\/?/),
    );
  };
  for (const path of [
    '/users/:owner/drive',
    '/groups/:owner/drive',
    '/sites/:owner/drive',
  ] as const) {
    app.all(path, (c) => owned(c, c.req.param('owner')));
    app.all(`${path}/*`, (c) => owned(c, c.req.param('owner')));
    app.get(`${path}s`, (c) => {
      checkPermission(c.get('caller'), 'readFiles');
      const drives = drivesOfOwner(tenant, c.req.param('owner'));
      return c.json(
        listPage(tenant, c.req.raw, drives, (drive) => driveEntity(tenant, drive), {
          type: 'drive',
          normal: 200,
          max: 999,
        }),
      );
    });
  }
  const byId = (c: GraphContext, id: string): Promise<Response> => {
    checkPermission(c.get('caller'), 'readFiles');
    const drive = findDrive(tenant, id);
    const owner = drive?.owner_kind === 'user' ? findPerson(tenant, drive.owner_id) : null;
    if (!drive || owner?.removed || isRemovedLibrary(tenant, drive)) throw itemNotFound();
    return serve(c, drive, pathBehind(c, /^.*?\/drives\/[^/]+\/?/));
  };
  app.all('/drives/:drive', (c) => byId(c, c.req.param('drive')));
  app.all('/drives/:drive/*', (c) => byId(c, c.req.param('drive')));
}

/**
 * Returns the drive of a user, or the libraries of a site or of a group's site. The drive of a
 * licensed user is made when it is first read.
 * @throws GraphError 404
 */
function drivesOfOwner(tenant: Tenant, key: string): readonly DriveRow[] {
  const person = findPerson(tenant, key);
  if (person && !person.removed && !person.hasDrive)
    throw new GraphError(404, 'ResourceNotFound', "User's mysite not found.");
  if (person && !person.removed)
    return [
      findUserDrive(tenant, person.id) ?? createDrive(tenant, getOwner(person), tenant.now()),
    ];
  return person ? [] : findSiteDrives(tenant, key);
}

/**
 * Returns the drive of a user, or the first library of a group or site.
 * @throws GraphError 404
 */
export function driveOfOwner(tenant: Tenant, key: string): DriveRow {
  const [drive] = drivesOfOwner(tenant, key);
  if (!drive) throw itemNotFound();
  return drive;
}

export const getOwner = ({ id, upn }: Person): { kind: 'user'; id: string; url: string } => ({
  kind: 'user',
  id,
  url: `https://demo-my.sharepoint.com/personal/${upn.replace(/[^a-z0-9]/gi, '_')}`,
});

function read(
  tenant: Tenant,
  c: GraphContext,
  drive: DriveRow,
  { item, action }: ReturnType<typeof findTarget>,
): Response | null {
  if (!item) throw itemNotFound();
  const [name, id, part] = action;
  const { select } = readQuery(new URL(c.req.url));
  if (name === undefined) {
    const tags = [itemTag(tenant, item), contentTag(tenant, item)];
    if (tags.includes(c.req.header('if-none-match') ?? '')) return c.body(null, 304);
    return c.json(selectProperties(driveItemEntity(tenant, drive, item), select, 'driveItem'));
  }
  if (name === 'children') {
    return c.json(
      listPage(
        tenant,
        c.req.raw,
        listChildren(tenant, item.id),
        (child) => driveItemEntity(tenant, drive, child),
        { type: 'driveItem', normal: 200, max: 1000 },
      ),
    );
  }
  if (name === 'content' && item.is_folder === 0) return redirect(c, downloadUrl(tenant, item));
  if (name === 'permissions')
    return c.json(
      pageEntities(tenant, c.req.raw, permissionEntities(tenant, drive, item), {
        type: 'permission',
        normal: 200,
        max: 999,
      }),
    );
  if (name === 'versions') return readVersions(tenant, c, item, id, part);
  if (item.parent_id === null && /^delta(\(token='[^']*'\))?$/.test(name))
    return c.json(driveDelta(tenant, c.req.raw, drive));
  return null;
}

const redirect = (c: GraphContext, url: string): Response => c.body(null, 302, { location: url });

function readVersions(
  tenant: Tenant,
  c: GraphContext,
  item: ItemRow,
  id: string | undefined,
  part: string | undefined,
): Response | null {
  const versions = listVersions(tenant, item.id);
  if (id === undefined)
    return c.json(
      pageEntities(
        tenant,
        c.req.raw,
        versions.map((version) => versionEntity(tenant, item, version)),
        { type: 'driveItemVersion', normal: 200, max: 999 },
      ),
    );
  const version = versions.find((row) => `${row.version}.0` === id);
  if (!version) throw itemNotFound();
  if (part === undefined) return c.json(versionEntity(tenant, item, version));
  if (part !== 'content') return null;
  if (version.version === item.version)
    throw new GraphError(
      400,
      'invalidRequest',
      'You cannot get the content of the current version.',
    );
  return redirect(c, downloadUrl(tenant, item, version.version));
}

/** What changed in a drive since the token; changed items come with the folders above them. */
function driveDelta(tenant: Tenant, received: Request, drive: DriveRow): GraphEntity {
  const request = withTokenInQuery(received);
  const url = `${graphUrl(tenant)}/drives/${encodeURIComponent(drive.id)}/root/delta`;
  const alone = request.headers.get('deltaexcludeparent') !== null;
  const { store } = tenant;
  return deltaPage(tenant, request, {
    scope: `drive:${drive.id}`,
    kind: 'content',
    type: 'driveItem',
    normalPage: 200,
    maxPage: 1000,
    tokens: { next: 'token', done: 'token' },
    gone: () =>
      new GraphError(
        410,
        'resyncRequired',
        "Resync required. Replace any local items with the server's version (including deletes) if you're sure that the service was up to date with your local changes when you last sync'd.",
        { location: url },
        'resyncChangesApplyDifferences',
      ),
    sinceTime: (at) =>
      store.get<{ seq: number | null }>(
        'select max(seq) as seq from item where drive_id = ? and changed_at <= ?',
        drive.id,
        at,
      )?.seq ?? 0,
    changes: (state, limit) =>
      store
        .all<ItemRow>(
          `select * from item where drive_id = ? and seq > ? and seq <= ? and deleted <= ?
             order by seq limit ?`,
          drive.id,
          state.at,
          state.until,
          state.since === 0 ? 0 : 1,
          limit,
        )
        .map((row): EntityChange => ({ seq: row.seq, entity: { row } })),
    complete: (changes, state) => {
      const rows = changes.flatMap(({ entity }) =>
        isItemRow(entity['row']) ? [entity['row']] : [],
      );
      return (alone ? rows : withParents(tenant, rows)).map((row) =>
        selectProperties(changedItemEntity(tenant, drive, row), state.select, 'driveItem'),
      );
    },
  });
}

const isItemRow = (value: unknown): value is ItemRow => typeof value === 'object' && value !== null;

/** `delta(token='x')` is another form of `delta?token=x`. */
function withTokenInQuery(request: Request): Request {
  const url = new URL(request.url);
  const match = /\/delta\(token='([^']*)'\)$/.exec(decodeURIComponent(url.pathname));
  if (!match) return request;
  url.pathname = url.pathname.replace(/\/delta(\(|%28).*$/, '/delta');
  url.searchParams.set('token', match[1] ?? '');
  return new Request(url, { headers: request.headers });
}

/** Returns the rows with the folders above them, each before what is in it. */
function withParents({ store }: Tenant, rows: readonly ItemRow[]): ItemRow[] {
  const seen = new Map<string, ItemRow>();
  const own = new Map(rows.map((row) => [row.id, row]));
  const add = (row: ItemRow): void => {
    if (seen.has(row.id)) return;
    if (row.parent_id !== null) {
      const parent =
        own.get(row.parent_id) ??
        store.get<ItemRow>('select * from item where id = ?', row.parent_id);
      if (parent && (parent.deleted === 0 || own.has(parent.id))) add(parent);
    }
    seen.set(row.id, row);
  };
  for (const row of rows) add(row);
  return [...seen.values()];
}
