import type { Ms } from '#contract/ids.ts';
import { GraphError, objectNotFound } from '../graph-error.ts';
import { changeKey, isoTime, outlookId } from '../ids.ts';
import { depart } from '../mailbox-store.ts';
import type { GraphEntity } from '../odata.ts';
import type { Tenant } from '../store.ts';

// Calendars, contacts and tasks of mailboxes. Each item keeps its properties as Graph names them.

export type OutlookFolderKind = 'calendarGroup' | 'calendar' | 'contactFolder' | 'taskList';
export type OutlookItemKind = 'event' | 'contact' | 'task';

export interface OutlookFolder {
  readonly n: number;
  readonly id: string;
  readonly mailbox: string;
  readonly kind: OutlookFolderKind;
  /** Of a calendar: its group. Of a contact folder: the one above it. */
  readonly parent_id: string | null;
  readonly name: string;
  readonly well_known: string | null;
  readonly seq: number;
}
export interface OutlookItem {
  readonly n: number;
  readonly mailbox: string;
  readonly folder_id: string;
  readonly kind: OutlookItemKind;
  readonly id: string;
  readonly stable_id: string;
  readonly props: string;
  readonly photo: Uint8Array | null;
  readonly created_at: Ms;
  readonly changed_at: Ms;
  readonly seq: number;
}
export type Props = Readonly<Record<string, unknown>>;

const STANDARD: readonly (readonly [OutlookFolderKind, string, string, string | null])[] = [
  ['calendarGroup', 'mycalendars', 'My Calendars', null],
  ['calendarGroup', 'othercalendars', 'Other Calendars', null],
  ['calendar', 'calendar', 'Calendar', 'mycalendars'],
  ['contactFolder', 'contacts', 'Contacts', null],
  ['taskList', 'defaultList', 'Tasks', null],
  ['taskList', 'flaggedEmails', 'Flagged Emails', null],
];

/** Gives a mailbox the folders that every mailbox has, once. */
export function ensureOutlookFolders(tenant: Tenant, mailbox: string): void {
  const { store } = tenant;
  if (store.get('select 1 from outlook_folder where mailbox = ? limit 1', mailbox)) return;
  store.transaction(() => {
    for (const [kind, wellKnown, name, parent] of STANDARD)
      addOutlookFolder(tenant, {
        mailbox,
        kind,
        name,
        wellKnown,
        parentId:
          parent === null ? null : findOutlookFolder(tenant, mailbox, 'calendarGroup', parent).id,
      });
  });
}

export function addOutlookFolder(
  tenant: Tenant,
  input: {
    readonly mailbox: string;
    readonly kind: OutlookFolderKind;
    readonly name: string;
    readonly parentId: string | null;
    readonly wellKnown?: string;
  },
): OutlookFolder {
  const { store } = tenant;
  const { mailbox, kind, name, parentId, wellKnown = null } = input;
  const isTaken = listOutlookFolders(tenant, mailbox, kind).some(
    (one) => one.name === name && one.parent_id === parentId,
  );
  if (isTaken && kind !== 'taskList')
    throw new GraphError(
      409,
      'ErrorFolderExists',
      'A folder with the specified name already exists.',
    );
  const n = store.nextN('outlook_folder');
  const id = outlookId(tenant, 'folder', n);
  store.insert('outlook_folder', {
    n,
    id,
    mailbox,
    kind,
    parent_id: parentId,
    name,
    well_known: wellKnown,
    seq: store.nextSeq(),
  });
  return findOutlookFolder(tenant, mailbox, kind, id);
}

export const listOutlookFolders = (
  { store }: Tenant,
  mailbox: string,
  kind: OutlookFolderKind,
): OutlookFolder[] =>
  store.all<OutlookFolder>(
    'select * from outlook_folder where mailbox = ? and kind = ? order by n',
    mailbox,
    kind,
  );

/**
 * Returns a folder by its id or well-known name.
 * @throws GraphError 404
 */
export function findOutlookFolder(
  { store }: Tenant,
  mailbox: string,
  kind: OutlookFolderKind,
  key: string,
): OutlookFolder {
  const row = store.get<OutlookFolder>(
    'select * from outlook_folder where mailbox = ? and kind = ? and (id = ? or well_known = ?)',
    mailbox,
    kind,
    key,
    key,
  );
  if (!row) throw objectNotFound();
  return row;
}

/**
 * Gives a folder another name or place.
 * @throws GraphError 400 below itself, 409 the name is taken
 */
