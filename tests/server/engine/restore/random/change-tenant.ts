import type { FolderRow, MessageProps, MessageRow } from '#server/demo/tenant/mailbox-store.ts';
import type { ItemRow } from '#server/demo/tenant/drive-store.ts';
import type { RandomOffice } from './random-office.ts';

// What people do in a tenant between two restore points.

export type Random = (max: number) => number;
export interface Targets {
  readonly user: string;
  readonly site: string;
  /** A site below that one. */
  readonly inner: string;
  /** The drives of a team that is changed instead, with folders of channels, which stay. */
  readonly teamFiles?: { readonly drives: readonly string[]; readonly fixed: ReadonlySet<string> };
}
export type Change = (office: RandomOffice, targets: Targets, random: Random) => Promise<void>;

export const pick = <T>(rows: readonly T[], random: Random): T | undefined =>
  rows.length === 0 ? undefined : rows[random(rows.length)];

// ---- files

const listDrives = (
  { tables, admin }: RandomOffice,
  { user, site, teamFiles }: Targets,
): readonly string[] => {
  if (teamFiles !== undefined) return teamFiles.drives;
  const own = tables.get<{ id: string }>('select id from drive where owner_id = ?', user);
  return [...(own ? [own.id] : []), ...admin.listLibraries(site).map(({ id }) => id)];
};
const listItems = ({ tables }: RandomOffice, drive: string): readonly ItemRow[] =>
  tables.all<ItemRow>(
    'select * from item where drive_id = ? and deleted = 0 and parent_id is not null order by n',
    drive,
  );
const listPlaces = ({ tables }: RandomOffice, drive: string): readonly ItemRow[] =>
  tables.all<ItemRow>(
    'select * from item where drive_id = ? and deleted = 0 and is_folder = 1 order by n',
    drive,
  );
const itemPath = ({ drive_id: drive, id }: ItemRow): string => `/drives/${drive}/items/${id}`;

interface DrivePick {
  readonly drive: string;
  readonly file: ItemRow;
  readonly other: ItemRow | undefined;
}
const onFile =
  (work: (office: RandomOffice, picked: DrivePick, random: Random) => Promise<unknown>): Change =>
  async (office, targets, random) => {
    const drive = pick(listDrives(office, targets), random) ?? '';
    const files = listItems(office, drive).filter(({ is_folder: isFolder }) => isFolder === 0);
    const file = pick(files, random);
    const other = pick(
      files.filter(({ id }) => id !== file?.id),
      random,
    );
    if (file !== undefined) await work(office, { drive, file, other }, random);
  };
const onFolder =
  (work: (office: RandomOffice, folder: ItemRow, random: Random) => Promise<unknown>): Change =>
  async (office, targets, random) => {
    const drive = pick(listDrives(office, targets), random) ?? '';
    const folder = pick(
      listItems(office, drive).filter(
        ({ id, is_folder: isFolder }) =>
          isFolder === 1 && targets.teamFiles?.fixed.has(id) !== true,
      ),
      random,
    );
    if (folder !== undefined) await work(office, folder, random);
  };
const NAMES = ['Alpha.txt', 'Beta plan.docx', 'Gämma', 'delta.tar.gz', 'Epsilon 2.md'] as const;
const DIRS = ['North', 'South side', 'Öst'] as const;
const rename = (office: RandomOffice, item: ItemRow, name: string) =>
  office.send('PATCH', itemPath(item), { name });
/**
 * Files of a folder take the names of each other: each that of the next one. The last one takes the name
 * of the first, another name, or is deleted.
 */
async function passNames(office: RandomOffice, drive: string, random: Random): Promise<void> {
  const files = listItems(office, drive).filter(({ is_folder: isFolder }) => isFolder === 0);
  const folders = [...Map.groupBy(files, (one) => one.parent_id).values()];
  const folder = pick(
    folders.filter((one) => one.length > 1),
    random,
  );
  if (folder === undefined) return;
  const first = random(folder.length);
  const row = [...folder.slice(first), ...folder.slice(0, first)].slice(0, 2 + random(3));
  const [end] = row.slice(-1);
  if (end === undefined) return;
  const { name: last } = end;
  const way = random(3);
  if (way === 0) office.admin.deleteLibraryFile(drive, end.id);
  else await rename(office, end, `between ${random(1_000)}.tmp`);
  for (const [at, file] of [...row.entries()].slice(0, -1).toReversed())
    await rename(office, file, row[at + 1]?.name ?? last);
  if (way === 1) await rename(office, end, row[0]?.name ?? last);
}
const move = (office: RandomOffice, item: ItemRow, parent: string) =>
  office.send('PATCH', itemPath(item), { parentReference: { id: parent } });
const save = (office: RandomOffice, file: ItemRow, random: Random): void =>
  office.admin.changeLibraryFile(
    file.drive_id,
    file.id,
    Buffer.from(`text ${random(1_000_000)} `.repeat(1 + random(40))),
  );

