import { downloadUrl } from './download.ts';
import {
  FIRST_LIBRARY,
  type DriveRow,
  type ItemRow,
  type VersionRow,
  findItem,
  getQuickXorHash,
} from './drive-store.ts';
import { digest, isoTime } from './ids.ts';
import { typeOfFile } from './mail-content.ts';
import type { GraphEntity } from './odata.ts';
import { findPerson } from './people.ts';
import type { Tenant } from './store.ts';

const identity = (tenant: Tenant, personId: string): GraphEntity => {
  const person = findPerson(tenant, personId);
  return person
    ? { user: { id: person.id, displayName: person.name } }
    : { application: { id: personId, displayName: 'SharePoint App' } };
};

const driveType = ({ owner_kind }: DriveRow): string =>
  owner_kind === 'user' ? 'business' : 'documentLibrary';

/** The address of the first library of a site does not follow its name. */
export const libraryUrl = ({ owner_kind, url, name }: DriveRow): string => {
  if (owner_kind === 'user') return `${url}/Documents`;
  return `${url}/${encodeURIComponent(name === FIRST_LIBRARY ? 'Shared Documents' : name)}`;
};

export function driveEntity(tenant: Tenant, drive: DriveRow): GraphEntity {
  const used = tenant.store.get<{ bytes: number | null }>(
    'select sum(size) as bytes from item where drive_id = ? and deleted = 0',
    drive.id,
  );
  const total = 1_099_511_627_776;
  return {
    id: drive.id,
    createdDateTime: isoTime(drive.created_at),
    description: '',
    lastModifiedDateTime: isoTime(drive.created_at),
    name: drive.name,
    webUrl: libraryUrl(drive),
    driveType: driveType(drive),
    createdBy: { user: { displayName: 'System Account' } },
    owner: drive.owner_kind === 'user' ? identity(tenant, drive.owner_id) : {},
    quota: {
      deleted: 0,
      remaining: total - (used?.bytes ?? 0),
      state: 'normal',
      total,
      used: used?.bytes ?? 0,
    },
  };
}

const makeListItemGuid = (tenant: Tenant, item: ItemRow): string => {
  const hex = digest(tenant.seed, 'guid', item.id).toString('hex').toUpperCase();
  return `{${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}}`;
};

export const itemTag = (tenant: Tenant, item: ItemRow): string =>
  `"${makeListItemGuid(tenant, item)},${item.seq}"`;
export const contentTag = (tenant: Tenant, item: ItemRow): string =>
  `"c:${makeListItemGuid(tenant, item)},${item.version}"`;

/** Returns the names of the folders above an item, `a/b`. */
export function getFolderPath(tenant: Tenant, item: ItemRow): string {
  const names: string[] = [];
  let parentId = item.parent_id;
  while (parentId !== null) {
    const parent: ItemRow | undefined = tenant.store.get<ItemRow>(
      'select * from item where id = ?',
      parentId,
    );
    if (!parent) break;
    if (parent.parent_id !== null) names.unshift(parent.name);
    parentId = parent.parent_id;
  }
  return names.join('/');
}

export function driveItemEntity(tenant: Tenant, drive: DriveRow, item: ItemRow): GraphEntity {
  const path = getFolderPath(tenant, item);
  const isRoot = item.parent_id === null;
  const webPath = [path, isRoot ? '' : item.name].filter(Boolean).join('/');
  const isShared = tenant.store.get('select 1 from permission where item_id = ? limit 1', item.id);
  return {
    ...(item.is_folder === 0 ? { '@microsoft.graph.downloadUrl': downloadUrl(tenant, item) } : {}),
    createdDateTime: isoTime(item.created_at),
    eTag: itemTag(tenant, item),
    id: item.id,
    lastModifiedDateTime: isoTime(item.changed_at),
    name: item.name,
    webUrl: `${libraryUrl(drive)}${webPath === '' ? '' : `/${encodeURI(webPath)}`}`,
    cTag: contentTag(tenant, item),
    size: item.is_folder === 1 ? sizeOfFolder(tenant, item) : item.size,
    createdBy: identity(tenant, item.author),
    lastModifiedBy: identity(tenant, item.author),
    parentReference: {
      driveType: driveType(drive),
      driveId: drive.id,
      ...(item.parent_id === null
        ? {}
        : {
            id: item.parent_id,
            path: `/drives/${drive.id}/root:${path === '' ? '' : `/${path}`}`,
          }),
    },
    fileSystemInfo: {
      createdDateTime: isoTime(item.file_created_at),
      lastModifiedDateTime: isoTime(item.file_changed_at),
    },
    ...(item.is_folder === 1
      ? { folder: { childCount: childCount(tenant, item) } }
      : {
          file: {
            mimeType: typeOfFile(item.name),
            hashes: { quickXorHash: getQuickXorHash(tenant, item) },
          },
        }),
    ...(isRoot ? { root: {} } : {}),
    ...(isShared ? { shared: { scope: 'users' } } : {}),
  };
}

/** As delta queries return items: without `cTag` and path, deleted ones without a name. */
export function changedItemEntity(tenant: Tenant, drive: DriveRow, item: ItemRow): GraphEntity {
  if (item.deleted === 1)
    return {
      id: item.id,
      size: 0,
      parentReference: { driveType: driveType(drive), driveId: drive.id, id: item.parent_id },
      deleted: { state: 'deleted' },
      ...(item.is_folder === 1 ? { folder: { childCount: 0 } } : { file: {} }),
    };
  const { cTag: _, ...entity } = driveItemEntity(tenant, drive, item);
  const reference = entity['parentReference'];
  if (typeof reference !== 'object' || reference === null) return entity;
  const { path: __, ...parentReference } = reference as Record<string, unknown>;
  return { ...entity, parentReference };
}

const childCount = ({ store }: Tenant, item: ItemRow): number =>
  store.get<{ total: number }>(
    'select count(*) as total from item where parent_id = ? and deleted = 0',
    item.id,
  )?.total ?? 0;

const sizeOfFolder = ({ store }: Tenant, item: ItemRow): number =>
  store.get<{ bytes: number | null }>(
    `with recursive inside (id, size) as (
       select id, size from item where parent_id = ? and deleted = 0
       union all
       select item.id, item.size from item join inside on item.parent_id = inside.id
         where item.deleted = 0)
     select sum(size) as bytes from inside`,
    item.id,
  )?.bytes ?? 0;

export function versionEntity(tenant: Tenant, item: ItemRow, version: VersionRow): GraphEntity {
  return {
    '@microsoft.graph.downloadUrl': downloadUrl(tenant, item, version.version),
    'id': `${version.version}.0`,
    'lastModifiedDateTime': isoTime(version.at),
    'lastModifiedBy': identity(tenant, version.author),
    'size': version.size,
  };
}

/** The owner's permission, which everything in a drive inherits, and what was shared of the item. */
export function permissionEntities(tenant: Tenant, drive: DriveRow, item: ItemRow): GraphEntity[] {
  const root = findItem(tenant, drive.id, 'root');
  const owner = {
    id: 'owner',
    roles: ['owner'],
    grantedToV2: identity(tenant, drive.owner_id),
    ...(item.id === root.id ? {} : { inheritedFrom: { driveId: drive.id, id: root.id } }),
  };
  return [
    owner,
    ...tenant.store
      .all<{ id: string; props: string }>(
        'select id, props from permission where item_id = ? order by id',
        item.id,
      )
      .map(({ id, props }): GraphEntity => ({ id, ...(JSON.parse(props) as GraphEntity) })),
  ];
}
