import type { EngineResult, RestoreInput } from '#contract/engine/engine.ts';
import {
  DOCUMENT_ACTIONS,
  DOCUMENT_VERSIONS,
  LAST_VERSION_ACTIONS,
} from '#contract/restore/shapes.ts';
import type { WriteRequest } from '#server/platform/systems/client.ts';
import { failed, ok } from '../../result.ts';
import type { OpenedServer } from '../servers.ts';
import { DRIVES, inSession, MAILBOXES, part } from './pages.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { KnownNode } from './nodes.ts';
import { readSaveResults } from './save-commands.ts';
import { makeSiteRestore } from './site-commands.ts';
import { parseSiteKey } from './sites.ts';
import { makeTeamRestore } from './team-commands.ts';
import { parseTeamKey } from './teams.ts';
import { parseVersion, toVersionCommand } from './versions.ts';
import { DriveShape, toPageShape, UserShape } from './shapes.ts';
import type { OrganizationId } from '#contract/ids.ts';

export type RestoreChoices = Pick<
  RestoreInput,
  'target' | 'select' | 'onConflict' | 'versions' | 'flags'
>;

/** A restore on the server, without what identifies who allows it to write. */
interface Place {
  readonly key: string;
}

/** Refuses what the server doesn't offer: its bodies for the original location have no choices. */
export function refuseChoices(
  { target, select, onConflict, versions, flags }: RestoreChoices,
  organization: OrganizationId,
  isMail: boolean,
): EngineResult<void> {
  if (target.kind === 'other')
    return target.organization === organization
      ? onConflict === 'skip' && !isMail
        ? failed('invalid', t.skipOffered, { field: 'onConflict' })
        : ok(undefined)
      : failed('invalid', t.otherOrganization, { field: 'targetOrganizationId' });
  const { team: _, ...otherFlags } = flags;
  const hasFlags = Object.values(otherFlags).some(Boolean);
  const isOffered =
    select === 'both' &&
    versions === 'last' &&
    !hasFlags &&
    (isMail ? onConflict === 'replace' : onConflict !== 'skip');
  return isOffered ? ok(undefined) : failed('invalid', t.flagsOriginal, { field: 'deletedItems' });
}

/**
 * The request that restores nodes of one mailbox or drive: itself, a folder, or items. `rights`: who
 * allows it to write.
 */
export async function makeRestoreCommand(
  server: Pick<OpenedServer, 'client' | 'key'>,
  session: Place,
  nodes: readonly [KnownNode, ...KnownNode[]],
  chosen: RestoreChoices,
  rights: object,
): Promise<EngineResult<WriteRequest>> {
  const [first] = nodes;
  const version = parseVersion(first);
  if (version !== null) {
    const command = await makeRestoreCommand(
      server,
      session,
      [version.item],
      { ...chosen, versions: 'last' },
      rights,
    );
    return command.ok
      ? ok(toVersionCommand(command.value, version.version, await server.client.findVersion()))
      : command;
  }
  if (first.kind === 'site' || parseSiteKey(first) !== null)
    return makeSiteRestore(server, session, nodes, chosen, rights);
  if (first.kind === 'team' || parseTeamKey(first) !== null)
    return makeTeamRestore(server, session, nodes, chosen, rights);
  const isMail = !['drive', 'dir', 'file'].includes(first.kind);
  const target = isMail
    ? await getMailTarget(server, chosen)
    : await getDriveTarget(server, chosen, first.kind !== 'file');
  if (!target.ok) return target;
  const { verb, body } = target.value;
  const base = `${isMail ? MAILBOXES : DRIVES}/${part(first.object_key)}`;
  const whole = { ...body, ...rights };
  const post = (path: string, more: object = {}): EngineResult<WriteRequest> =>
    ok({
      method: 'POST',
      path: inSession(session, `${base}${path}/${verb}`),
      body: { ...more, ...whole },
    });
  if (first.item_key === '') return post('');
  if (first.kind === 'folder') return post(`/folders/${part(first.item_key)}`);
  if (first.kind === 'dir') return post(`/Folders/${part(first.item_key)}`);
  if (isMail) return post('/items', { items: nodes.map(({ item_key: id }) => ({ id })) });
  if (nodes.length === 1) return post(`/Documents/${part(first.item_key)}`);
  const documents = await readSaveResults(
    server,
    (id) => inSession(session, `${base}/Documents/${id}`),
    nodes.map(({ item_key: id }) => id),
  );
  return post('/Documents', { documents });
}

const [OVERWRITE, KEEP] = DOCUMENT_ACTIONS;
const [ALL_VERSIONS, LAST_VERSION] = DOCUMENT_VERSIONS;
const [, MERGE] = LAST_VERSION_ACTIONS;

interface Target {
  readonly verb: string;
  readonly body: object;
}

const getItemChoice = ({ select }: RestoreChoices) => ({
  changedItems: select !== 'missing',
  deletedItems: select !== 'changed',
});

async function getMailTarget(
  { client, key }: Pick<OpenedServer, 'client' | 'key'>,
  chosen: RestoreChoices,
): Promise<EngineResult<Target>> {
  const { target, flags } = chosen;
  if (target.kind === 'original') return ok({ verb: 'restore', body: {} });
  const user = await client.read(
    `Organizations/${part(key)}/Users/${part(target.object)}`,
    UserShape,
  );
  if (!user.name) return failed('missing', t.noUser);
  const { team: _, permissions: __, ...mailFlags } = flags;
  return ok({
    verb: 'restoreTo',
    body: {
      mailbox: user.name,
      ...(target.folder !== null && { folder: target.folder }),
      ...getItemChoice(chosen),
      ...mailFlags,
    },
  });
}

async function getDriveTarget(
  { client, key }: Pick<OpenedServer, 'client' | 'key'>,
  chosen: RestoreChoices,
  isFolder: boolean,
): Promise<EngineResult<Target>> {
  const { target, onConflict, versions, flags } = chosen;
  const permissions = flags.permissions === true;
  // Only copies of folders take it.
  if (permissions && target.kind === 'other' && !isFolder)
    return failed('unsupported', t.notOffered, { field: 'restorePermissions' });
  if (target.kind === 'original')
    return ok({
      verb: 'restore',
      body: { documentAction: onConflict === 'keep-both' ? KEEP : OVERWRITE },
    });
  const { results } = await client.read(
    `Organizations/${part(key)}/Users/${part(target.object)}/OneDrives?limit=1&offset=0`,
    toPageShape(DriveShape),
  );
  const [drive] = results;
  const isChoice = isFolder || (await client.findVersion()) === 'v8';
  if (!isChoice && chosen.select !== 'both') return failed('unsupported', t.notOffered);
  if (drive === undefined) return failed('missing', t.noDrive);
  return ok({
    verb: 'copyTo',
    body: {
      onedrive: { id: drive.id, name: drive.name ?? '', url: drive.url ?? '' },
      ...(target.folder !== null && { folder: target.folder }),
      documentVersion: versions === 'all' ? ALL_VERSIONS : LAST_VERSION,
      documentLastVersionAction: onConflict === 'replace' ? OVERWRITE : MERGE,
      ...(isChoice && getItemChoice(chosen)),
      ...(isFolder && { restorePermissions: permissions }),
    },
  });
}
