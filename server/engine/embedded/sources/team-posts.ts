import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import type { ChangePage, FetchedItem, FetchedPart, ItemChange, SourceObject } from '../types.ts';
import { readDelta } from './delta.ts';
import type { ReadContents } from './team-listing.ts';
import {
  channelPath,
  getPostKey,
  messagePath,
  parsePostKey,
  type PostPlace,
} from './team-paths.ts';
import { threadPage, getPlainText } from './team-thread.ts';

/** Graph's limit of messages in a page. */
const PAGE_SIZE = 50;
/** The largest picture of a post. */
const MAX_HOSTED_BYTES: Bytes = 64 * 1_048_576;
const MAX_TITLE_CHARS = 120;

const text = v.fallback(v.nullish(v.string()), undefined);
const Author = v.fallback(
  v.nullish(
    v.looseObject({
      user: v.nullish(v.looseObject({ id: text, displayName: text })),
      application: v.nullish(v.looseObject({ displayName: text })),
    }),
  ),
  undefined,
);
const Message = v.looseObject({
  id: v.string(),
  etag: text,
  messageType: text,
  createdDateTime: text,
  lastModifiedDateTime: text,
  lastEditedDateTime: text,
  deletedDateTime: text,
  subject: text,
  from: Author,
  body: v.fallback(v.object({ contentType: text, content: text }), {}),
});
export type Message = v.InferOutput<typeof Message>;
/** A post as pages list it, with its first replies. */
export const ThreadPage = v.looseObject({
  ...Message.entries,
  'replies': v.optional(v.array(Message), []),
  'replies@odata.nextLink': v.optional(v.string()),
});
type Root = v.InferOutput<typeof ThreadPage>;

/** A post with its replies, the oldest first, as the backup has it. */
export const ThreadSchema = v.object({ post: Message, replies: v.array(Message) });
export type Thread = v.InferOutput<typeof ThreadSchema>;

/**
 * Where the posts of a channel go on: first what delta queries return, then the posts that are older
 * than these reach. `older` null: they are listed.
 */
const PostCursor = v.object({ delta: v.string(), older: v.nullable(v.string()) });

function parseCursor(cursor: string | undefined): v.InferOutput<typeof PostCursor> | null {
  if (cursor === undefined) return null;
  const read = v.safeParse(PostCursor, JSON.parse(cursor));
  return read.success ? read.output : null;
}

/** Lists the threads of a channel that changed since the cursor. */
export async function* readPosts(
  client: GraphClient,
  object: SourceObject,
  { channel, cursor }: { readonly channel: string; readonly cursor: string | undefined },
  contents: ReadContents,
): AsyncGenerator<EngineResult<ChangePage>, void> {
  const last = parseCursor(cursor);
  const messages = `${channelPath(object, channel)}/messages`;
  const start = `${messages}?$expand=replies&$top=${PAGE_SIZE}`;
  let older = last === null ? start : last.older;
  let delta = last?.delta ?? null;
  for await (const page of readDelta(client, {
    start: `${messages}/delta?$expand=replies&$top=${PAGE_SIZE}`,
    cursor: last?.delta,
    row: ThreadPage,
    headers: {},
    restartsAtStart: true,
  })) {
    // The channel was removed after it was listed: the next listing says so.
    if (!page.ok && page.error.kind === 'missing') return;
    if (!page.ok) return yield page;
    const { rows, restart, isComplete } = page.value;
    if (restart) older = start;
    delta = page.value.cursor;
    const changes = await toChanges(client, channel, rows, contents);
    if (!changes.ok) return yield changes;
    yield toPage(channel, changes.value, {
      restart,
      cursor: JSON.stringify({ delta, older }),
      isComplete: isComplete && older === null,
    });
  }
  if (delta === null) return;
  while (older !== null) {
    const page: GraphResult<GraphPage<Root>> = await client.page(older, ThreadPage);
    if (!page.ok && page.error.kind === 'missing') return;
    if (!page.ok && page.error.kind === 'ended' && older !== start) {
      older = start;
      continue;
    }
    if (!page.ok) return yield { ok: false, error: page.error };
    const changes = await toChanges(client, channel, page.value.rows, contents);
    if (!changes.ok) return yield changes;
    older = page.value.next;
    yield toPage(channel, changes.value, {
      restart: false,
      cursor: JSON.stringify({ delta, older }),
      isComplete: older === null,
    });
  }
}