const FILE_CHANGES: readonly Change[] = [
  onFile(async (office, { file }, random) => save(office, file, random)),
  onFile(async (office, { file }, random) => save(office, file, random)),
  onFile((office, { file }, random) => rename(office, file, pick(NAMES, random) ?? 'x')),
  onFile((office, { file, drive }, random) =>
    move(office, file, pick(listPlaces(office, drive), random)?.id ?? ''),
  ),
  onFile(async (office, { file, drive }) => office.admin.deleteLibraryFile(drive, file.id)),
  // Two files exchange their names.
  onFile(async (office, { file, other }) => {
    if (other === undefined) return;
    await rename(office, other, 'between.tmp');
    if ((await rename(office, file, other.name)).ok) await rename(office, other, file.name);
  }),
  ...[1, 2].map(
    (): Change => async (office, targets, random) =>
      passNames(office, pick(listDrives(office, targets), random) ?? '', random),
  ),
  // Somebody else gets access to a file, or loses it.
  onFile(async (office, { file }, random) => {
    const [, , third] = office.admin.listUsers();
    if (third === undefined) throw new Error('The tenant is too small.');
    await office.send('POST', `${itemPath(file)}/invite`, {
      recipients: [{ objectId: third.id }],
      roles: [random(2) === 0 ? 'read' : 'write'],
      sendInvitation: false,
    });
  }),
  // Another file takes the place of one.
  onFile(async (office, { file, drive }) => {
    office.admin.deleteLibraryFile(drive, file.id);
    const made = office.admin.addLibraryFile(drive);
    if ((await move(office, made, file.parent_id ?? '')).ok) await rename(office, made, file.name);
  }),
  onFile(async (office, { drive }) => void office.admin.addLibraryFile(drive)),
  onFolder(async (office, folder, random) => {
    const name = pick(DIRS, random);
    await office.send('POST', `${itemPath(folder)}/children`, { name, folder: {} });
  }),
  onFolder((office, folder, random) => rename(office, folder, pick(DIRS, random) ?? 'x')),
  onFolder(async (office, folder) => office.admin.deleteLibraryFile(folder.drive_id, folder.id)),
  onFolder(async (office, folder, random) => {
    const inside = new Set([folder.id]);
    for (const row of listPlaces(office, folder.drive_id))
      if (inside.has(row.parent_id ?? '')) inside.add(row.id);
    const target = pick(
      listPlaces(office, folder.drive_id).filter(({ id }) => !inside.has(id)),
      random,
    );
    if (target !== undefined) await move(office, folder, target.id);
  }),
];

// ---- mails

const listFolders = ({ tables }: RandomOffice, user: string): readonly FolderRow[] =>
  tables.all<FolderRow>(
    `select * from folder where mailbox = ? and hidden = 0 and parent_id is not null
     and coalesce(well_known, '') not in ('msgfolderroot', 'recoverableitemsdeletions', 'outbox') order by n`,
    user,
  );
const onMail =
  (
    work: (
      office: RandomOffice,
      user: string,
      mail: MessageRow,
      random: Random,
    ) => Promise<unknown>,
  ): Change =>
  async (office, { user }, random) => {
    const ids = new Set(listFolders(office, user).map(({ id }) => id));
    const mail = pick(
      office.admin.listMessages(user).filter((one) => ids.has(one.folder_id)),
      random,
    );
    if (mail !== undefined) await work(office, user, mail, random);
  };
const onMailFolder =
  (
    work: (
      office: RandomOffice,
      user: string,
      folder: FolderRow,
      random: Random,
    ) => Promise<unknown>,
  ): Change =>
  async (office, { user }, random) => {
    const folder = pick(
      listFolders(office, user).filter(({ well_known: known }) => known === null),
      random,
    );
    if (folder !== undefined) await work(office, user, folder, random);
  };
const mailPath = (user: string, { id }: MessageRow): string =>
  `/users/${user}/messages/${encodeURIComponent(id)}`;
const folderPath = (user: string, { id }: FolderRow): string =>
  `/users/${user}/mailFolders/${encodeURIComponent(id)}`;

