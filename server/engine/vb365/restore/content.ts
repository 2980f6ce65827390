import type { Content, ContentInput, EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { WriteRequest } from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { ContentError } from '../../shared/content-error.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { failed, ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import { toFailed } from '../servers.ts';
import { collect, toStream } from './collect.ts';
import { DRIVES, inSession, MAILBOXES, part, SITES } from './pages.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { KnownNode } from './nodes.ts';
import { readPost } from './post-content.ts';
import { SiteItemShape } from './shapes.ts';
import { getRowValues, parseSiteKey } from './sites.ts';
import { makeTeamSave } from './team-commands.ts';
import { parseVersion, toVersionCommand } from './versions.ts';

/** Reads an item as the server gives it: of a mailbox as an MSG file, of a drive the file itself. */
export async function readServerContent(
  client: Vb365Client,
  explorer: OpenExplorer,
  wanted: KnownNode,
  { as, from = 0, to }: Pick<ContentInput, 'as' | 'from' | 'to'>,
): Promise<EngineResult<Content>> {
  const version = parseVersion(wanted);
  const node = version?.item ?? wanted;
  if (version !== null && explorer.workload === 'teams')
    return failed('unsupported', t.teamVersions);
  if (node.kind === 'row' && as === 'json')
    return readRow(client, explorer, node, version?.version);
  if (node.kind === 'post' && as === 'json') return readPost(client, explorer, node);
  const command =
    explorer.workload === 'teams' && node.kind === 'file' && as === 'raw'
      ? await makeTeamSave({ client }, explorer, [node], 'file')
      : getSaveCommand(explorer, node, as);
  if (command === null) return failed('missing', explorerMessages.noContent);
  const file = await client.open(
    version === null ? command : toVersionCommand(command, version.version),
  );
  const known = file.bytes ?? (node.kind === 'file' ? node.bytes : null);
  const whole = known === null ? await collect(file) : { bytes: known, stream: file.stream };
  if (whole === null) return failed('conflict', t.tooLarge);
  const end = Math.min(to ?? whole.bytes, whole.bytes);
  if (!(Number.isSafeInteger(from) && from >= 0 && from <= end))
    return failed('invalid', explorerMessages.noRange, { field: 'from' });
  return ok({ bytes: whole.bytes, stream: getRange(whole, from, end) });
}

/** The values that the server shows of a row. */
async function readRow(
  client: Vb365Client,
  explorer: OpenExplorer,
  node: KnownNode,
  version?: string,
): Promise<EngineResult<Content>> {
  const own = parseSiteKey(node);
  if (own === null) return failed('missing', explorerMessages.noContent);
  const path = `${SITES}/${part(node.object_key)}/Items/${part(own.id)}${version === undefined ? '' : `/Versions/${version}`}`;
  const row = await client.read(inSession(explorer, path), SiteItemShape);
  const bytes = Buffer.from(JSON.stringify(getRowValues(row)));
  return ok({ bytes: bytes.length, stream: toStream([bytes]) });
}

function getSaveCommand(
  explorer: OpenExplorer,
  { kind, object_key: object, item_key: item }: KnownNode,
  as: ContentInput['as'],
): WriteRequest | null {
  if (explorer.workload === 'outlook')
    return as === 'msg' && item !== '' && kind !== 'folder'
      ? {
          method: 'POST',
          path: inSession(explorer, `${MAILBOXES}/${part(object)}/items/${part(item)}/save`),
        }
      : null;
  if (explorer.workload === 'teams') return null;
  const own = parseSiteKey({ item_key: item });
  if (own !== null)
    return as === 'raw' && own.type === 'document'
      ? {
          method: 'POST',
          path: inSession(explorer, `${SITES}/${part(object)}/Documents/${part(own.id)}/save`),
          body: { asZip: false },
        }
      : null;
  return as === 'raw' && kind === 'file'
    ? {
        method: 'POST',
        path: inSession(explorer, `${DRIVES}/${part(object)}/Documents/${part(item)}/save`),
        body: { asZip: false },
      }
    : null;
}

/** The server gives whole files only. Less or more than announced is an error. */
async function* getRange(
  { bytes, stream }: Content,
  from: Bytes,
  to: Bytes,
): AsyncGenerator<Uint8Array> {
  let at = 0;
  try {
    for await (const piece of stream) {
      const start = at;
      at += piece.byteLength;
      const [first, last] = [Math.max(from - start, 0), Math.min(to - start, piece.byteLength)];
      if (first < last) yield piece.subarray(first, last);
      if (at >= to && to < bytes) return;
    }
  } catch (error) {
    if (error instanceof SourceError) throw new ContentError(toFailed(error).error);
    throw error;
  }
  if (at !== bytes)
    throw new ContentError(failed('damaged', t.changedSize({ sent: at, expected: bytes })).error);
}
