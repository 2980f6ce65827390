import * as v from 'valibot';
import type { Bytes } from '#contract/ids.ts';
import type { GraphClient } from '../graph/client.ts';
import { contentUrl } from '../graph/clouds.ts';
import { readResponseJson, sendRequest } from '../graph/request.ts';
import type { GraphResult } from '../graph/request.ts';
import { mailboxPath, UNAVAILABLE } from './mail-export.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed, nothing } from '../../result.ts';

const MAX_ANSWER_BYTES: Bytes = 65_536;

/**
 * Imports an exported mail into a folder and returns its id, which isn't the immutable one. Null: the
 * tenant doesn't permit imports.
 */
export async function importMail(
  client: GraphClient,
  mailbox: string,
  folder: string,
  stream: Uint8Array,
): Promise<GraphResult<string | null>> {
  const first = await importOnce(client, mailbox, folder, stream);
  const isEnded = !first.ok && first.error.kind === 'ended' && !client.scope.signal.aborted;
  return isEnded ? importOnce(client, mailbox, folder, stream) : first;
}

/** Imports it in a session of its own; error `ended`: the link of the session was refused. */
async function importOnce(
  client: GraphClient,
  mailbox: string,
  folder: string,
  stream: Uint8Array,
): Promise<GraphResult<string | null>> {
  const session = await client.post(`${mailboxPath(mailbox)}/createImportSession`, {}, Session, {
    isRepeatable: true,
  });
  if (!session.ok) return UNAVAILABLE.has(session.error.kind) ? nothing : session;
  const url = contentUrl(client.ports.cloud, session.value.importUrl);
  if (url === null) return failed('refused', t.foreignLink);
  const imported = await sendRequest(client.ports, client.scope, {
    method: 'POST',
    url,
    signed: false,
    isRepeatable: false,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      FolderId: folder,
      Mode: 'create',
      Data: Buffer.from(stream).toString('base64'),
    }),
    read: (response) => readResponseJson(response, Imported, MAX_ANSWER_BYTES),
  });
  if (imported.ok) return { ok: true, value: imported.value.itemId };
  // The link has a permission of its own: this says nothing about the sign-in.
  return imported.error.kind === 'refused' ? failed('ended', t.sessionEnded) : imported;
}

const Session = v.object({ importUrl: v.string() });
const Imported = v.object({ itemId: v.string() });
