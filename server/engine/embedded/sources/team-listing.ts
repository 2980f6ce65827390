import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { GraphResult } from '../graph/request.ts';
import type {
  ChangePage,
  FetchedItem,
  FolderChange,
  ItemChange,
  SourceCall,
  SourceObject,
} from '../types.ts';
import { teamMessages } from './team.messages.en.ts';
import { channelPath, getTeamFileKey, getTabsKey, SETTINGS_KEY, teamPath } from './team-paths.ts';
import { ALL_CHANNELS, readMembership } from './team-place.ts';
import { nothing } from '../../result.ts';

/** What of an item was read with its listing, so that it is not read twice. */
export type ReadContents = WeakMap<ItemChange, unknown>;

/**
 * Where the listing of a team goes on. Channels and tabs have no changes of their own in Graph: they
 * are listed each time, and `others` says which tabs there were.
 */
const TeamCursor = v.object({
  channels: v.array(
    v.object({
      id: v.string(),
      /** Its folder for files, once it has one. */
      files: v.nullable(v.object({ drive: v.string(), folder: v.string() })),
    }),
  ),
  others: v.array(v.string()),
  drives: v.array(
    v.object({
      id: v.string(),
      root: v.string(),
      /** It has the files of all standard channels. */
      isShared: v.boolean(),
      cursor: v.nullable(v.string()),
    }),
  ),
});
export type TeamCursor = v.InferOutput<typeof TeamCursor>;
export type KnownDrive = TeamCursor['drives'][number];
type KnownChannel = TeamCursor['channels'][number];

export const EMPTY_TEAM: TeamCursor = { channels: [], others: [], drives: [] };

export function parseTeamCursor(cursor: string | undefined): TeamCursor | null {
  if (cursor === undefined) return null;
  const read = v.safeParse(TeamCursor, JSON.parse(cursor));
  return read.success ? read.output : null;
}

/** A team as it is now, besides posts and files. */
interface ListedTeam extends Pick<ChangePage, 'folders' | 'items' | 'removed'> {
  readonly channels: KnownChannel[];
  readonly drives: KnownDrive[];
}

/** Lists channels, tabs, members and settings. `files`: a client for drives. */
export async function listTeam(
  client: GraphClient,
  files: GraphClient,
  object: SourceObject,
  {
    known,
    contents,
    onLack,
  }: {
    readonly known: TeamCursor;
    readonly contents: ReadContents;
    readonly onLack: SourceCall['onLack'];
  },
): Promise<EngineResult<ListedTeam>> {
  const settings = await readSettings(client, object, onLack);
  if (!settings.ok) return settings;
  const now = client.ports.clock.now();
  const folders: FolderChange[] = [];
  const items: ItemChange[] = [];
  const channels: KnownChannel[] = [];
  const drives = new Map(known.drives.map((drive) => [drive.id, drive]));
  const place = (item: ItemChange, content: unknown): void => {
    contents.set(item, content);
    items.push(item);
  };
  place(toSettings(settings.value, now), settings.value);
  for (const channel of settings.value.channels) {
    folders.push(toChannel(channel), toTabsFolder(channel.id));
    const tabs = await readTabs(client, object, channel.id);
    if (!tabs.ok) return tabs;
    for (const tab of tabs.value) place(toTab(tab, channel.id, now), tab);
    const before = known.channels.find(({ id }) => id === channel.id)?.files ?? null;
    const found = await findFilesFolder(client, object, channel.id, before);
    if (!found.ok) return found;
    const at = found.value;
    channels.push({ id: channel.id, files: at });
    if (at === null) continue;
    const isShared = channel.membershipType === 'standard';
    if (!drives.has(at.drive)) {
      const root = await files.get(`${drivePath(at.drive)}/root?$select=id`, Identified);
      if (!root.ok) return { ok: false, error: root.error };
      drives.set(at.drive, { id: at.drive, root: root.value.id, isShared, cursor: null });
    }
    folders.push({
      key: getTeamFileKey(at.drive, at.folder),
      parent: channel.id,
      name: teamMessages.files,
      wellKnown: 'files',
    });
  }
  const usedDrives = [...drives.values()].filter(
    ({ id, isShared }) => isShared || channels.some((channel) => channel.files?.drive === id),
  );
  for (const drive of usedDrives)
    folders.push({
      key: getTeamFileKey(drive.id, drive.root),
      // The other files of a private channel's own site belong to it.
      parent: drive.isShared
        ? null
        : (channels.find((channel) => channel.files?.drive === drive.id)?.id ?? null),
      name: teamMessages.otherFiles,
      wellKnown: 'other-files',
    });
  const left = known.channels.filter(({ id }) => channels.every((channel) => channel.id !== id));
  const moved = await findLeftFolders(files, left, usedDrives);
  if (!moved.ok) return moved;
  const present = new Set(items.map(({ key }) => key));
  return {
    ok: true,
    value: {
      folders: [...folders, ...moved.value],
      items,
      removed: [
        ...left.flatMap(({ id }) => [id, getTabsKey(id)]),
        ...known.others.filter((key) => !present.has(key)),
        ...known.drives
          .filter((drive) => !usedDrives.some(({ id }) => id === drive.id))
          .map(({ id, root }) => getTeamFileKey(id, root)),
      ],
      channels,
      drives: usedDrives,
    },
  };
}