export function changeOutlookFolder(
  tenant: Tenant,
  folder: OutlookFolder,
  change: Partial<Pick<OutlookFolder, 'name' | 'parent_id'>>,
): OutlookFolder {
  const { store } = tenant;
  const { n, id, mailbox, kind } = folder;
  const { name, parent_id: parent } = { ...folder, ...change };
  const all = listOutlookFolders(tenant, mailbox, kind);
  for (let at = parent; at !== null; at = all.find((one) => one.id === at)?.parent_id ?? null)
    if (at === id)
      throw new GraphError(400, 'ErrorMoveCopyFailed', 'A folder cannot be below itself.');
  if (all.some((one) => one.n !== n && one.name === name && one.parent_id === parent))
    throw new GraphError(
      409,
      'ErrorFolderExists',
      'A folder with the specified name already exists.',
    );
  store.run(
    'update outlook_folder set name = ?, parent_id = ?, seq = ? where n = ?',
    name,
    parent,
    store.nextSeq(),
    n,
  );
  return findOutlookFolder(tenant, mailbox, kind, id);
}

/** Removes a folder with what is in it. */
export function removeOutlookFolder(tenant: Tenant, folder: OutlookFolder): void {
  const { store } = tenant;
  if (folder.well_known !== null)
    throw new GraphError(
      400,
      'ErrorDeleteDistinguishedFolder',
      'Distinguished folders cannot be deleted.',
    );
  store.transaction(() => {
    for (const below of store.all<OutlookFolder>(
      'select * from outlook_folder where parent_id = ?',
      folder.id,
    ))
      removeOutlookFolder(tenant, below);
    store.run('delete from outlook_item where folder_id = ?', folder.id);
    store.run('delete from outlook_folder where n = ?', folder.n);
    depart(tenant, `${folder.kind}s:${folder.mailbox}`, folder.id, folder.id);
  });
}

export const readItemProps = ({ props }: OutlookItem): Props => JSON.parse(props) as Props;

export function addOutlookItem(
  tenant: Tenant,
  folder: OutlookFolder,
  kind: OutlookItemKind,
  props: Props,
  photo: Uint8Array | null = null,
): OutlookItem {
  const { store } = tenant;
  return store.transaction(() => {
    const n = store.nextN('outlook_item');
    const at = toSecond(tenant.now());
    const id = outlookId(tenant, 'item', n);
    store.insert('outlook_item', {
      n,
      mailbox: folder.mailbox,
      folder_id: folder.id,
      kind,
      id,
      stable_id: outlookId(tenant, 'stable', n),
      props: JSON.stringify(props),
      photo,
      created_at: at,
      changed_at: at,
      seq: store.nextSeq(),
    });
    return findOutlookItem(tenant, folder.mailbox, kind, id);
  });
}

/** @throws GraphError 404 */
export function findOutlookItem(
  { store }: Tenant,
  mailbox: string,
  kind: OutlookItemKind,
  key: string,
): OutlookItem {
  const row = store.get<OutlookItem>(
    'select * from outlook_item where mailbox = ? and kind = ? and (id = ? or stable_id = ?)',
    mailbox,
    kind,
    key,
    key,
  );
  if (!row) throw objectNotFound();
  return row;
}

export const listOutlookItems = ({ store }: Tenant, folder: OutlookFolder): OutlookItem[] =>
  store.all<OutlookItem>('select * from outlook_item where folder_id = ? order by n', folder.id);

export function updateOutlookItem(
  tenant: Tenant,
  item: OutlookItem,
  change: { readonly props?: Props; readonly photo?: Uint8Array },
): OutlookItem {
  const { store } = tenant;
  store.run(
    'update outlook_item set props = ?, photo = ?, changed_at = ?, seq = ? where n = ?',
    JSON.stringify({ ...readItemProps(item), ...change.props }),
    change.photo ?? item.photo,
    toSecond(tenant.now()),
    store.nextSeq(),
    item.n,
  );
  return findOutlookItem(tenant, item.mailbox, item.kind, item.id);
}

export function removeOutlookItem(tenant: Tenant, item: OutlookItem): void {
  tenant.store.transaction(() => {
    depart(tenant, item.folder_id, item.id, item.stable_id);
    tenant.store.run('delete from outlook_item where n = ?', item.n);
  });
}

/** What every item of Outlook has. */
export function outlookItemEntity(
  tenant: Tenant,
  item: OutlookItem,
  hasStableIds: boolean,
): GraphEntity {
  const key = changeKey(tenant, item.n, item.seq);
  return {
    '@odata.etag': `W/"${key}"`,
    'id': hasStableIds ? item.stable_id : item.id,
    'createdDateTime': isoTime(item.created_at),
    'lastModifiedDateTime': isoTime(item.changed_at),
    'changeKey': key,
  };
}

const toSecond = (at: Ms): Ms => Math.floor(at / 1000) * 1000;
