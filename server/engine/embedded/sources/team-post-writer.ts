import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient } from '../graph/client.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { done, failed, nothing } from '../../result.ts';
import type { FoundObject, SourceObject, StoredItem, WriteInput, Written } from '../types.ts';
import { parseContent, readContent } from './content.ts';
import { channelPath, getPostKey, messagePath, parsePostKey } from './team-paths.ts';
import { listTeamOwners, type OpenChannel } from './team-place.ts';
import {
  getAuthor,
  getHostedIds,
  getMessageText,
  isDeleted,
  type Message,
  readThread,
  type Thread,
  ThreadSchema,
} from './team-posts.ts';
import { readAttachments } from './team-attachments.ts';
import { getImageType } from './team-thread.ts';

/** Times of a channel are unique. The longest that a message comes later because its time is taken. */
const MAX_SHIFT: Ms = 50;
const MAX_THREAD_BYTES = 64 * 1_048_576;

const Posted = v.looseObject({ id: v.string() });

export const readStoredThread = async (
  content: Awaited<ReturnType<WriteInput['content']>>,
): Reply<Thread> => {
  const bytes = await readContent(content, MAX_THREAD_BYTES);
  if (!bytes.ok) return bytes;
  const read = v.safeParse(ThreadSchema, parseContent(bytes.value));
  return read.success ? { ok: true, value: read.output } : failed('damaged', t.unreadable);
};

/** Where a thread of the backup is in the channel. */
interface LocatedThread {
  readonly root: string;
  readonly thread: Thread;
}

interface Wanted {
  /** The backup has only its replies. */
  readonly isRootDeleted: boolean;
  /** Messages that it isn't. */
  readonly others: readonly string[];
}

/** Lists what may be a post in a channel: the one that was backed up, then what restores wrote of it. */
async function* listLocated(
  client: GraphClient,
  object: SourceObject,
  channel: Pick<OpenChannel, 'id'>,
  { key, at, people, title }: Pick<StoredItem, 'key' | 'at' | 'people' | 'title'>,
  { isRootDeleted, others }: Wanted,
): AsyncGenerator<EngineResult<LocatedThread>, void> {
  for (let shift = 0; shift <= MAX_SHIFT; shift += 1) {
    const root = shift === 0 ? parsePostKey(key).message : String(at + shift);
    const found = await readThread(client, object, { channel: channel.id, message: root });
    if (!found.ok && found.error.kind !== 'missing') return yield found;
    if (!found.ok) {
      if (shift === 0) continue;
      return;
    }
    const { post } = found.value;
    const isOwn =
      shift === 0 ||
      (isRootDeleted
        ? getMessageText(post).endsWith(t.deletedMessage)
        : (getAuthor(post) === people && isTitle(post, title)) || isSignedBy(post, people));
    const isThere = !isDeleted(post) || (isRootDeleted && shift === 0);
    if (!others.includes(root) && isOwn && isThere)
      yield { ok: true, value: { root, thread: found.value } };
  }
}

/** Finds a post in a channel: the one that was backed up, else what a restore has written of it. */
async function locate(...input: Parameters<typeof listLocated>): Reply<LocatedThread | null> {
  for await (const located of listLocated(...input)) return located;
  return nothing;
}

/** Returns a thread of the backup as it is in its channel now; null: it is not there. */
export async function findThread(
  client: GraphClient,
  object: SourceObject,
  {
    folder,
    ...item
  }: Pick<StoredItem, 'key' | 'at' | 'people' | 'title'> & {
    readonly folder: string;
  },
): Reply<Thread | null> {
  const restored = { isRootDeleted: false, others: [] };
  const located = await locate(client, object, { id: folder }, item, restored);
  return located.ok ? { ok: true, value: located.value?.thread ?? null } : located;
}

const isTitle = (post: Message, title: string): boolean =>
  title === '' ||
  post.subject === title ||
  getMessageText(post).startsWith(title.replace(/…$/, ''));
/** A message of somebody who has left names its author. */
const isSignedBy = (post: Message, author: string): boolean =>
  author !== '' && getMessageText(post).startsWith(author);

/** Messages of the backup that the target lacks. */
const getMissing = (stored: Thread, now: Thread): readonly Message[] => {
  const live = now.replies.filter((reply) => !isDeleted(reply));
  return stored.replies.filter(
    (reply) =>
      !isDeleted(reply) && !live.some((one) => one.id === reply.id || isWrittenReply(reply, one)),
  );
};
/** Whether a reply is there with another text than in the backup. */
const hasEditedReply = (stored: Thread, now: Thread): boolean =>
  stored.replies.some((reply) => {
    const one = now.replies.find(({ id }) => id === reply.id);
    return (
      one !== undefined &&
      !isDeleted(one) &&
      !isDeleted(reply) &&
      !getMessageText(one).endsWith(getMessageText(reply))
    );
  });
