import { createHash } from 'node:crypto';
import { readAttachment, type AttachmentRow } from '#server/demo/tenant/mailbox-store.ts';
import type { FolderRow, MessageProps, MessageRow } from '#server/demo/tenant/mailbox-store.ts';
import type { ItemRow } from '#server/demo/tenant/drive-store.ts';
import type { ListItemRow, ListRow } from '#server/demo/tenant/list-store.ts';
import type { OutlookFolder, OutlookItem } from '#server/demo/tenant/outlook/store.ts';
import type { TenantTables } from '#server/demo/tenant/store.ts';
import type { TenantAdmin } from '#server/demo/tenant/admin.ts';

// What a tenant has, read from its tables: the product takes no part in it.

export type ThingKind = 'mail' | 'event' | 'contact' | 'task' | 'file' | 'row';

/** An item of the tenant. */
export interface Thing {
  /** `mailbox <id>`, `drive <id>` or `site <id>` */
  readonly object: string;
  /** The names of the folders above it, as a text. */
  readonly place: string;
  readonly kind: ThingKind;
  /** The cloud's, which stays in its mailbox, drive or list. */
  readonly id: string;
  readonly name: string;
  /** All that a restore has to bring back, besides the name. */
  readonly content: string;
  /** What another item of its folder has too if it is a copy of this one. */
  readonly core: string;
  readonly isRead: boolean;
  readonly isDraft: boolean;
  /** Of a mail. */
  readonly messageId: string;
  /** Of a file: who has access of their own, and which. */
  readonly shared: readonly string[];
  /** Of a file: the contents of its versions, the oldest first. */
  readonly versions: readonly string[];
  /** The address of who has invited others: Exchange writes to them when that person removes it. */
  readonly organizer: string;
}
export interface TenantView {
  readonly things: readonly Thing[];
  /** Of each folder: object and names from the top. */
  readonly folders: ReadonlySet<string>;
  /** Of the people who have the mailboxes. */
  readonly addresses: ReadonlyMap<string, string>;
}

export interface Chosen {
  readonly mailboxes: readonly string[];
  readonly drives: readonly string[];
  readonly sites: readonly string[];
}

export const toPlace = (names: readonly string[]): string => JSON.stringify(names);
export const getNames = (place: string): readonly string[] => JSON.parse(place) as string[];
export const toFolder = (object: string, names: readonly string[]): string =>
  `${object} ${toPlace(names)}`;

/** A short name of bytes. */
export const digest = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted();

/** Reads what the objects of a tenant have. */
export function readTenant(store: TenantTables, admin: TenantAdmin, chosen: Chosen): TenantView {
  const things: Thing[] = [];
  const folders = new Set<string>();
  for (const user of chosen.mailboxes) readMailbox(store, user, things, folders);
  for (const user of chosen.drives) {
    const drive = store.get<{ id: string }>(
      'select id from drive where owner_id = ? order by rowid limit 1',
      user,
    );
    if (drive)
      readFiles(store, admin, drive.id, { object: `drive ${user}`, top: [] }, things, folders);
  }
  for (const site of chosen.sites) readSite(store, admin, site, things, folders);
  const addresses = new Map(
    chosen.mailboxes.map((user) => {
      const person = store.get<{ mail: string | null }>(
        'select mail from person where id = ?',
        user,
      );
      return [`mailbox ${user}`, person?.mail?.toLowerCase() ?? ''] as const;
    }),
  );
  return { things, folders, addresses };
}

/** Whether an item of an object is a meeting whose attendees Exchange would write to. */
export const isMeeting = (
  { addresses }: TenantView,
  { organizer }: Pick<Thing, 'organizer'>,
  object: string,
): boolean => organizer !== '' && organizer === addresses.get(object);

const NO_FILE = { shared: [], versions: [] };
const NO_MAIL = {
  ...NO_FILE,
  core: '',
  isRead: false,
  isDraft: false,
  messageId: '',
  organizer: '',
};

// ---- mailboxes