interface Changes {
  readonly items: readonly ItemChange[];
  readonly removed: readonly string[];
}

const toPage = (
  scope: string,
  { items, removed }: Changes,
  state: Pick<ChangePage, 'restart' | 'cursor' | 'isComplete'>,
): EngineResult<ChangePage> => ({
  ok: true,
  value: { scope, folders: [], items, removed, ...state },
});

/** The last state of each thread of a page. */
async function toChanges(
  client: GraphClient,
  channel: string,
  rows: readonly Root[],
  contents: ReadContents,
): Promise<EngineResult<Changes>> {
  const items = new Map<string, ItemChange>();
  const removed = new Set<string>();
  for (const row of rows) {
    if (!isPost(row)) continue;
    const thread = await completeThread(client, row);
    if (!thread.ok) return thread;
    const key = getPostKey(channel, row.id);
    items.delete(key);
    removed.delete(key);
    if ([thread.value.post, ...thread.value.replies].every(isDeleted)) {
      removed.add(key);
      continue;
    }
    const item = getPostItem(thread.value, channel);
    contents.set(item, thread.value);
    items.set(key, item);
  }
  return { ok: true, value: { items: [...items.values()], removed: [...removed] } };
}

/** Not what Teams itself notes in a channel. */
export const isPost = ({ messageType }: Message): boolean =>
  messageType == null || messageType === 'message';

export const isDeleted = ({ deletedDateTime }: Message): boolean => deletedDateTime != null;

/** Reads the replies that the page of a post has no room for. */
export async function completeThread(
  client: GraphClient,
  row: Root,
): Promise<EngineResult<Thread>> {
  const { 'replies': first, 'replies@odata.nextLink': more, ...rest } = row;
  const post = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !name.includes('@odata.')),
  ) as Message;
  const replies = new Map(first.map((reply) => [reply.id, reply]));
  for (let link = more ?? null; link !== null;) {
    const page: GraphResult<GraphPage<Message>> = await client.page(link, Message);
    if (!page.ok) return { ok: false, error: page.error };
    for (const reply of page.value.rows) replies.set(reply.id, reply);
    link = page.value.next;
  }
  const byTime = (a: Message, b: Message): number =>
    (a.createdDateTime ?? '') < (b.createdDateTime ?? '') ? -1 : 1;
  return { ok: true, value: { post, replies: [...replies.values()].sort(byTime) } };
}

/** What the index has of a post. `hash`: names the texts that are there. */
export function getPostItem({ post, replies }: Thread, folder: string): ItemChange {
  const live = [post, ...replies].filter((message) => !isDeleted(message));
  const changedAt = Math.max(...[post, ...replies].map(getChangedAt));
  const state = [post, ...replies].map(({ id, etag, lastModifiedDateTime, deletedDateTime }) => [
    id,
    etag,
    lastModifiedDateTime,
    deletedDateTime,
  ]);
  const shown = isDeleted(post) ? (live[0] ?? post) : post;
  return {
    key: getPostKey(folder, post.id),
    changeKey: createHash('sha256').update(JSON.stringify(state)).digest('base64url'),
    folder,
    kind: 'post',
    title: getTitle(shown),
    people: getAuthor(shown),
    at: getTime(post.createdDateTime) ?? changedAt,
    changedAt,
    bytes: Buffer.byteLength(JSON.stringify({ post, replies })),
    flags: {
      replies: replies.filter((reply) => !isDeleted(reply)).length,
      hash: hashTexts(live),
    },
  };
}

