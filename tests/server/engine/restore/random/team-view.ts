import { type ChannelRow, type PostRow, readPostProps } from '#server/demo/tenant/team-store.ts';
import type { RandomOffice } from './random-office.ts';
import { readFiles, type Thing } from './tenant-view.ts';

// What a team has, read from the tenant's tables: the product takes no part in it.

export interface Message {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly at: number;
}
/** A post with its replies that were not deleted. */
export interface Thread extends Message {
  /** The name of its channel. */
  readonly channel: string;
  readonly subject: string;
  /** Its first message was deleted, and replies are left. */
  readonly isDeleted: boolean;
  readonly replies: readonly Message[];
}
export interface Tab {
  readonly channel: string;
  readonly id: string;
  readonly name: string;
  readonly app: string;
  readonly configuration: string;
}
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly membership: ChannelRow['membership'];
  /** People by id, of a private channel: whether they own it. */
  readonly people: ReadonlyMap<string, boolean>;
}
export interface TeamView {
  readonly channels: readonly Channel[];
  readonly people: ReadonlyMap<string, boolean>;
  readonly settings: string;
  readonly threads: readonly Thread[];
  readonly tabs: readonly Tab[];
  readonly files: readonly Thing[];
  readonly folders: ReadonlySet<string>;
}

/** The folder with what of a drive belongs to no channel. */
export const OTHER_FILES = 'Other files';
export const FILES = 'Files';

const readText = (content: string): string =>
  content
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
const toMessage = (row: PostRow): Message => ({
  id: row.id,
  author: readPostProps(row).author?.id ?? '',
  text: readText(readPostProps(row).content),
  at: row.created_at,
});
const toPeople = (rows: readonly { readonly personId: string; readonly isOwner: boolean }[]) =>
  new Map(rows.map(({ personId, isOwner }) => [personId, isOwner] as const));

export function readTeam({ admin, tables }: RandomOffice, team: string): TeamView {
  const { teams } = admin;
  const object = `team ${team}`;
  const rows = teams.listChannels(team);
  const things: Thing[] = [];
  const folders = new Set<string>();
  const drives = new Set(rows.map((channel) => channel.drive_id));
  for (const drive of drives) {
    const own = rows.filter((channel) => channel.drive_id === drive);
    const apart = new Map(
      own.map((channel) => [channel.folder_id, [channel.name, FILES]] as const),
    );
    // The site of a private channel goes with it.
    const [first] = own;
    const top =
      first !== undefined && first.membership !== 'standard'
        ? [first.name, OTHER_FILES]
        : [OTHER_FILES];
    readFiles(tables, admin, drive, { object, top, apart }, things, folders);
  }
  return {
    channels: rows.map(({ id, name, membership }) => ({
      id,
      name,
      membership,
      people: toPeople(teams.listChannelMembers(id)),
    })),
    people: toPeople(teams.listMembers(team)),
    settings: JSON.stringify(teams.readSettings(team)),
    threads: rows.flatMap(({ id, name: channel }) =>
      teams.listPosts(team, id).flatMap((row): Thread[] => {
        const replies = teams
          .listReplies(row)
          .filter((reply) => reply.deleted_at === null)
          .map(toMessage);
        const isDeleted = row.deleted_at !== null;
        const subject = readPostProps(row).subject ?? '';
        return isDeleted && replies.length === 0
          ? []
          : [{ ...toMessage(row), channel, subject, isDeleted, replies }];
      }),
    ),
    tabs: rows.flatMap(({ id, name: channel }) =>
      teams.listTabs(team, id).map((tab) => ({
        channel,
        id: tab.id,
        name: tab.name,
        app: tab.app_id,
        configuration: tab.configuration,
      })),
    ),
    files: things,
    folders,
  };
}

/** Folders of channels for their files, which nobody renames or moves. */
export const listChannelFolders = ({ tables }: RandomOffice): ReadonlySet<string> =>
  new Set(
    tables.all<{ folder_id: string }>('select folder_id from channel').map((row) => row.folder_id),
  );

const MINUTE_MS = 60_000;
const describeMessage = ({ author, text, at }: Message): string =>
  [author, text, Math.round(at / MINUTE_MS)].join(' ');
export const describePeople = (people: ReadonlyMap<string, boolean>): readonly string[] =>
  [...people].map(([id, isOwner]) => `${id} ${isOwner ? 'owner' : 'member'}`).toSorted();

/** A view as texts that a test can compare: without the ids that the cloud gives. */
export const describeTeam = (view: TeamView) => ({
  people: describePeople(view.people),
  settings: view.settings,
  channels: view.channels
    .map(({ name, membership, people }) => [name, membership, ...describePeople(people)].join(' '))
    .toSorted(),
  threads: view.threads
    .map((one) =>
      [
        one.channel,
        one.isDeleted ? 'deleted' : `${one.subject}: ${describeMessage(one)}`,
        ...one.replies.map(describeMessage).toSorted(),
      ].join(' | '),
    )
    .toSorted(),
  tabs: view.tabs
    .map(({ channel, name, app, configuration }) => [channel, name, app, configuration].join(' '))
    .toSorted(),
  files: view.files
    .map(({ place, name, content }) => [place, name, content].join(' | '))
    .toSorted(),
  folders: [...view.folders].toSorted(),
});
