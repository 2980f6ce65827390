import type { Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { GraphPorts } from '../graph/request.ts';
import { done, failed, nothing } from '../../result.ts';
import type {
  FolderRecorder,
  FoundObject,
  PathPart,
  Place,
  SourceCall,
  SourceObject,
  StoredItem,
  WriteInput,
  Writer,
  WriteTurns,
  Written,
} from '../types.ts';
import { removeChannel } from './channel-removal.ts';
import { lostTeam, parseTeamKey, removeTeam } from './deleted-team.ts';
import { describeLoss } from './team-attachments.ts';
import { driveWriter, mapKeys } from './drive-writer.ts';
import { joinTexts } from './moved-folder.ts';
import { getTeamFileKey, getTabsKey, parseFileKey } from './team-paths.ts';
import {
  addOtherPeople,
  checkChannel,
  describePeople,
  findChannelPeople,
  getFirstMembers,
} from './channel-people.ts';
import { isChannel } from './team-listing.ts';
import { teamMessages } from './team.messages.en.ts';
import {
  createChannel,
  type DrivePlace,
  findChannel,
  findDrivePlace,
  getMembership,
  type OpenChannel,
  parseTeamPlace,
} from './team-place.ts';
import { isDeleted } from './team-posts.ts';
import { endMigration, findPost, readStoredThread, writePost } from './team-post-writer.ts';
import { findSettings, writeSettings } from './team-settings-writer.ts';
import { findTab, removeTab, writeTab } from './team-tab-writer.ts';
import { teamClient } from './team.ts';

type ReadContent = WriteInput['content'];

/** Whether files stay if the channel of their place is removed. */
function leavesFiles(place: Place): boolean {
  const at = parseTeamPlace(place);
  return (
    at.kind === 'files' &&
    !at.isTop &&
    at.channel !== null &&
    getMembership(at.channel) === 'standard'
  );
}

const toDriveItem = (item: StoredItem, { drive }: DrivePlace): StoredItem => {
  const key = parseFileKey(item.key);
  return { ...item, key: key.drive === drive ? key.item : '' };
};
const toTeamFound = (found: FoundObject | null, { drive }: DrivePlace): FoundObject | null =>
  mapKeys(found, (key) => getTeamFileKey(drive, key));

/**
 * Writes teams back: channels that are missing, posts with author and date, files through their
 * drives, tabs, members and settings. `read` returns the stored content of an item.
 */
export function teamWriter(
  ports: GraphPorts,
  turns: WriteTurns,
  read: (item: Pick<StoredItem, 'parts'>) => ReadContent,
): Writer {
  const files = driveWriter(ports);
  const openChannel = (place: Place, part: PathPart, call: SourceCall): Reply<OpenChannel | null> =>
    findChannel(teamClient(ports, place.object, call), place.object, part);

  /**
   * The folder of a drive that a place of files is; null: its channel is missing, with its site. A
   * standard channel that was removed has left its folder in the team's site.
   */
  const openDrive = async (place: Place, call: SourceCall): Reply<DrivePlace | null> => {
    const at = parseTeamPlace(place);
    if (at.kind !== 'files') return failed('invalid', t.badName);
    const channel = at.channel === null ? nothing : await openChannel(place, at.channel, call);
    if (!channel.ok) return channel;
    if (at.channel !== null && channel.value === null) {
      if (!leavesFiles(place)) return nothing;
      const left = await findDrivePlace(teamClient(ports, place.object, call), place.object, null, {
        isTop: false,
        below: [at.channel, ...at.below],
      });
      return left.ok || left.error.kind !== 'missing' ? left : nothing;
    }
    return findDrivePlace(teamClient(ports, place.object, call), place.object, channel.value, at);
  };
  const findFile = async (
    place: Place,
    item: StoredItem,
    call: SourceCall,
    find: (at: Place, item: StoredItem) => Reply<FoundObject | null>,
  ): Reply<FoundObject | null> => {
    const drive = await openDrive(place, call);
    if (!drive.ok) return drive;
    if (drive.value === null) return nothing;
    const found = await find(drive.value, toDriveItem(item, drive.value));
    return found.ok ? { ok: true, value: toTeamFound(found.value, drive.value) } : found;
  };

  const findInTeam = async (
    place: Place,
    item: StoredItem,
    call: SourceCall,
    others: readonly string[] | null,
  ): Reply<FoundObject | null> => {
    const client = teamClient(ports, place.object, call);
    const at = parseTeamPlace(place);
    if (item.kind === 'settings')
      return findSettings(client, place.object, read(item), place.teamParts);
    if (at.kind !== 'channel' && at.kind !== 'tabs') return nothing;
    const channel = await findChannel(client, place.object, at.channel);
    if (!channel.ok) return channel;
    if (channel.value === null) return nothing;
    const open = channel.value;
    if (item.kind === 'tab') return findTab(client, place.object, open, item, read(item), others);
    const stored = await readStoredThread(await read(item)('json'));
    if (!stored.ok) return stored;
    if (isClosed(open) && call.isDryRun !== true && !turns.isTaken(open.id)) {
      const opened = await turns.take(open.id, () =>
        reopenChannel(client, place.object, at.channel),
      );
      if (!opened.ok) return opened;
    }
    return findPost(client, place.object, open, item, stored.value, {
      others: others ?? [],
      countsChanged: others === null && call.writesBeside === true,
    });
  };

  /** Where a folder with files is now, in words. */
  const describeFolder = async (
    place: Place,
    folder: string,
    call: SourceCall,
  ): Reply<string | null> => {
    const drive = await openDrive(place, call);
    if (!drive.ok || drive.value === null) return drive.ok ? nothing : drive;
    const own = parseFileKey(folder);
    if (own.drive !== drive.value.drive) return nothing;
    return (await files.describePlace?.(drive.value, own.item, call)) ?? nothing;
  };

  return {
    async describeLoss(item, content) {
      if (item.kind !== 'post') return nothing;
      const stored = await readStoredThread(await content('json'));
      if (!stored.ok) return stored;
      const { post, replies } = stored.value;
      return {
        ok: true,
        value: describeLoss([post, ...replies].filter((one) => !isDeleted(one))),
      };
    },
    lost: lostTeam((object, call) => teamClient(ports, object, call)),
    find: (place, item, call) =>
      item.kind === 'file'
        ? findFile(place, item, call, (at, file) => files.find(at, file, call))
        : findInTeam(place, item, call, null),
    findCopy: (place, item, others, call) =>
      item.kind === 'file'
        ? findFile(place, item, call, (at, file) =>
            files.findCopy(
              at,
              file,
              others.map((key) => parseFileKey(key).item),
              call,
            ),
          )
        : item.kind === 'settings'
          ? Promise.resolve(nothing)
          : findInTeam(place, item, call, others),
    async findFolder(place, call) {
      const at = parseTeamPlace(place);
      if (at.kind === 'team') return { ok: true, value: '' };
      if (at.kind === 'files') {
        const drive = await openDrive(place, call);
        if (!drive.ok || drive.value === null) return drive.ok ? nothing : drive;
        const { value } = drive;
        const key = await files.findFolder(value, call);
        return key.ok && key.value !== null
          ? { ok: true, value: getTeamFileKey(value.drive, key.value) }
          : key;
      }
      const channel = await openChannel(place, at.channel, call);
      if (!channel.ok || channel.value === null) return channel.ok ? nothing : channel;
      const { id } = channel.value;
      return { ok: true, value: at.kind === 'tabs' ? getTabsKey(id) : id };
    },
    async findFileOnPath(place, call) {
      if (parseTeamPlace(place).kind !== 'files') return nothing;
      const drive = await openDrive(place, call);
      if (!drive.ok || drive.value === null) return drive.ok ? nothing : drive;
      const { value } = drive;
      const file = (await files.findFileOnPath?.(value, call)) ?? nothing;
      return file.ok && file.value !== null
        ? { ok: true, value: { ...file.value, key: getTeamFileKey(value.drive, file.value.key) } }
        : file;
    },
    async ensureFolder(place, call, recorder) {
      const at = parseTeamPlace(place);
      if (at.kind === 'team') return { ok: true, value: { key: '', created: [] } };
      const created: string[] = [];
      if (at.channel !== null) {
        const channel = await turns.take(`${place.object.id} ${at.channel.name}`, () =>
          ensureChannel(place, at.channel ?? NO_PART, call, recorder),
        );
        if (!channel.ok) return channel;
        if (channel.value.isNew) created.push(channel.value.id);
        const { id } = channel.value;
        if (at.kind !== 'files')
          return { ok: true, value: { key: at.kind === 'tabs' ? getTabsKey(id) : id, created } };
      }
      const drive = await openDrive(place, call);
      if (!drive.ok) return drive;
      if (drive.value === null) return failed('missing', t.missing);
      const { value } = drive;
      const ensured = await files.ensureFolder(
        value,
        call,
        recorder && toTeamRecorder(recorder, place, value),
      );
      return ensured.ok
        ? {
            ok: true,
            value: {
              key: getTeamFileKey(value.drive, ensured.value.key),
              created: [
                ...created,
                ...ensured.value.created.map((key) => getTeamFileKey(value.drive, key)),
              ],
            },
          }
        : ensured;
    },
    mayLackFolder: leavesFiles,
    async describePlace(place, folder, call) {
      const at = parseTeamPlace(place);
      const part = 'channel' in at ? at.channel : null;
      const found = part === null ? nothing : await openChannel(place, part, call);
      if (!found.ok) return found;
      const isRenamed =
        part !== null &&
        found.value !== null &&
        found.value.displayName.toLowerCase() !== part.name.toLowerCase();
      const renamed = isRenamed
        ? teamMessages.channelRenamed({ former: part.name, name: found.value.displayName })
        : null;
      const moved = at.kind === 'files' ? await describeFolder(place, folder, call) : nothing;
      if (!moved.ok) return moved;
      return { ok: true, value: joinTexts(renamed, moved.value) };
    },
    async planFolder(place, call) {
      const at = parseTeamPlace(place);
      const part = 'channel' in at ? at.channel : null;
      if (part === null || !isLimited(part)) return nothing;
      const client = teamClient(ports, place.object, call);
      const found = await findChannel(client, place.object, part);
      if (found.ok && found.value !== null) {
        const { settings } = place;
        const usable = await checkChannel(client, place.object, part, found.value, settings);
        return usable.ok ? nothing : usable;
      }
      if (!found.ok && found.error.kind !== 'missing') return found;
      const people = await findChannelPeople(client, place, part);
      return people.ok ? { ok: true, value: describePeople(part, people.value, false) } : people;
    },
    async describeOpening(place, call) {
      const at = parseTeamPlace(place);
      if (at.kind !== 'channel') return nothing;
      const channel = await openChannel(place, at.channel, call);
      if (!channel.ok) return channel.error.kind === 'missing' ? nothing : channel;
      return channel.value !== null && isClosed(channel.value)
        ? { ok: true, value: teamMessages.channelClosed({ name: channel.value.displayName }) }
        : nothing;
    },
    async finishFolder(place, key, call) {
      const [part] = place.path;
      if (part === undefined || place.path.length > 1 || !isLimited(part)) return nothing;
      const client = teamClient(ports, place.object, call);
      const people = await findChannelPeople(client, place, part);
      if (!people.ok) return people;
      const said = describePeople(part, people.value, true);
      const added = await addOtherPeople(client, place.object, key, part, people.value);
      if (added.ok) return { ok: true, value: said };
      return added.error.kind === 'forbidden'
        ? { ok: true, value: `${said} ${teamMessages.peopleNotAdded}` }
        : added;
    },
    async write(place, item, input, call) {
      const { object } = place;
      const client = teamClient(ports, object, call);
      if (item.kind === 'settings') return writeSettings(client, object, input);
      if (item.kind === 'file') return writeFile(place, item, input, call);
      const at = parseTeamPlace(place);
      if (at.kind !== 'channel' && at.kind !== 'tabs') return failed('invalid', t.badName);
      const channel = await findChannel(client, object, at.channel);
      if (!channel.ok) return channel;
      const open = channel.value;
      if (open === null) return failed('missing', t.missing);
      return item.kind === 'tab'
        ? writeTab(client, object, open, input)
        : turns.take(open.id, () => writePost(client, object, open, item, input));
    },
    async rename(object, found, name, call) {
      if (!isInDrive(found.key)) return failed('unsupported', t.unsupported);
      const { drive, item } = parseFileKey(found.key);
      const place = toDriveObject(object, drive);
      const renamed = await files.rename?.(place, { ...found, key: item }, name, call);
      if (renamed === undefined) return failed('unsupported', t.unsupported);
      return renamed.ok ? { ok: true, value: { ...renamed.value, key: found.key } } : renamed;
    },
    remove(object, written, call, before) {
      const { key } = written;
      if (key.startsWith('tab:'))
        return removeTab(teamClient(ports, object, call), object, written, before);
      if (key.startsWith('post:')) return Promise.resolve(failed('unsupported', t.postStays));
      if (!key.includes('/')) return Promise.resolve(failed('unsupported', t.unsupported));
      const { drive, item } = parseFileKey(key);
      return files.remove(toDriveObject(object, drive), { ...written, key: item }, call, before);
    },
    share(object, { key, changeKey }, grants, call) {
      // Channels, tabs and posts are shared with the members of their channel.
      if (!isInDrive(key)) return Promise.resolve(failed('unsupported', t.unsupported));
      const { drive, item } = parseFileKey(key);
      const file = { key: item, changeKey };
      return (
        files.share?.(toDriveObject(object, drive), file, grants, call) ??
        Promise.resolve(failed('unsupported', t.unsupported))
      );
    },
    unshare(object, key, permissions, call) {
      if (!isInDrive(key)) return Promise.resolve(done);
      const { drive, item } = parseFileKey(key);
      return (
        files.unshare?.(toDriveObject(object, drive), item, permissions, call) ??
        Promise.resolve(done)
      );
    },
    removeFolder(object, key, call, removal) {
      const client = teamClient(ports, object, call);
      const team = parseTeamKey(key);
      if (team !== null) return removeTeam(client, { ...object, id: team }, removal.before);
      if (!key.includes('/')) return removeChannel(client, object, key, read, removal);
      const { drive, item } = parseFileKey(key);
      return files.removeFolder(toDriveObject(object, drive), item, call, removal);
    },
  };

  async function ensureChannel(
    place: Place,
    part: PathPart,
    call: SourceCall,
    recorder: FolderRecorder | undefined,
  ): Reply<{ readonly id: string; readonly isNew: boolean }> {
    const client = teamClient(ports, place.object, call);
    const check = (channel: OpenChannel): Reply<OpenChannel> =>
      checkChannel(client, place.object, part, channel, place.settings);
    const found = await findChannel(client, place.object, part);
    if (!found.ok) return found;
    if (found.value !== null) {
      const usable = await check(found.value);
      return usable.ok ? { ok: true, value: { id: found.value.id, isNew: false } } : usable;
    }
    const people = isLimited(part) ? await findChannelPeople(client, place, part) : nothing;
    if (!people.ok) return people;
    await recorder?.before([part]);
    const members = people.value === null ? [] : getFirstMembers(part, people.value);
    const channel = await createChannel(client, place.object, part, { members, check });
    if (!channel.ok) return channel;
    const { id } = channel.value;
    await recorder?.after([part], id);
    if (people.value !== null) {
      const added = await addOtherPeople(client, place.object, id, part, people.value);
      // The end of the restore tries again, and says what a missing permission prevents.
      if (!added.ok && added.error.kind !== 'forbidden') return added;
    }
    return { ok: true, value: { id, isNew: true } };
  }

  async function writeFile(
    place: Place,
    item: StoredItem,
    input: WriteInput,
    call: SourceCall,
  ): Reply<Written> {
    const drive = await openDrive(place, call);
    if (!drive.ok) return drive;
    const { value } = drive;
    if (value === null) return failed('missing', t.missing);
    const { replaces } = input;
    const written = await files.write(
      value,
      toDriveItem(item, value),
      {
        ...input,
        replaces: replaces === null ? null : { ...replaces, key: parseFileKey(replaces.key).item },
      },
      call,
    );
    return written.ok
      ? {
          ok: true,
          value: { ...written.value, key: getTeamFileKey(value.drive, written.value.key) },
        }
      : written;
  }
}

/**
 * Opens a channel that a restore which broke off has left closed. In a turn of the channel, which is
 * read again: a thread that was written meanwhile has opened it, and the next one may be on its way.
 */
async function reopenChannel(
  client: GraphClient,
  object: SourceObject,
  part: PathPart,
): Reply<void> {
  const channel = await findChannel(client, object, part);
  if (!channel.ok) return channel;
  return channel.value !== null && isClosed(channel.value)
    ? endMigration(client, object, channel.value)
    : done;
}

/** People can't write to it while posts are restored. */
const isClosed = ({ migrationMode }: OpenChannel): boolean => migrationMode === 'inProgress';

/** A channel that only some of the team see, and not what is beside the channels. */
const isLimited = (part: PathPart): boolean =>
  isChannel(part.wellKnown) && getMembership(part) !== 'standard';

const isInDrive = (key: string): boolean => key.includes('/') && !/^(tab|post|team):/.test(key);

const NO_PART: PathPart = { name: '', wellKnown: null };

const toDriveObject = ({ name, address }: SourceObject, id: string): SourceObject => ({
  kind: 'drive',
  id,
  name,
  address,
});

/** Records the folders of a drive as places of their team. */
const toTeamRecorder = (
  recorder: FolderRecorder,
  { path }: Place,
  drive: DrivePlace,
): FolderRecorder => {
  const getPlace = (part: readonly PathPart[]): readonly PathPart[] =>
    path.slice(0, path.length - (drive.path.length - part.length));
  return {
    before: (part) => recorder.before(getPlace(part)),
    after: (part, key) =>
      recorder.after(getPlace(part), key === null ? null : getTeamFileKey(drive.drive, key)),
  };
};
