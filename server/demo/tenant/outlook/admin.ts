import { findMailbox } from '../mailbox-store.ts';
import type { Person } from '../people.ts';
import type { Tenant } from '../store.ts';
import { addContact, addEvent, addTask, renameItem } from './fill.ts';
import {
  type OutlookFolder,
  type OutlookItem,
  type OutlookItemKind,
  type Props,
  addOutlookFolder,
  changeOutlookFolder,
  ensureOutlookFolders,
  findOutlookItem,
  listOutlookFolders,
  removeOutlookFolder,
  removeOutlookItem,
  updateOutlookItem,
} from './store.ts';

/** What people do with their calendars, contacts and tasks. */
export interface OutlookAdmin {
  listFolders(user: string): OutlookFolder[];
  /** Returns its id. */
  addContactFolder(user: string, name: string): string;
  removeFolder(user: string, folder: string): void;
  /** Moves a contact folder into another one, or a calendar to another group. Null: to the top. */
  moveFolder(user: string, folder: string, parent: string | null): void;
  list(user: string, kind: OutlookItemKind): OutlookItem[];
  add(user: string, kind: OutlookItemKind): OutlookItem;
  /** Gives an item its next name, or other properties. */
  change(user: string, kind: OutlookItemKind, item: string, props?: Props): OutlookItem;
  remove(user: string, kind: OutlookItemKind, item: string): void;
}

const ADD = { event: addEvent, contact: addContact, task: addTask };
const KINDS = ['calendarGroup', 'calendar', 'contactFolder', 'taskList'] as const;

export function outlookAdmin(tenant: Tenant): OutlookAdmin {
  const getUser = (key: string): Person => {
    const person = findMailbox(tenant, key);
    ensureOutlookFolders(tenant, person.id);
    return person;
  };
  const listFolders = (user: string): OutlookFolder[] =>
    KINDS.flatMap((kind) => listOutlookFolders(tenant, getUser(user).id, kind));
  const find = (user: string, kind: OutlookItemKind, id: string): OutlookItem =>
    findOutlookItem(tenant, getUser(user).id, kind, id);
  return {
    listFolders,
    addContactFolder: (user, name) =>
      addOutlookFolder(tenant, {
        mailbox: getUser(user).id,
        kind: 'contactFolder',
        name,
        parentId: null,
      }).id,
    removeFolder: (user, id) => {
      const folder = listFolders(user).find((one) => one.id === id);
      if (folder) removeOutlookFolder(tenant, folder);
    },
    moveFolder: (user, id, parent) => {
      const folder = listFolders(user).find((one) => one.id === id);
      if (folder) changeOutlookFolder(tenant, folder, { parent_id: parent });
    },
    list: (user, kind) =>
      tenant.store.all<OutlookItem>(
        'select * from outlook_item where mailbox = ? and kind = ? order by n',
        getUser(user).id,
        kind,
      ),
    add: (user, kind) => tenant.store.transaction(() => ADD[kind](tenant, getUser(user))),
    change: (user, kind, id, props) =>
      props === undefined
        ? renameItem(tenant, find(user, kind, id))
        : updateOutlookItem(tenant, find(user, kind, id), { props }),
    remove: (user, kind, id) => removeOutlookItem(tenant, find(user, kind, id)),
  };
}
