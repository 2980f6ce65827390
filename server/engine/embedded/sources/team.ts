import type { EngineResult } from '#contract/engine/engine.ts';
import { graphClient } from '../graph/client.ts';
import type { GraphClient } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { GraphPorts } from '../graph/request.ts';
import { failed } from '../../result.ts';
import { TEAM_SCOPE } from '../types.ts';
import type { ChangePage, ObjectSource, SourceCall, SourceObject } from '../types.ts';
import { driveClient, readDriveChanges } from './drive.ts';
import { fetchTeamFiles } from './team-files.ts';
import { fetchPosts, readPosts } from './team-posts.ts';
import {
  EMPTY_TEAM,
  fetchOther,
  isChannel,
  type KnownDrive,
  listTeam,
  parseTeamCursor,
  type ReadContents,
  type TeamCursor,
} from './team-listing.ts';
import { getTeamFileKey, parseFileKey } from './team-paths.ts';
import { type DriveKeys, fetchVersionsByDrive, listVersionsByDrive } from './drive-versions.ts';

/** Teams: channels with posts, files and tabs, and the team's members and settings. */
export function teamSource(ports: GraphPorts): ObjectSource {
  const contents: ReadContents = new WeakMap();
  return {
    kinds: ['team'],
    async *changes(object, cursors, call) {
      const client = teamClient(ports, object, call);
      const channels = new Set<string>();
      for await (const page of readTeam({ ports, object, call, client, contents }, cursors)) {
        if (!page.ok) return yield page;
        for (const { key, wellKnown } of page.value.folders)
          if (isChannel(wellKnown)) channels.add(key);
        yield page;
      }
      if (call.includesPosts !== true) return;
      for (const channel of channels) {
        const cursor = cursors.get(channel);
        yield* readPosts(client, object, { channel, cursor }, contents);
      }
    },
    async *fetch(object, items, call) {
      const client = teamClient(ports, object, call);
      const posts = items.filter(({ kind }) => kind === 'post');
      const files = items.filter(({ kind }) => kind === 'file');
      const others = items.filter(({ kind }) => kind === 'tab' || kind === 'settings');
      for (const item of others) yield await fetchOther(client, object, item, contents);
      yield* fetchPosts(client, object, posts, { contents, zone: call.timeZone });
      yield* fetchTeamFiles(driveClient(ports, object, call), files);
    },
    listVersions: (object, files, call) =>
      listVersionsByDrive(driveClient(ports, object, call), files, KEYS),
    fetchVersions: (object, versions, call) =>
      fetchVersionsByDrive(driveClient(ports, object, call), versions, KEYS),
  };
}

const KEYS: DriveKeys = {
  split(key) {
    const { drive, item } = parseFileKey(key);
    return { drive, id: item };
  },
  join: getTeamFileKey,
};

/** Requests about a team count for it. */
export const teamClient = (
  ports: GraphPorts,
  object: SourceObject,
  call: SourceCall,
): GraphClient =>
  graphClient(ports, {
    lane: { service: 'team', object: object.id },
    signal: call.signal,
    onWaiting: (waiting) => {
      call.onWaiting(waiting);
    },
  });

interface Reading {
  readonly ports: GraphPorts;
  readonly object: SourceObject;
  readonly call: SourceCall;
  readonly client: GraphClient;
  readonly contents: ReadContents;
}

/** More listings from the beginning than this in a row are an error of the cloud. */
const MAX_RESTARTS = 3;