/** Whether a restore wrote a message for a reply. */
const isWrittenReply = (reply: Message, now: Message): boolean =>
  getMessageText(now).endsWith(getMessageText(reply)) &&
  isNear(now.createdDateTime, reply.createdDateTime);
const isNear = (a: string | null | undefined, b: string | null | undefined): boolean =>
  Math.abs(Date.parse(a ?? '') - Date.parse(b ?? '')) <= MAX_SHIFT;

/** Whether a restore wrote all of a thread, and nobody edited it: it has nothing but a stored thread. */
export function isWrittenThread(stored: Thread, now: Thread): boolean {
  const live = [now.post, ...now.replies].filter((message) => !isDeleted(message));
  if (live.some(({ lastEditedDateTime }) => lastEditedDateTime != null)) return false;
  return live.every((message) =>
    message === now.post
      ? getMessageText(message).endsWith(
          isDeleted(stored.post) ? t.deletedMessage : getMessageText(stored.post),
        )
      : stored.replies.some((reply) => !isDeleted(reply) && isWrittenReply(reply, message)),
  );
}

/**
 * Null: the post is not there, or not all of it. `countsChanged`: one that somebody edited is there,
 * even if it lacks replies, so that a whole one is written beside it.
 */
export async function findPost(
  client: GraphClient,
  object: SourceObject,
  channel: OpenChannel,
  item: StoredItem,
  stored: Thread,
  {
    others,
    countsChanged,
  }: { readonly others: readonly string[]; readonly countsChanged: boolean },
): Reply<FoundObject | null> {
  const avoided = others.map((key) => parsePostKey(key).message);
  const isRootDeleted = isDeleted(stored.post);
  const wanted = { isRootDeleted, others: avoided };
  let first: FoundObject | null | undefined;
  for await (const located of listLocated(client, object, channel, item, wanted)) {
    if (!located.ok) return located;
    const { root, thread } = located.value;
    const isEdited =
      hasEditedReply(stored, thread) ||
      !(
        getMessageText(thread.post).endsWith(getMessageText(stored.post)) || isDeleted(stored.post)
      );
    const isWhole = getMissing(stored, thread).length === 0;
    const isSame = isWhole && !isEdited;
    const found = {
      key: getPostKey(channel.id, root),
      changeKey: thread.post.etag ?? '',
      isSame,
    };
    // Restores of other points may have written other versions of it before this one.
    if (isSame) return { ok: true, value: found };
    first ??= isWhole || (isEdited && countsChanged) ? found : null;
  }
  return { ok: true, value: first ?? null };
}

/**
 * Writes what the channel lacks of a thread, with authors and dates. A channel takes such messages
 * only in migration mode, which ends with the thread.
 */
export async function writePost(
  client: GraphClient,
  object: SourceObject,
  channel: OpenChannel,
  item: StoredItem,
  input: WriteInput,
): Reply<Written> {
  if (input.replaces !== null) return failed('unsupported', t.postNotReplaceable);
  const stored = await readStoredThread(await input.content('json'));
  if (!stored.ok) return stored;
  const isRootDeleted = isDeleted(stored.value.post);
  const located = input.keepBoth
    ? nothing
    : await locate(client, object, channel, item, { isRootDeleted, others: [] });
  if (!located.ok) return located;
  const started = await startMigration(client, object, channel, stored.value);
  if (!started.ok) return started;
  const written = await writeThread(client, object, channel, stored.value, located.value, input);
  const ended = await endMigration(client, object, channel);
  if (!written.ok) return written;
  return ended.ok ? written : ended;
}

async function startMigration(
  client: GraphClient,
  object: SourceObject,
  channel: OpenChannel,
  { post, replies }: Thread,
): Reply<void> {
  const first = Math.min(...[post, ...replies].map(getCreatedAt));
  const created = Date.parse(channel.createdDateTime ?? '');
  const isOlder = Number.isNaN(created) || created >= first;
  const started = await client.post(
    `${channelPath(object, channel.id)}/startMigration`,
    isOlder ? { conversationCreationDateTime: new Date(first - 1_000).toISOString() } : {},
    v.unknown(),
    { isRepeatable: true },
  );
  // A restore that broke off has started it.
  return started.ok || started.error.kind === 'invalid'
    ? done
    : { ok: false, error: started.error };
}

/** Lets people write in a channel again. */
export async function endMigration(
  client: GraphClient,
  object: SourceObject,
  channel: Pick<OpenChannel, 'id'>,
): Reply<void> {
  const ended = await client.post(
    `${channelPath(object, channel.id)}/completeMigration`,
    {},
    v.unknown(),
    { isRepeatable: true },
  );
  return ended.ok || ended.error.kind === 'invalid' ? done : { ok: false, error: ended.error };
}

const getCreatedAt = ({ createdDateTime, id }: Message): Ms => {
  const at = Date.parse(createdDateTime ?? '');
  return Number.isNaN(at) ? Number(id) : at;
};

