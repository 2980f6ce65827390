import * as v from 'valibot';
import type { DownloadFormat } from '#contract/engine/downloads.ts';
import type { EngineResult, Workload } from '#contract/engine/engine.ts';
import { RESTORE_CAPABILITIES } from '#contract/engine/restore-capabilities.ts';
import type { WriteRequest } from '#server/platform/systems/client.ts';
import { failed, ok } from '../../result.ts';
import type { OpenedServer } from '../servers.ts';
import { DRIVES, inSession, MAILBOXES, part, SITES } from './pages.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { KnownNode } from './nodes.ts';
import { parseSiteKey } from './sites.ts';
import { findTeamSave, makeTeamSave } from './team-commands.ts';
import { parseVersion, refuseVersions, toVersionCommand } from './versions.ts';

/** What a save gives. `file`: a single file as it is. */
export type SavedKind = 'file' | 'msg' | 'zip' | 'pst';
export interface Save {
  readonly kind: SavedKind;
  readonly format: DownloadFormat;
  /** Of a single file or mail. */
  readonly name: string | null;
}
type Nodes = readonly [KnownNode, ...KnownNode[]];

/** Returns what saving nodes of one object gives, or why the server doesn't offer it. */
export function findSave(
  workload: Workload,
  nodes: Nodes,
  format: DownloadFormat | undefined,
): EngineResult<Save> {
  const [first, second] = nodes;
  const isSingle = second === undefined;
  const versions = refuseVersions(nodes, workload === 'teams');
  if (!versions.ok) return versions;
  const version = parseVersion(first);
  if (version !== null) return findSave(workload, [version.item], format);
  if (workload === 'teams') return findTeamSave(nodes, format);
  if (workload === 'outlook') {
    const isFolder = first.item_key === '' || first.kind === 'folder';
    const { items, folders } = RESTORE_CAPABILITIES.vb365.mailFormats;
    const formats = isFolder ? folders : items;
    const wanted = format ?? formats[0];
    if (!formats.includes(wanted))
      return failed('unsupported', isFolder ? t.onlyPst : t.onlyMsgOrPst, { field: 'format' });
    if (wanted === 'pst') return ok({ kind: 'pst', format: 'pst', name: null });
    return ok(
      isSingle
        ? { kind: 'msg', format: 'msg', name: first.name }
        : { kind: 'zip', format: 'msg', name: null },
    );
  }
  if (format !== undefined && format !== 'zip')
    return failed('unsupported', t.onlyFiles, { field: 'format' });
  if (workload === 'sharepoint' && !SAVED.has(parseSiteKey(first)?.type ?? 'site'))
    return failed('unsupported', t.noSave, { field: 'nodes' });
  return ok(
    isSingle && first.kind === 'file'
      ? { kind: 'file', format: 'zip', name: first.name }
      : { kind: 'zip', format: 'zip', name: null },
  );
}

/** What of sites the server saves. */
const SAVED: ReadonlySet<string> = new Set(['library', 'folder', 'listfolder', 'document']);

/** The request that saves nodes of one mailbox, drive, site or team: itself, a folder, or items. */
export async function makeSaveCommand(
  { client }: Pick<OpenedServer, 'client'>,
  explorer: Pick<OpenExplorer, 'key' | 'workload'>,
  nodes: Nodes,
  kind: SavedKind,
): Promise<WriteRequest> {
  const [first] = nodes;
  const version = parseVersion(first);
  if (version !== null) {
    const command = await makeSaveCommand({ client }, explorer, [version.item], kind);
    return toVersionCommand(command, version.version);
  }
  if (explorer.workload === 'teams') return makeTeamSave({ client }, explorer, nodes, kind);
  const isMail = explorer.workload === 'outlook';
  const base = `${isMail ? MAILBOXES : DRIVES}/${part(first.object_key)}`;
  const post = (path: string, body?: object): WriteRequest => ({
    method: 'POST',
    path: inSession(explorer, `${base}${path}`),
    ...(body !== undefined && { body }),
  });
  if (isMail) {
    const verb = kind === 'pst' ? 'exportToPst' : 'save';
    // Without a limit of the size, the answer is one PST file.
    if (first.item_key === '') return post(`/${verb}`, {});
    if (first.kind === 'folder') return post(`/folders/${part(first.item_key)}/${verb}`, {});
    if (kind === 'msg') return post(`/items/${part(first.item_key)}/save`);
    const items = nodes.map(({ item_key: id }) => ({ id }));
    return post(`/items/${kind === 'pst' ? verb : 'Save'}`, { items });
  }
  if (explorer.workload === 'sharepoint') {
    const site = `${SITES}/${part(first.object_key)}`;
    const { collection = 'Documents', id = '', type } = parseSiteKey(first) ?? {};
    const path = (below: string): string => inSession(explorer, `${site}/${collection}${below}`);
    if (type === 'library' || type === 'folder' || type === 'listfolder')
      return { method: 'POST', path: path(`/${part(id)}/save`) };
    if (kind === 'file')
      return { method: 'POST', path: path(`/${part(id)}/save`), body: { asZip: false } };
    const ids = nodes.flatMap((node) => parseSiteKey(node)?.id ?? []);
    const documents = await readSaveResults({ client }, (one) => path(`/${one}`), ids);
    return { method: 'POST', path: path('/save'), body: { documents } };
  }
  if (first.item_key === '') return post('/save');
  if (first.kind === 'dir') return post(`/Folders/${part(first.item_key)}/save`);
  if (kind === 'file') return post(`/Documents/${part(first.item_key)}/save`, { asZip: false });
  return post('/Documents/save', {
    documents: await readSaveResults(
      { client },
      (id) => inSession(explorer, `${base}/Documents/${id}`),
      nodes.map(({ item_key: id }) => id),
    ),
  });
}

/** The server wants whole rows of what it restores or saves together. */
export async function readSaveResults(
  { client }: Pick<OpenedServer, 'client'>,
  getPath: (id: string) => string,
  ids: readonly string[],
): Promise<readonly unknown[]> {
  const rows: unknown[] = [];
  for (const id of ids)
    rows.push(await client.read(getPath(part(id)), v.looseObject({ id: v.string() })));
  return rows;
}