const drivePath = (drive: string): string => `/drives/${encodeURIComponent(drive)}`;

/** The folder for files of a removed channel stays in the drive of its team, and changes nothing there. */
async function findLeftFolders(
  files: GraphClient,
  left: readonly KnownChannel[],
  drives: readonly KnownDrive[],
): Promise<EngineResult<FolderChange[]>> {
  const folders: FolderChange[] = [];
  for (const { files: at } of left) {
    const drive = drives.find(({ id }) => id === at?.drive);
    if (at === null || drive === undefined) continue;
    const path = `${drivePath(drive.id)}/items/${encodeURIComponent(at.folder)}`;
    const folder = await files.get(path, FilesFolder);
    if (!folder.ok && folder.error.kind !== 'missing') return { ok: false, error: folder.error };
    if (!folder.ok) continue;
    const { id, name, parentReference } = folder.value;
    folders.push({
      key: getTeamFileKey(drive.id, id),
      parent: getTeamFileKey(drive.id, parentReference.id ?? drive.root),
      name: name ?? '',
      wellKnown: null,
    });
  }
  return { ok: true, value: folders };
}

/** A channel that nobody has opened yet has no folder. */
async function findFilesFolder(
  client: GraphClient,
  object: SourceObject,
  channel: string,
  known: KnownChannel['files'],
): Promise<EngineResult<KnownChannel['files']>> {
  if (known !== null) return { ok: true, value: known };
  const folder = await client.get(`${channelPath(object, channel)}/filesFolder`, FilesFolder);
  if (!folder.ok)
    return folder.error.kind === 'missing' ? nothing : { ok: false, error: folder.error };
  const { id, parentReference } = folder.value;
  return { ok: true, value: { drive: parentReference.driveId, folder: id } };
}

// ---- members, settings and tabs

const text = v.fallback(v.nullish(v.string()), undefined);
const Identified = v.looseObject({ id: v.string() });
const FilesFolder = v.object({
  id: v.string(),
  name: text,
  parentReference: v.object({ driveId: v.string(), id: text }),
});
const Channel = v.looseObject({
  id: v.string(),
  displayName: v.string(),
  membershipType: v.pipe(v.nullish(v.string()), v.transform(readMembership)),
});
type Channel = v.InferOutput<typeof Channel>;
const Tab = v.looseObject({
  id: v.string(),
  displayName: text,
  teamsApp: v.fallback(v.nullish(v.looseObject({ displayName: text })), undefined),
});
type Tab = v.InferOutput<typeof Tab>;
const Team = v.looseObject({ id: v.string(), displayName: text });