async function writeThread(
  client: GraphClient,
  object: SourceObject,
  channel: OpenChannel,
  stored: Thread,
  located: LocatedThread | null,
  input: WriteInput,
): Reply<Written> {
  let root = located?.root ?? null;
  let changeKey = located?.thread.post.etag ?? '';
  if (root === null) {
    const posted = await post(
      client,
      object,
      `${channelPath(object, channel.id)}/messages`,
      stored.post,
      input,
    );
    if (!posted.ok) return posted;
    root = posted.value.id;
    const { etag } = posted.value;
    changeKey = typeof etag === 'string' ? etag : '';
  }
  const missing =
    located === null
      ? stored.replies.filter((reply) => !isDeleted(reply))
      : getMissing(stored, located.thread);
  for (const reply of missing) {
    const path = `${messagePath(object, channel.id, root)}/replies`;
    const posted = await post(client, object, path, reply, input);
    if (!posted.ok) return posted;
  }
  return { ok: true, value: { key: getPostKey(channel.id, root), changeKey } };
}

async function post(
  client: GraphClient,
  object: SourceObject,
  path: string,
  message: Message,
  input: WriteInput,
): Reply<v.InferOutput<typeof Posted>> {
  const body = await getBody(message, input);
  if (!body.ok) return body;
  let author = message.from?.user?.id ?? null;
  let isSigned = false;
  for (let shift = 0; shift <= MAX_SHIFT;) {
    if (author === null) {
      const owners = await listTeamOwners(client, object);
      if (!owners.ok) return owners;
      author = owners.value[0] ?? null;
      if (author === null) return failed('invalid', t.noOwner);
      isSigned = true;
    }
    const sent: EngineResult<v.InferOutput<typeof Posted>> = await client.post(
      path,
      {
        createdDateTime: new Date(getCreatedAt(message) + shift).toISOString(),
        from: { user: { id: author, userIdentityType: 'aadUser' } },
        ...(message.subject != null && { subject: message.subject }),
        ...(body.value.attachments && { attachments: body.value.attachments }),
        ...(body.value.hostedContents && { hostedContents: body.value.hostedContents }),
        body: {
          contentType: 'html',
          content: `${isSigned ? sign(message) : ''}${body.value.body}`,
        },
      },
      Posted,
    );
    if (sent.ok) return sent;
    if (sent.error.kind === 'conflict') shift += 1;
    // The author has left the tenant: somebody else posts it, with the author's name.
    else if (sent.error.kind === 'invalid' && !isSigned) author = null;
    else return sent;
  }
  return failed('conflict', t.conflict);
}

const sign = (message: Message): string =>
  `<p><strong>${escaped(getAuthor(message))}</strong> ${escaped(message.createdDateTime ?? '')}</p>`;

interface PostBody {
  readonly body: string;
  readonly attachments?: readonly object[];
  readonly hostedContents?: readonly object[];
}

/** The text of a message with its pictures, and links to the files that it names. */
async function getBody(message: Message, input: WriteInput): Reply<PostBody> {
  const { content, contentType } = message.body;
  let html = contentType === 'html' ? (content ?? '') : `<p>${escaped(content ?? '')}</p>`;
  if (isDeleted(message)) html = `<p><em>${escaped(t.deletedMessage)}</em></p>`;
  const hostedContents: object[] = [];
  for (const id of getHostedIds(message)) {
    const stored = await input.content('hosted', id);
    const bytes = stored.ok ? await readContent(stored, MAX_THREAD_BYTES) : stored;
    if (!bytes.ok && bytes.error.kind !== 'missing') return bytes;
    const type = bytes.ok ? getImageType(bytes.value) : null;
    if (!bytes.ok || type === null) continue;
    const n = String(hostedContents.length + 1);
    hostedContents.push({
      '@microsoft.graph.temporaryId': n,
      'contentBytes': Buffer.from(bytes.value).toString('base64'),
      'contentType': type,
    });
    html = html.replaceAll(
      new RegExp(`[^"'\\s]*hostedContents/${escapePattern(id)}/\\$value`, 'g'),
      () => `../hostedContents/${n}/$value`,
    );
  }
  // Links to files are imported. Mentions and other attachments name objects that are not.
  const attachments = isDeleted(message)
    ? []
    : readAttachments(message).flatMap(({ id, kind, name, url }) =>
        kind === 'file' && id !== null && url !== null
          ? [{ id, contentType: 'reference', contentUrl: url, name }]
          : [],
      );
  html = html
    .replaceAll(/<attachment\b([^>]*)>[^<]*<\/attachment>/gi, (mark, attributes: string) =>
      attachments.some(({ id }) => attributes.includes(`"${id}"`)) ? mark : '',
    )
    .replaceAll(/<at\b[^>]*>|<\/at>/gi, '');
  return {
    ok: true,
    value: {
      body: html,
      ...(attachments.length > 0 && { attachments }),
      ...(hostedContents.length > 0 && { hostedContents }),
    },
  };
}

const escapePattern = (plain: string): string =>
  plain.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (plain: string): string => plain.replace(/[&<>]/g, (one) => SIGNS[one] ?? '');
