import * as v from 'valibot';
import type { DownloadFormat } from '#contract/engine/downloads.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import { DOCUMENT_VERSIONS } from '#contract/restore/shapes.ts';
import type { WriteRequest } from '#server/platform/systems/client.ts';
import { failed, ok } from '../../result.ts';
import type { OpenedServer } from '../servers.ts';
import type { RestoreChoices } from './commands.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { KnownNode } from './nodes.ts';
import { inSession, part, TEAMS } from './pages.ts';
import type { Save, SavedKind } from './save-commands.ts';
import { parseTeamKey } from './teams.ts';

type Server = Pick<OpenedServer, 'client'>;
type Nodes = readonly [KnownNode, ...KnownNode[]];
const [ALL_VERSIONS, LAST_VERSION] = DOCUMENT_VERSIONS;

/** Teams are restored to their place only, and posts with all others of their channel only. */
export function refuseTeamChoices(
  {
    target,
    onConflict,
    versions,
    flags,
  }: Pick<RestoreChoices, 'target' | 'onConflict' | 'versions' | 'flags'>,
  nodes: readonly KnownNode[],
): EngineResult<void> {
  if (target.kind === 'other')
    return failed('invalid', t.teamsOriginal, { field: 'targetOrganizationId' });
  if (flags.permissions === true)
    return failed('invalid', t.notOffered, { field: 'restorePermissions' });
  const [first, ...others] = nodes;
  if (first === undefined) return failed('unsupported', t.settingsWithTeam);
  const own = parseTeamKey(first);
  if (own?.type === 'post') return failed('unsupported', t.postsWithChannel);
  if (onConflict !== 'replace') return failed('invalid', t.teamsReplace, { field: 'onConflict' });
  if (versions === 'all' && (own === null || own.type === 'channel'))
    return failed('invalid', t.lastVersions, { field: 'fileVersion' });
  return others.length === 0 || isTogether([first, ...others])
    ? ok(undefined)
    : failed('invalid', t.oneChannel, { field: 'nodes' });
}

/** Whether one request can name them: files and folders, posts, or tabs of one channel. */
function isTogether(nodes: Nodes): boolean {
  const keys = nodes.map(parseTeamKey);
  const [first] = keys;
  const list = LISTS[first?.type ?? 'channel'];
  return (
    list !== undefined &&
    keys.every((key) => key?.channel === first?.channel && LISTS[key?.type ?? 'channel'] === list)
  );
}
const LISTS: Readonly<Partial<Record<string, 'files' | 'posts' | 'tabs'>>> = {
  dir: 'files',
  file: 'files',
  post: 'posts',
  tab: 'tabs',
};

/** The request that restores a team, a channel, or files or tabs of one. */
export async function makeTeamRestore(
  server: Server,
  session: Pick<OpenExplorer, 'key'>,
  nodes: Nodes,
  { select, versions, flags }: RestoreChoices,
  rights: object,
): Promise<EngineResult<WriteRequest>> {
  const [first] = nodes;
  const [isChanged, isMissing] = [select !== 'missing', select !== 'changed'];
  const items = { restoreChangedItems: isChanged, restoreMissingItems: isMissing };
  const tabs = { restoreChangedTabs: isChanged, restoreMissingTabs: isMissing };
  const fileVersion = versions === 'all' ? ALL_VERSIONS : LAST_VERSION;
  const post = (path: string, body: object): EngineResult<WriteRequest> =>
    ok({
      method: 'POST',
      path: inSession(session, `${TEAMS}/${part(first.object_key)}${path}/restore`),
      body: { ...body, ...rights },
    });
  const own = parseTeamKey(first);
  if (own === null) {
    const { members = false, settings = false } = flags.team ?? {};
    return post('', { ...items, restoreMembers: members, restoreSettings: settings });
  }
  const { type, channel: channelId } = own;
  const channel = `/channels/${part(channelId)}`;
  switch (type) {
    case 'channel':
      return post(channel, items);
    case 'tabs':
      return post(`${channel}/tabs`, tabs);
    case 'tab':
      return post(`${channel}/tabs`, {
        ...tabs,
        tabs: await readTeamResults(server, session, nodes),
      });
    case 'files':
      return post('/files', { ...items, fileVersion, channelId });
    case 'post':
      return failed('unsupported', t.postsWithChannel);
    default: {
      const files = await readTeamResults(server, session, nodes);
      return post('/files', { ...items, fileVersion, files });
    }
  }
}