function readMailbox(
  store: TenantTables,
  user: string,
  things: Thing[],
  folders: Set<string>,
): void {
  const object = `mailbox ${user}`;
  const rows = store.all<FolderRow>('select * from folder where mailbox = ?', user);
  const visit = (parent: FolderRow | undefined, names: readonly string[]): void => {
    for (const row of rows.filter(
      ({ parent_id: above, hidden }) => above === parent?.id && hidden === 0,
    )) {
      const path = [...names, row.name];
      folders.add(toFolder(object, path));
      for (const message of store.all<MessageRow>(
        'select * from message where folder_id = ?',
        row.id,
      ))
        things.push(readMail(store, message, object, path));
      visit(row, path);
    }
  };
  visit(
    rows.find(({ well_known: known }) => known === 'msgfolderroot'),
    [],
  );
  readOutlook(store, user, object, things, folders);
}

function readMail(
  store: TenantTables,
  row: MessageRow,
  object: string,
  path: readonly string[],
): Thing {
  const props = JSON.parse(row.props) as MessageProps;
  const attachments = store
    .all<AttachmentRow>('select * from attachment where message_n = ?', row.n)
    .map((one) =>
      [one.name, one.type, one.inline, one.content_id, digest(readAttachment(one))].join(' '),
    );
  const core = [
    props.internetMessageId,
    props.importance,
    sorted(props.categories),
    props.flag['flagStatus'] === 'flagged',
    props.isDraft,
    row.received_at,
  ];
  return {
    ...NO_FILE,
    object,
    place: toPlace(path),
    kind: 'mail',
    id: row.stable_id,
    name: props.subject,
    // A mail that a restore wrote again is not read to compare its text.
    core: JSON.stringify([props.subject, ...core]),
    content: JSON.stringify([
      props.body,
      props.from,
      props.sender,
      props.to,
      props.cc,
      props.bcc,
      props.replyTo,
      ...core,
      props.sentAt,
      sorted(attachments),
    ]),
    isRead: row.read === 1,
    isDraft: props.isDraft,
    messageId: props.internetMessageId,
    organizer: '',
  };
}

const TOPS = {
  calendar: 'Calendars',
  calendarGroup: 'Calendars',
  contactFolder: 'Contacts',
  taskList: 'Tasks',
} as const;

function readOutlook(
  store: TenantTables,
  user: string,
  object: string,
  things: Thing[],
  folders: Set<string>,
): void {
  const rows = store.all<OutlookFolder>('select * from outlook_folder where mailbox = ?', user);
  const getPath = (row: OutlookFolder): readonly string[] => {
    const parent = rows.find(({ id }) => id === row.parent_id);
    // Calendars of the standard group are right below the top.
    const above =
      parent === undefined || parent.well_known === 'mycalendars'
        ? [TOPS[row.kind]]
        : getPath(parent);
    return [...above, row.name];
  };
  for (const top of Object.values(TOPS)) folders.add(toFolder(object, [top]));
  for (const row of rows) {
    if (row.well_known === 'mycalendars') continue;
    const path = getPath(row);
    folders.add(toFolder(object, path));
    for (const item of store.all<OutlookItem>(
      'select * from outlook_item where folder_id = ?',
      row.id,
    ))
      things.push(readOutlookItem(item, object, path));
  }
}

