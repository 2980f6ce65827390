import * as v from 'valibot';
import type { Bytes } from '#contract/ids.ts';
import type { GraphClient } from '../graph/client.ts';
import { contentUrl } from '../graph/clouds.ts';
import { readJson, sendRequest } from '../graph/request.ts';
import type { GraphResult } from '../graph/request.ts';
import { mailboxPath, UNAVAILABLE } from './mail-export.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed } from '../../result.ts';

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
  const session = await client.post(`${mailboxPath(mailbox)}/createImportSession`, {}, Session, {
    isRepeatable: true,
  });
  if (!session.ok) return UNAVAILABLE.has(session.error.kind) ? { ok: true, value: null } : session;
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
    read: (response) => readJson(response, Imported, MAX_ANSWER_BYTES),
  });
  return imported.ok ? { ok: true, value: imported.value.itemId } : imported;
}

const Session = v.object({ importUrl: v.string() });
const Imported = v.object({ itemId: v.string() });