/** Returns what saving nodes of a team gives, or why the server doesn't offer it. */
export function findTeamSave(nodes: Nodes, format: DownloadFormat | undefined): EngineResult<Save> {
  const [first, second] = nodes;
  const type = parseTeamKey(first)?.type;
  const isSingle = second === undefined;
  const isSaved = isSingle
    ? type === 'files' || type === 'dir' || type === 'file' || type === 'post'
    : type !== 'tab' && isTogether(nodes);
  if (!isSaved) return failed('unsupported', t.noTeamSave, { field: 'files' });
  if (type === 'post' && (format === undefined || format === 'zip' || format === 'msg')) {
    const name = first.name || first.people;
    return ok(
      isSingle ? { kind: 'msg', format: 'msg', name } : { kind: 'zip', format: 'msg', name: null },
    );
  }
  if (format !== undefined && format !== 'zip')
    return failed('unsupported', t.onlyFiles, { field: 'format' });
  return ok(
    isSingle && type === 'file'
      ? { kind: 'file', format: 'zip', name: first.name }
      : { kind: 'zip', format: 'zip', name: null },
  );
}

/** The request that saves nodes of a team: the files of a channel, a folder, files or posts. */
export async function makeTeamSave(
  server: Server,
  session: Pick<OpenExplorer, 'key'>,
  nodes: Nodes,
  kind: SavedKind,
): Promise<WriteRequest> {
  const [first] = nodes;
  const base = `${TEAMS}/${part(first.object_key)}`;
  const post = (path: string, body?: object): WriteRequest => ({
    method: 'POST',
    path: inSession(session, `${base}${path}/save`),
    ...(body !== undefined && { body }),
  });
  const { type = 'files', channel = '', id = '' } = parseTeamKey(first) ?? {};
  if (kind === 'msg') return post(`/posts/${part(id)}`);
  if (type === 'post')
    return post('/posts', { posts: await readTeamResults(server, session, nodes) });
  if (kind === 'file')
    return post(`${await getFilesPath(server, channel)}/${part(id)}`, { asZip: false });
  if (type === 'files') return post('/files', { channelId: channel });
  return post('/files', { files: await readTeamResults(server, session, nodes) });
}

/** The request that writes posts of one channel into a web page. */
export const makePostExport = async (
  server: Server,
  session: Pick<OpenExplorer, 'key'>,
  nodes: Nodes,
): Promise<WriteRequest> => ({
  method: 'POST',
  path: inSession(session, `${TEAMS}/${part(nodes[0].object_key)}/posts/export`),
  body: { posts: await readTeamResults(server, session, nodes) },
});

/** Version 7 has files at the team. */
const getFilesPath = async ({ client }: Server, channel: string): Promise<string> =>
  (await client.findVersion()) === 'v7' ? '/files' : `/channels/${part(channel)}/files`;

/** The server wants whole rows of what it restores, saves or exports together. */
export async function readTeamResults(
  server: Server,
  session: Pick<OpenExplorer, 'key'>,
  nodes: readonly Pick<KnownNode, 'object_key' | 'item_key'>[],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const node of nodes) {
    const key = parseTeamKey(node);
    if (key === null) continue;
    const { type, channel, id } = key;
    const query = `?channelId=${part(channel)}`;
    const files = type === 'post' || type === 'tab' ? '' : await getFilesPath(server, channel);
    const path =
      type === 'post'
        ? `/posts/${part(id)}${query}`
        : type === 'tab'
          ? `/channels/${part(channel)}/tabs/${part(id)}`
          : `${files}/${part(id)}${files === '/files' ? query : ''}`;
    rows.push(
      await server.client.read(
        inSession(session, `${TEAMS}/${part(node.object_key)}${path}`),
        v.looseObject({}),
      ),
    );
  }
  return rows;
}