function readOutlookItem(item: OutlookItem, object: string, path: readonly string[]): Thing {
  const props = JSON.parse(item.props) as Record<string, unknown>;
  const name = props[{ event: 'subject', contact: 'displayName', task: 'title' }[item.kind]];
  const facts = Object.entries(props)
    .filter(([key, value]) => !VOLATILE.has(key) && value !== null && value !== false)
    .map(([key, value]) => [key, plain(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const core = facts.filter(([key]) => !LOOSE.has(key));
  return {
    ...NO_MAIL,
    object,
    place: toPlace(path),
    kind: item.kind,
    core: JSON.stringify(core),
    id: item.stable_id,
    name: typeof name === 'string' ? name : '',
    organizer: getOrganizer(props),
    content: JSON.stringify([facts, item.photo === null ? null : digest(item.photo)]),
  };
}
interface Meeting {
  readonly organizer?: { readonly emailAddress?: { readonly address?: string } };
  readonly attendees?: readonly unknown[];
}
const getOrganizer = ({ organizer, attendees = [] }: Meeting): string =>
  attendees.length === 0 ? '' : (organizer?.emailAddress?.address ?? '').toLowerCase();

/** What a target may change or leave out, and what says who has the item. */
const LOOSE: ReadonlySet<string> = new Set([
  'attendees',
  'body',
  'fileAs',
  'iCalUId',
  'isOrganizer',
  'organizer',
  'reminderDateTime',
  'responseStatus',
  'uid',
]);
/** The same with keys in their order, and without what the cloud gives parts of an item. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([key]) => key !== 'id' && !VOLATILE.has(key))
    .map(([key, one]) => [key, plain(one)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
/** What the cloud sets itself. */
const VOLATILE: ReadonlySet<string> = new Set(['createdDateTime', 'lastModifiedDateTime']);

// ---- files and rows

/**
 * Reads the files of a drive. `top`: the names above it. `apart`: the names of folders that are shown
 * elsewhere, by their ids.
 */
export function readFiles(
  store: TenantTables,
  admin: TenantAdmin,
  drive: string,
  {
    object,
    top,
    apart = new Map(),
  }: {
    readonly object: string;
    readonly top: readonly string[];
    readonly apart?: ReadonlyMap<string, readonly string[]>;
  },
  things: Thing[],
  folders: Set<string>,
): void {
  const rows = store.all<ItemRow>('select * from item where drive_id = ? and deleted = 0', drive);
  const visit = (parent: string | undefined, names: readonly string[]): void => {
    for (const row of rows.filter(({ parent_id: above }) => above === parent)) {
      const other = apart.get(row.id);
      if (other !== undefined) {
        visit(row.id, other);
        continue;
      }
      if (row.is_folder === 1) {
        folders.add(toFolder(object, [...names, row.name]));
        visit(row.id, [...names, row.name]);
        continue;
      }
      const [newest] = admin.listVersions(row.id);
      const bytes = newest === undefined ? new Uint8Array() : admin.readVersion(newest);
      things.push({
        ...NO_MAIL,
        object,
        place: toPlace(names),
        kind: 'file',
        id: row.id,
        name: row.name,
        shared: listShares(store, row.id),
        versions: admin
          .listVersions(row.id)
          .map((version) => digest(admin.readVersion(version)))
          .toReversed(),
        content: JSON.stringify([
          digest(bytes),
          bytes.length,
          row.file_created_at,
          row.file_changed_at,
        ]),
      });
    }
  };
  visit(rows.find(({ parent_id: above }) => above === null)?.id, top);
}

/** Permissions that a file has of its own, without their ids. */
const listShares = (store: TenantTables, file: string): readonly string[] =>
  store
    .all<{ props: string }>('select props from permission where item_id = ?', file)
    .map(({ props }) => {
      const { roles, grantedToV2 } = JSON.parse(props) as {
        readonly roles?: readonly string[];
        readonly grantedToV2?: { readonly user?: { readonly id?: string } };
      };
      return `${grantedToV2?.user?.id ?? ''} ${roles?.join() ?? ''}`;
    })
    .toSorted();

function readSite(
  store: TenantTables,
  admin: TenantAdmin,
  site: string,
  things: Thing[],
  folders: Set<string>,
): void {
  const object = `site ${site}`;
  for (const list of store.all<ListRow>(
    'select * from list where site_id = ? and removed = 0',
    site,
  )) {
    folders.add(toFolder(object, [list.name]));
    if (list.drive_id !== null) {
      readFiles(store, admin, list.drive_id, { object, top: [list.name] }, things, folders);
      continue;
    }
    for (const row of store.all<ListItemRow>(
      'select * from list_row where list_id = ? and deleted = 0',
      list.id,
    )) {
      const fields = JSON.parse(row.fields) as Record<string, unknown>;
      const values = Object.entries(fields)
        .filter(([, value]) => value !== null)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      things.push({
        ...NO_MAIL,
        object,
        place: toPlace([list.name]),
        kind: 'row',
        id: `${list.id} ${row.n}`,
        name: typeof fields['Title'] === 'string' ? fields['Title'] : `#${row.n}`,
        content: JSON.stringify(values),
      });
    }
  }
}

/** Two views as texts that a test can compare: without the ids that the cloud gives. */
export const describeView = ({ things, folders }: Pick<TenantView, 'things' | 'folders'>) => ({
  things: things
    .map(({ object, place, kind, name, content, isRead, shared }) =>
      [object, place, kind, name, content, isRead, shared.join()].join(' | '),
    )
    .toSorted(),
  folders: [...folders].toSorted(),
});
