import type { Content, EngineResult } from '#contract/engine/engine.ts';
import { failed, ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import { parseTime } from '../times.ts';
import { collect, toStream } from './collect.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import type { KnownNode } from './nodes.ts';
import { iso } from './points.ts';
import { makePostExport, readTeamResults } from './team-commands.ts';
import { findReplies, parseTeamKey } from './teams.ts';

/**
 * Reads a post with its replies: who wrote each when, and their texts as the web page that the server
 * makes of them. Its lists have no texts.
 */
export async function readPost(
  client: Vb365Client,
  explorer: OpenExplorer,
  node: KnownNode,
): Promise<EngineResult<Content>> {
  const key = parseTeamKey(node);
  const replies = key === null ? [] : await findReplies(client, explorer, node.object_key, key);
  const answers = replies.map((id) => ({
    ...node,
    item_key: node.item_key.replace(/[^/]*$/, () => id),
  }));
  const file = await client.open(await makePostExport({ client }, explorer, [node, ...answers]));
  const page = await collect(file);
  if (page === null) return failed('conflict', t.tooLarge);
  const pieces: Uint8Array[] = [];
  for await (const piece of page.stream) pieces.push(piece);
  const [post, ...others] = await readTeamResults({ client }, explorer, [node, ...answers]);
  const thread = {
    post: toMessage(post ?? {}),
    replies: others.map(toMessage),
    page: decode(Buffer.concat(pieces)),
  };
  const text = Buffer.from(JSON.stringify(thread));
  return ok({ bytes: text.length, stream: toStream([text]) });
}

/** As Microsoft Graph names what a message has. */
function toMessage(row: Readonly<Record<string, unknown>>): object {
  const { author, subject, createdTime } = row;
  const at = typeof createdTime === 'string' ? parseTime(createdTime) : null;
  return {
    createdDateTime: at === null ? null : iso(at),
    subject: typeof subject === 'string' ? subject : null,
    from: { user: { displayName: typeof author === 'string' ? author : '' } },
    body: {},
  };
}

/** .NET writes web pages in UTF-8, or in UTF-16 with its mark. */
const decode = (bytes: Buffer): string =>
  new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes);
