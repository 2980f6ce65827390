import type { EngineResult } from '#contract/engine/engine.ts';
import { DOCUMENT_VERSIONS, LAST_VERSION_ACTIONS } from '#contract/restore/shapes.ts';
import type { WriteRequest } from '#server/platform/systems/client.ts';
import { failed, ok } from '../../result.ts';
import type { OpenedServer } from '../servers.ts';
import type { RestoreChoices } from './commands.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { KnownNode } from './nodes.ts';
import { inSession, part, SITES } from './pages.ts';
import { readSaveResults } from './save-commands.ts';
import { TargetSiteShape } from './shapes.ts';
import { parseSiteKey } from './sites.ts';

const [ALL_VERSIONS, LAST_VERSION] = DOCUMENT_VERSIONS;
const [OVERWRITE, MERGE] = LAST_VERSION_ACTIONS;

/** Refuses what the server doesn't offer: single items are restored whether or not they are there. */
export function refuseSiteChoices(
  { target, select, onConflict, flags }: Omit<RestoreChoices, 'versions'>,
  nodes: readonly KnownNode[],
  organization: string,
): EngineResult<void> {
  if (target.kind === 'other') {
    if (target.organization !== organization)
      return failed('invalid', t.otherOrganization, { field: 'targetOrganizationId' });
    if (flags.permissions === true)
      return failed('invalid', t.notOffered, { field: 'restorePermissions' });
    if (target.folder !== null) return failed('invalid', t.noTargetFolder, { field: 'folder' });
  }
  if (onConflict === 'skip') return failed('invalid', t.skipOffered, { field: 'onConflict' });
  const hasSelect = nodes.every((node) => {
    const type = parseSiteKey(node)?.type ?? 'site';
    return type === 'site' || type === 'library' || type === 'list';
  });
  return hasSelect || select === 'both'
    ? ok(undefined)
    : failed('invalid', t.flagsOriginal, { field: 'deletedItems' });
}

/** The request that restores a site, a library, a list, a folder, or files or rows of one. */
export async function makeSiteRestore(
  server: Pick<OpenedServer, 'client' | 'key'>,
  session: { readonly key: string },
  nodes: readonly [KnownNode, ...KnownNode[]],
  chosen: RestoreChoices,
  rights: object,
): Promise<EngineResult<WriteRequest>> {
  const [first] = nodes;
  const { target, select, onConflict, versions, flags } = chosen;
  const address = target.kind === 'other' ? await findAddress(server, target.object) : null;
  if (target.kind === 'other' && address === null) return failed('missing', t.noSite);
  const isOther = address !== null;
  const restorePermissions = flags.permissions === true;
  const body = {
    ...rights,
    documentVersion: versions === 'all' ? ALL_VERSIONS : LAST_VERSION,
    documentLastVersionAction: onConflict === 'replace' ? OVERWRITE : MERGE,
    ...(isOther ? { siteURL: address } : { restorePermissions }),
  };
  const verb = isOther ? 'restoreTo' : 'restore';
  const post = (path: string, more: object = {}): EngineResult<WriteRequest> =>
    ok({
      method: 'POST',
      path: inSession(session, `${SITES}/${part(first.object_key)}${path}`),
      body: { ...body, ...more },
    });
  const what = { changedItems: select !== 'missing', deletedItems: select !== 'changed' };
  const own = parseSiteKey(first);
  // Several sites are one with all below it.
  if (own === null) return post(`/${verb}`, { ...what, restoreSubsites: nodes.length > 1 });
  const { type, collection, id } = own;
  const one = `/${collection}/${part(id)}`;
  if (type === 'library' || type === 'list') return post(`${one}/${verb}`, what);
  if (type === 'folder' || type === 'listfolder' || nodes.length === 1)
    // The published paths of one row are written like this.
    return post(`${one}/${type === 'item' ? (isOther ? 'RestoreTo' : 'Restore') : verb}`);
  const ids = nodes.flatMap((node) => parseSiteKey(node)?.id ?? []);
  const rows = await readSaveResults(
    server,
    (item) => inSession(session, `${SITES}/${part(first.object_key)}/${collection}/${item}`),
    ids,
  );
  return post(`/${collection}/${verb}`, { [type === 'item' ? 'items' : 'documents']: rows });
}

/** The URL of a site that was chosen by it, or by its id in the directory. */
async function findAddress(
  { client, key }: Pick<OpenedServer, 'client' | 'key'>,
  object: string,
): Promise<string | null> {
  if (object.startsWith('https://')) return object;
  const site = await client.read(
    `Organizations/${part(key)}/Sites/${part(object)}`,
    TargetSiteShape,
  );
  return site.url ?? null;
}