/** Members and settings of a team, as the backup has them. */
interface TeamSettings {
  readonly team: v.InferOutput<typeof Team>;
  readonly members: readonly v.InferOutput<typeof Identified>[];
  /** Private and shared ones with their members, unless the application may not read these. */
  readonly channels: readonly (Channel & {
    readonly members?: readonly v.InferOutput<typeof Identified>[];
  })[];
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : 1;

async function readSettings(
  client: GraphClient,
  object: SourceObject,
  onLack?: SourceCall['onLack'],
): Promise<EngineResult<TeamSettings>> {
  const team = await client.get(teamPath(object), Team);
  if (!team.ok)
    return {
      ok: false,
      error: team.error.kind === 'missing' ? { kind: 'missing', message: t.noTeam } : team.error,
    };
  const members = await readAll(client, `${teamPath(object)}/members`, Identified);
  if (!members.ok) return members;
  const listed = await readAll(client, `${teamPath(object)}/channels`, Channel, ALL_CHANNELS);
  if (!listed.ok) return listed;
  const channels = await addMembers(client, object, listed.value, onLack);
  if (!channels.ok) return channels;
  const { '@odata.context': _, ...settings } = team.value;
  return {
    ok: true,
    value: { team: settings, members: members.value.toSorted(byId), channels: channels.value },
  };
}

async function addMembers(
  client: GraphClient,
  object: SourceObject,
  channels: readonly Channel[],
  onLack: SourceCall['onLack'],
): Promise<EngineResult<TeamSettings['channels']>> {
  const all: TeamSettings['channels'][number][] = [];
  for (const channel of channels) {
    const path = `${channelPath(object, channel.id)}/members`;
    const members =
      channel.membershipType === 'standard' ? null : await readAll(client, path, Identified);
    if (members?.ok === false && !NOT_READ.has(members.error.kind)) return members;
    if (members?.ok === false && members.error.kind === 'forbidden')
      onLack?.(
        t.notPermitted({
          what: teamMessages.channelMembers,
          permission: 'ChannelMember.Read.All',
        }),
        members.error.kind,
      );
    all.push(
      members?.ok === true ? { ...channel, members: members.value.toSorted(byId) } : channel,
    );
  }
  return { ok: true, value: all };
}
/** `missing`: the channel was removed meanwhile. */
const NOT_READ: ReadonlySet<string> = new Set(['forbidden', 'missing']);

async function readAll<S extends v.GenericSchema>(
  client: GraphClient,
  path: string,
  row: S,
  options: Parameters<GraphClient['page']>[2] = {},
): Promise<EngineResult<readonly v.InferOutput<S>[]>> {
  const rows: v.InferOutput<S>[] = [];
  for (let link: string | null = path; link !== null;) {
    const page: GraphResult<GraphPage<v.InferOutput<S>>> = await client.page(link, row, options);
    if (!page.ok) return { ok: false, error: page.error };
    rows.push(...page.value.rows);
    link = page.value.next;
  }
  return { ok: true, value: rows };
}

const readTabs = (client: GraphClient, object: SourceObject, channel: string) =>
  readAll(client, `${channelPath(object, channel)}/tabs?$expand=teamsApp`, Tab);

const toChannel = ({ id, displayName, membershipType }: Channel): FolderChange => ({
  key: id,
  parent: null,
  name: displayName,
  wellKnown: membershipType === 'standard' ? 'channel' : `${membershipType}-channel`,
});
export const isChannel = (wellKnown: string | null): boolean =>
  wellKnown?.endsWith('channel') === true;

const toTabsFolder = (channel: string): FolderChange => ({
  key: getTabsKey(channel),
  parent: channel,
  name: teamMessages.tabs,
  wellKnown: 'tabs',
});

/** Graph gives neither a date nor a state of these: they are as old as their listing. */
const toOther = (content: unknown, now: Ms) => {
  const json = JSON.stringify(content);
  return {
    changeKey: createHash('sha256').update(json).digest('base64url'),
    at: now,
    changedAt: now,
    bytes: Buffer.byteLength(json),
    flags: {},
  };
};

const toSettings = (settings: TeamSettings, now: Ms): ItemChange => ({
  ...toOther(settings, now),
  key: SETTINGS_KEY,
  folder: '',
  kind: 'settings',
  title: settings.team.displayName ?? '',
  people: '',
});

const toTab = (tab: Tab, channel: string, now: Ms): ItemChange => ({
  ...toOther(tab, now),
  key: tab.id,
  folder: getTabsKey(channel),
  kind: 'tab',
  title: tab.displayName ?? '',
  people: tab.teamsApp?.displayName ?? '',
});

/** Reads a tab, or members and settings, unless they came with their listing. */
export async function fetchOther(
  client: GraphClient,
  object: SourceObject,
  item: ItemChange,
  contents: ReadContents,
): Promise<FetchedItem> {
  const known = contents.get(item);
  const content: EngineResult<unknown> =
    known === undefined
      ? item.kind === 'settings'
        ? await readSettings(client, object)
        : await client.get(
            `${channelPath(object, item.folder.replace(getTabsKey(''), ''))}/tabs/${encodeURIComponent(item.key)}?$expand=teamsApp`,
            Tab,
          )
      : { ok: true, value: known };
  return content.ok
    ? {
        item,
        ok: true,
        parts: [{ as: 'json', content: Buffer.from(JSON.stringify(content.value)) }],
      }
    : { item, ok: false, error: content.error };
}