const MAIL_CHANGES: readonly Change[] = [
  async (office, { user }, random) =>
    void office.admin.addMessage(user, pick(listFolders(office, user), random)?.id),
  onMail(
    async (office, user, mail, random) =>
      void office.admin.flagMessage(user, mail.id, random(2) === 0),
  ),
  onMail((office, user, mail, random) =>
    office.send('PATCH', mailPath(user, mail), { isRead: random(2) === 0 }),
  ),
  onMail((office, user, mail, random) =>
    office.send('PATCH', mailPath(user, mail), {
      categories: [['Red category'], ['Blue category', 'Red category'], []][random(3)],
    }),
  ),
  onMail(
    async (office, user, mail, random) =>
      void office.admin.moveMessage(
        user,
        mail.id,
        pick(listFolders(office, user), random)?.id ?? '',
      ),
  ),
  onMail(
    async (office, user, mail) => void office.admin.moveMessage(user, mail.id, 'deleteditems'),
  ),
  onMail(async (office, user, mail) => office.admin.deleteMessage(user, mail.id)),
  onMail(async (office, user, mail) => office.admin.purgeMessage(user, mail.id)),
  onMail(async (office, user, mail, random) => {
    const { isDraft } = JSON.parse(mail.props) as MessageProps;
    if (!isDraft) office.admin.editMessage(user, mail.id, `Edited ${random(1_000)}`);
  }),
  // Somebody writes a draft, and goes on with it later.
  async (office, { user }, random) => {
    await office.send('POST', `/users/${user}/messages`, {
      subject: `Draft ${random(10)}`,
      body: { contentType: 'text', content: `Dear ${random(1_000)}` },
      toRecipients: [{ emailAddress: { name: 'Anna', address: 'anna@example.com' } }],
    });
  },
  async (office, { user }, random) => {
    const drafts = office.admin
      .listMessages(user)
      .filter((one) => (JSON.parse(one.props) as MessageProps).isDraft);
    const draft = pick(drafts, random);
    if (draft === undefined) return;
    await office.send(
      'PATCH',
      mailPath(user, draft),
      random(2) === 0
        ? { body: { contentType: 'text', content: `Dear ${random(1_000)}, again` } }
        : { subject: `Draft ${random(10)}` },
    );
  },
  async (office, { user }, random) => {
    const parent = pick(listFolders(office, user), random);
    if (parent === undefined) return;
    const made = await office.send('POST', `${folderPath(user, parent)}/childFolders`, {
      displayName: pick(DIRS, random),
    });
    if (made.ok && random(2) === 0)
      office.admin.addMessage(user, ((await made.json()) as { id: string }).id);
  },
  onMailFolder((office, user, folder, random) =>
    office.send('PATCH', folderPath(user, folder), { displayName: pick(DIRS, random) }),
  ),
  onMailFolder((office, user, folder) => office.send('DELETE', folderPath(user, folder))),
];

// ---- calendars, contacts, tasks

const KINDS = ['event', 'contact', 'task'] as const;
const OUTLOOK_CHANGES: readonly Change[] = [
  async ({ admin }, { user }, random) =>
    void admin.outlook.add(user, pick(KINDS, random) ?? 'event'),
  async ({ admin }, { user }, random) => {
    const kind = pick(KINDS, random) ?? 'event';
    const item = pick(admin.outlook.list(user, kind), random);
    if (item !== undefined) admin.outlook.change(user, kind, item.id);
  },
  async ({ admin }, { user }, random) => {
    const kind = pick(KINDS, random) ?? 'event';
    const item = pick(admin.outlook.list(user, kind), random);
    const text = { contentType: 'text', content: `Changed ${random(1_000)}` };
    const props = {
      event: { body: text, location: { displayName: `Yard ${random(10)}` } },
      contact: { personalNotes: `Note ${random(1_000)}`, jobTitle: 'Welder' },
      task: { body: text, importance: 'high' },
    }[kind];
    if (item !== undefined) admin.outlook.change(user, kind, item.id, props);
  },
  async ({ admin }, { user }, random) => {
    const kind = pick(KINDS, random) ?? 'event';
    const item = pick(admin.outlook.list(user, kind), random);
    if (item !== undefined) admin.outlook.remove(user, kind, item.id);
  },
  async ({ admin }, { user }, random) => {
    const own = admin.outlook
      .listFolders(user)
      .filter(({ well_known: known, kind }) => known === null && kind !== 'calendarGroup');
    const folder = pick(own, random);
    if (folder !== undefined && random(2) === 0) admin.outlook.removeFolder(user, folder.id);
  },
];

// ---- rows

const ROW_CHANGES: readonly Change[] = [
  async ({ admin }, { site }, random) => {
    const list = pick(admin.listLists(site), random);
    if (list !== undefined) admin.addRow(site, list.id);
  },
  ...[1, 2].map((): Change => async ({ admin }, { site }, random) => {
    const list = pick(admin.listLists(site), random);
    const row = list && pick(admin.listRows(site, list.id), random);
    if (row !== undefined && list !== undefined) admin.changeRow(site, list.id, row.n);
  }),
  async ({ admin }, { site }, random) => {
    const list = pick(admin.listLists(site), random);
    const row = list && pick(admin.listRows(site, list.id), random);
    if (row !== undefined && list !== undefined) admin.deleteRow(site, list.id, row.n);
  },
  async ({ admin }, { site }, random) => {
    const list = pick(admin.listLists(site), random);
    if (list !== undefined && random(3) === 0) admin.removeList(site, list.id);
  },
];

/** Does one thing with a file or folder. */
export const changeFiles: Change = async (office, targets, random) =>
  pick(FILE_CHANGES, random)?.(office, targets, random);

const CHANGES = [FILE_CHANGES, MAIL_CHANGES, OUTLOOK_CHANGES, ROW_CHANGES];

/** Lets people do several things, a minute or so after each other. */
export async function changeTenant(
  office: RandomOffice,
  targets: Targets,
  random: Random,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    office.pass(60_000 + random(600_000));
    const site = random(3) === 0 ? targets.inner : targets.site;
    await pick(pick(CHANGES, random) ?? [], random)?.(office, { ...targets, site }, random);
  }
}