/** Ids and the form of a text change when a post is written again: they don't count. */
const hashTexts = (messages: readonly Message[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(messages.map((message) => [message.subject ?? '', getMessageText(message)])),
    )
    .digest('base64url')
    .slice(0, 22);

export const getMessageText = ({ body }: Pick<Message, 'body'>): string =>
  getPlainText(body.content ?? '', body.contentType ?? 'text')
    .replaceAll(/\s+/g, ' ')
    .trim();

const getChangedAt = (message: Message): Ms =>
  getTime(message.deletedDateTime) ??
  getTime(message.lastModifiedDateTime) ??
  getTime(message.createdDateTime) ??
  0;

export const getAuthor = ({ from }: Message): string =>
  from?.user?.displayName ?? from?.application?.displayName ?? '';

/** The subject of a post, or how its text begins. */
export function getTitle({ subject, body }: Message): string {
  if (subject != null && subject.trim() !== '') return subject;
  const plain = getMessageText({ body });
  return plain.length > MAX_TITLE_CHARS
    ? `${plain.slice(0, MAX_TITLE_CHARS - 1).toWellFormed()}…`
    : plain;
}

function getTime(date: string | null | undefined): Ms | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
}

/** Reads posts with their replies and the pictures in them. */
export async function* fetchPosts(
  client: GraphClient,
  object: SourceObject,
  items: readonly ItemChange[],
  { contents, zone }: { readonly contents: ReadContents; readonly zone: string | undefined },
): AsyncGenerator<FetchedItem, void> {
  for (const item of items) {
    const known = contents.get(item) as Thread | undefined;
    const thread: EngineResult<Thread> =
      known === undefined
        ? await readThread(client, object, parsePostKey(item.key))
        : { ok: true, value: known };
    yield thread.ok
      ? await fetchPost(client, object, item, { thread: thread.value, zone })
      : { item, ok: false, error: thread.error };
  }
}

export async function readThread(
  client: GraphClient,
  object: SourceObject,
  { channel, message }: PostPlace,
): Promise<EngineResult<Thread>> {
  const row = await client.get(
    `${messagePath(object, channel, message)}?$expand=replies`,
    ThreadPage,
  );
  return row.ok ? completeThread(client, row.value) : { ok: false, error: row.error };
}

async function fetchPost(
  client: GraphClient,
  object: SourceObject,
  item: ItemChange,
  { thread, zone }: { readonly thread: Thread; readonly zone: string | undefined },
): Promise<FetchedItem> {
  const pictures: FetchedPart[] = [];
  for (const { path, id } of findHosted(object, item.folder, thread)) {
    const content = await client.bytes(path, MAX_HOSTED_BYTES);
    if (content.ok) pictures.push({ as: 'hosted', name: id, content: content.value });
    // A picture may be gone although its post is there.
    else if (content.error.kind !== 'missing') return { item, ok: false, error: content.error };
  }
  const json = Buffer.from(JSON.stringify(thread));
  const page = Buffer.from(threadPage(thread, pictures, zone));
  return {
    item,
    ok: true,
    parts: [{ as: 'json', content: json }, { as: 'html', content: page }, ...pictures],
  };
}

/** The pictures that the texts of a thread show. */
function findHosted(
  object: SourceObject,
  channel: string,
  { post, replies }: Thread,
): readonly { readonly id: string; readonly path: string }[] {
  const found = new Map<string, string>();
  for (const message of [post, ...replies]) {
    const base =
      message === post
        ? messagePath(object, channel, post.id)
        : `${messagePath(object, channel, post.id)}/replies/${encodeURIComponent(message.id)}`;
    for (const id of getHostedIds(message))
      found.set(id, `${base}/hostedContents/${encodeURIComponent(id)}/$value`);
  }
  return [...found].map(([id, path]) => ({ id, path }));
}

const HOSTED = /hostedContents\/([^/"'\s\\]+)\/\$value/g;
export const getHostedIds = (message: Message): readonly string[] => [
  ...new Set(
    [...JSON.stringify([message.body, message['attachments']]).matchAll(HOSTED)].map(
      ([, id = '']) => id,
    ),
  ),
];