async function* readTeam(
  reading: Reading,
  cursors: ReadonlyMap<string, string>,
): AsyncGenerator<EngineResult<ChangePage>, void> {
  const last = parseTeamCursor(cursors.get(TEAM_SCOPE));
  const { ports, object, call, contents } = reading;
  const files = driveClient(ports, object, call);
  let known = last ?? EMPTY_TEAM;
  let restart = last === null;
  for (let restarts = 0; restarts <= MAX_RESTARTS; restarts += 1) {
    const listed = await listTeam(reading.client, files, reading.object, {
      known,
      contents,
      onLack: (reason, kind) => call.onLack?.(reason, kind),
    });
    if (!listed.ok) return yield listed;
    const state: TeamState = {
      channels: listed.value.channels,
      others: listed.value.items.map(({ key }) => key),
      drives: restart
        ? listed.value.drives.map((drive) => ({ ...drive, cursor: null }))
        : listed.value.drives,
    };
    const { folders, items, removed } = listed.value;
    yield ok({ ...PAGE, restart, folders, items, removed, cursor: JSON.stringify(state) });
    const end = yield* readDrives(reading, state);
    if (end !== 'expired') return;
    // One drive is listed from the beginning: then all are, so that what is gone can be found.
    known = state;
    restart = true;
  }
  yield failed('internal', t.unreadable);
}

interface TeamState {
  channels: TeamCursor['channels'];
  readonly others: string[];
  drives: KnownDrive[];
}

const PAGE = { scope: TEAM_SCOPE, isComplete: false, restart: false } as const;
const ok = (value: ChangePage): EngineResult<ChangePage> => ({ ok: true, value });

/** Reads what changed in each drive of the team, and ends the round. */
async function* readDrives(
  { ports, object, call }: Reading,
  state: TeamState,
): AsyncGenerator<EngineResult<ChangePage>, 'expired' | 'done'> {
  const client = driveClient(ports, object, call);
  for (const drive of state.drives.slice()) {
    let isFirst = true;
    const path = `/drives/${encodeURIComponent(drive.id)}`;
    for await (const page of readDriveChanges(client, path, drive.cursor ?? undefined)) {
      if (!page.ok && page.error.kind === 'missing') {
        // The site of a private channel goes with it.
        state.drives = state.drives.filter(({ id }) => id !== drive.id);
        state.channels = state.channels.map((channel) =>
          channel.files?.drive === drive.id ? { ...channel, files: null } : channel,
        );
        const removed = [getTeamFileKey(drive.id, drive.root)];
        yield ok({ ...PAGE, folders: [], items: [], removed, cursor: JSON.stringify(state) });
        break;
      }
      if (!page.ok) {
        yield page;
        return 'done';
      }
      if (page.value.restart && !(isFirst && drive.cursor === null)) return 'expired';
      isFirst = false;
      const changes = toTeamPage(page.value, drive, state);
      const cursor = page.value.cursor;
      state.drives = state.drives.map((one) => (one.id === drive.id ? { ...one, cursor } : one));
      yield ok({ ...PAGE, ...changes, cursor: JSON.stringify(state) });
    }
  }
  yield ok({
    ...PAGE,
    folders: [],
    items: [],
    removed: [],
    cursor: JSON.stringify(state),
    isComplete: true,
  });
  return 'done';
}

/** The folders of channels hang below their channels, everything else below the top of its drive. */
function toTeamPage(
  page: ChangePage,
  { id, root }: KnownDrive,
  state: TeamState,
): Pick<ChangePage, 'folders' | 'items' | 'removed'> {
  const own = new Set(
    state.channels.flatMap(({ files }) => (files?.drive === id ? [files.folder] : [])),
  );
  const removed = new Set(page.removed);
  state.channels = state.channels.map((channel) =>
    channel.files?.drive === id && removed.has(channel.files.folder)
      ? { ...channel, files: null }
      : channel,
  );
  const top = getTeamFileKey(id, root);
  return {
    folders: page.folders
      .filter(({ key }) => !own.has(key))
      .map((folder) => ({
        ...folder,
        key: getTeamFileKey(id, folder.key),
        parent: folder.parent === null ? top : getTeamFileKey(id, folder.parent),
      })),
    items: page.items.map((item) => ({
      ...item,
      key: getTeamFileKey(id, item.key),
      folder: item.folder === '' ? top : getTeamFileKey(id, item.folder),
    })),
    removed: page.removed.map((key) => getTeamFileKey(id, key)),
  };
}
