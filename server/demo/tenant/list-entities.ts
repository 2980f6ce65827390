import { libraryUrl } from './drive-entities.ts';
import { findDrive } from './drive-store.ts';
import { guid, isoTime } from './ids.ts';
import type {
  ListColumn,
  ListFields,
  ListItemRow,
  ListItemVersionRow,
  ListRow,
} from './list-store.ts';
import type { GraphEntity } from './odata.ts';
import { findPerson } from './people.ts';
import type { Tenant } from './store.ts';

const identity = (tenant: Tenant, personId: string): GraphEntity => {
  const person = findPerson(tenant, personId);
  return person
    ? { user: { id: person.id, displayName: person.name } }
    : { application: { id: personId, displayName: 'SharePoint App' } };
};

const listTag = ({ id, changed_at }: ListRow): string => `"${id},${changed_at / 1000}"`;

/** The address of a list, in the site with this address. */
function listUrl(tenant: Tenant, site: string, list: ListRow): string {
  const drive = list.drive_id === null ? null : findDrive(tenant, list.drive_id);
  return drive ? libraryUrl(drive) : `${site}/Lists/${encodeURIComponent(list.name)}`;
}

export const listEntity = (tenant: Tenant, site: string, list: ListRow): GraphEntity => ({
  id: list.id,
  createdDateTime: isoTime(list.created_at),
  description: '',
  eTag: listTag(list),
  lastModifiedDateTime: isoTime(list.changed_at),
  name: list.name,
  webUrl: listUrl(tenant, site, list),
  displayName: list.name,
  createdBy: { user: { displayName: 'System Account' } },
  lastModifiedBy: { user: { displayName: 'System Account' } },
  parentReference: { siteId: list.site_id },
  list: { contentTypesEnabled: false, hidden: false, template: list.template },
});

export const columnEntity = (list: ListRow, column: ListColumn): GraphEntity => ({
  id: guid(list.id, column.name),
  name: column.name,
  displayName: column.displayName,
  columnGroup: column.readOnly ? '_Hidden' : 'Custom Columns',
  description: '',
  enforceUniqueValues: false,
  hidden: false,
  indexed: false,
  readOnly: column.readOnly,
  required: column.required,
  [column.type]: column.facet,
});

export const rowTag = (list: ListRow, row: ListItemRow): string =>
  `"${guid(list.id, 'row', row.n)},${row.version}"`;

export function fieldsEntity(list: ListRow, row: ListItemRow): GraphEntity {
  const own = JSON.parse(row.fields) as ListFields;
  return {
    '@odata.etag': rowTag(list, row),
    ...own,
    'id': String(row.n),
    'ContentType': 'Item',
    'Modified': isoTime(row.changed_at),
    'Created': isoTime(row.created_at),
    'AuthorLookupId': '6',
    'EditorLookupId': '6',
    '_UIVersionString': `${row.version}.0`,
    'Attachments': false,
    'Edit': '',
    ...(own['Title'] === undefined
      ? {}
      : { LinkTitleNoMenu: own['Title'], LinkTitle: own['Title'] }),
    'ItemChildCount': '0',
    'FolderChildCount': '0',
    '_ComplianceFlags': '',
  };
}

const CONTENT_TYPE = { id: '0x0100B1', name: 'Item' };

export const rowEntity = (
  tenant: Tenant,
  site: string,
  list: ListRow,
  row: ListItemRow,
  expand: readonly string[],
): GraphEntity => ({
  '@odata.etag': rowTag(list, row),
  'createdDateTime': isoTime(row.created_at),
  'eTag': rowTag(list, row),
  'id': String(row.n),
  'lastModifiedDateTime': isoTime(row.changed_at),
  'webUrl': `${listUrl(tenant, site, list)}/${row.n}_.000`,
  'createdBy': identity(tenant, row.author),
  'lastModifiedBy': identity(tenant, row.editor),
  'parentReference': { id: guid(list.id, 'root'), siteId: list.site_id },
  'contentType': CONTENT_TYPE,
  // The query may choose columns: `fields($select=Title)` and `fields` alike return all here.
  ...(expand.some((name) => name.startsWith('fields')) ? { fields: fieldsEntity(list, row) } : {}),
});

export const removedRowEntity = (list: ListRow, row: ListItemRow): GraphEntity => ({
  id: String(row.n),
  parentReference: { siteId: list.site_id },
  contentType: CONTENT_TYPE,
  deleted: { state: 'deleted' },
});

export const rowVersionEntity = (
  tenant: Tenant,
  list: ListRow,
  row: ListItemRow,
  version: ListItemVersionRow,
): GraphEntity => ({
  id: `${version.version}.0`,
  lastModifiedDateTime: isoTime(version.at),
  lastModifiedBy: identity(tenant, version.editor),
  fields: fieldsEntity(list, {
    ...row,
    fields: version.fields,
    version: version.version,
    changed_at: version.at,
  }),
});
