import { makeRng } from '../random.ts';
import {
  type DriveRow,
  type ItemRow,
  changeContent,
  deleteItem,
  editContent,
  findDrive,
  findItem,
  storeBytes,
} from './drive-store.ts';
import { itemNotFound } from './graph-error.ts';
import { type SiteRow, findSite, insertSite, listSites, siteDrives } from './groups.ts';
import {
  type ListColumn,
  type ListFields,
  type ListItemRow,
  type ListRow,
  changeRow,
  createList,
  deleteRow,
  findList,
  findRow,
  insertRow,
  listLists,
  listRows,
  removeList,
  renameList,
} from './list-store.ts';
import { listPeople } from './people.ts';
import { makeFields } from './site-content.ts';
import { type TenantSize, makeFile } from './seed.ts';
import type { Tenant } from './store.ts';

/** What people do in the sites of a tenant. */
export interface SiteAdmin {
  listSites(): SiteRow[];
  /** Adds a site, below another one if its id is given. */
  addSite(name: string, parent?: string): SiteRow;
  removeSite(site: string): void;
  listLibraries(site: string): DriveRow[];
  listLibraryFiles(drive: string): ItemRow[];
  /** Adds a made file to the top folder of a library. */
  addLibraryFile(drive: string): ItemRow;
  changeLibraryFile(drive: string, item: string, bytes?: Uint8Array): void;
  deleteLibraryFile(drive: string, item: string): void;
  /** Without the lists of libraries. */
  listLists(site: string): ListRow[];
  addList(site: string, name: string, columns?: readonly ListColumn[]): ListRow;
  /** Of a library, too: by the id of its drive. */
  renameList(site: string, list: string, name: string): void;
  removeList(site: string, list: string): void;
  listRows(site: string, list: string): ListItemRow[];
  /** Adds a row with these values, or with made ones. */
  addRow(site: string, list: string, fields?: ListFields): ListItemRow;
  changeRow(site: string, list: string, row: number, fields?: ListFields): void;
  deleteRow(site: string, list: string, row: number): void;
}

export function createSiteAdmin(tenant: Tenant, size: TenantSize): SiteAdmin {
  const { store } = tenant;
  const getEditor = () => {
    const person = listPeople(tenant).find(({ hasContent }) => hasContent);
    if (!person) throw new Error('a tenant without people');
    return person;
  };
  const getDrive = (id: string): DriveRow => {
    const drive = findDrive(tenant, id);
    if (!drive) throw itemNotFound();
    return drive;
  };
  const getList = (site: string, key: string): ListRow =>
    store.get<ListRow>(
      'select * from list where site_id = ? and drive_id = ? and removed = 0',
      site,
      key,
    ) ?? findList(tenant, site, key);
  const getMade = (list: ListRow): ListFields =>
    makeFields(tenant, list, makeRng(tenant.seed, 'row', store.seq()), tenant.now());
  return {
    listSites: () => listSites(tenant),
    addSite: (name, parent) => {
      const above = parent === undefined ? null : findSite(tenant, parent);
      const path = name.toLowerCase().replaceAll(' ', '-');
      const id = insertSite(tenant, {
        name,
        path: above === null || above.path === '' ? path : `${above.path}/${path}`,
        parentId: above?.id ?? null,
        groupId: null,
        at: tenant.now(),
      });
      return findSite(tenant, id);
    },
    removeSite: (site) => {
      store.run('delete from site where id = ?', site);
    },
    listLibraries: (site) => siteDrives(tenant, findSite(tenant, site)),
    listLibraryFiles: (drive) =>
      store.all<ItemRow>(
        'select * from item where drive_id = ? and deleted = 0 and is_folder = 0 order by n',
        drive,
      ),
    addLibraryFile: (drive) => {
      const serial = store.seq();
      makeFile(tenant, getEditor(), {
        driveId: getDrive(drive).id,
        parentId: findItem(tenant, drive, 'root').id,
        random: makeRng(tenant.seed, 'file', serial),
        serial,
        maxBytes: size.maxFileBytes,
        at: tenant.now(),
      });
      const row = store.get<ItemRow>('select * from item order by n desc limit 1');
      if (!row) throw new Error('a file that was just added is missing');
      return row;
    },
    changeLibraryFile: (drive, id, bytes) => {
      const item = findItem(tenant, drive, id);
      const content = bytes
        ? { content: storeBytes(tenant, bytes), size: bytes.length }
        : editContent(item);
      changeContent(tenant, item, content, item.author);
    },
    deleteLibraryFile: (drive, id) => deleteItem(tenant, findItem(tenant, drive, id)),
    listLists: (site) => listLists(tenant, site).filter(({ drive_id }) => drive_id === null),
    addList: (siteId, name, columns = []) =>
      createList(tenant, { siteId, name, columns, at: tenant.now() }),
    renameList: (site, list, name) => renameList(tenant, getList(site, list), name),
    removeList: (site, list) => removeList(tenant, getList(site, list)),
    listRows: (site, list) => listRows(tenant, getList(site, list)),
    addRow: (site, key, fields) => {
      const list = getList(site, key);
      return insertRow(tenant, list, {
        fields: fields ?? getMade(list),
        author: getEditor().id,
        at: tenant.now(),
      });
    },
    changeRow: (site, key, row, fields) => {
      const list = getList(site, key);
      const editor = getEditor().id;
      changeRow(tenant, list, findRow(tenant, list, String(row)), {
        fields: fields ?? getMade(list),
        editor,
      });
    },
    deleteRow: (site, key, row) => {
      const list = getList(site, key);
      deleteRow(tenant, list, findRow(tenant, list, String(row)));
    },
  };
}
