import * as v from 'valibot';
import type { Reply } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import type { GraphClient, GraphPage } from '../graph/client.ts';
import type { GraphResult } from '../graph/request.ts';
import { done, failed } from '../../result.ts';
import type { FolderRemoval, SourceObject } from '../types.ts';
import { removeDriveFolder } from './drive-removal.ts';
import type { ReadStored } from './mail-edits.ts';
import { channelPath, getPostKey, getTeamFileKey, parseFileKey } from './team-paths.ts';
import { findChannel, readMembership } from './team-place.ts';
import { isWrittenThread, readStoredThread } from './team-post-writer.ts';
import { completeThread, isDeleted, isPost, ThreadPage } from './team-posts.ts';
import { teamMessages as t } from './team.messages.en.ts';

// For undo: removes a channel that a restore created. Its owners can restore it in Teams for 30 days.

const text = v.fallback(v.nullish(v.string()), undefined);
const Channel = v.object({
  createdDateTime: text,
  /** Of a channel that got posts of a backup, which moved the other time. */
  originalCreatedDateTime: text,
  membershipType: v.pipe(v.nullish(v.string()), v.transform(readMembership)),
});
const Folder = v.object({
  id: v.string(),
  createdDateTime: text,
  parentReference: v.object({ driveId: v.string() }),
});
const Row = v.object({
  id: v.string(),
  folder: v.fallback(v.nullish(v.looseObject({})), undefined),
  createdDateTime: text,
  lastModifiedDateTime: text,
});
const Identified = v.object({ id: v.string() });

/** A channel's files. `since`: when it was created; null: its site was created with it. */
interface ChannelFiles {
  readonly drive: string;
  readonly folder: string;
  readonly since: Ms | null;
}

/**
 * Removes a channel with the posts that the restore wrote there, unless there is anything else
 * (`conflict`). Files of a standard channel that are older than it stay in the team's site.
 * `missing`: it is gone, by somebody else or by an attempt whose response was lost.
 */
export async function removeChannel(
  client: GraphClient,
  object: SourceObject,
  id: string,
  read: ReadStored,
  { before, findRest, listWritten }: FolderRemoval,
): Reply<void> {
  const path = channelPath(object, id);
  const channel = await client.get(path, Channel, {
    headers: { prefer: 'include-unknown-enum-members' },
  });
  if (!channel.ok) {
    const rest = channel.error.kind === 'missing' ? await findRest() : null;
    const removed = rest === null ? done : await removeRest(client, object, id, rest);
    return removed.ok ? { ok: false, error: channel.error } : removed;
  }
  const { createdDateTime, originalCreatedDateTime, membershipType } = channel.value;
  const since = toSeconds(originalCreatedDateTime ?? createdDateTime) ?? 0;
  const isStandard = membershipType === 'standard';
  const folder = await client.get(`${path}/filesFolder`, Folder);
  if (!folder.ok && folder.error.kind !== 'missing') return { ok: false, error: folder.error };
  const files: ChannelFiles | null = folder.ok
    ? {
        drive: folder.value.parentReference.driveId,
        folder: folder.value.id,
        since: isStandard ? since : null,
      }
    : null;
  const tabs = await client.page(`${path}/tabs`, Identified);
  if (!tabs.ok) return { ok: false, error: tabs.error };
  if (tabs.value.rows.length > 0) return IN_USE;
  if (files !== null) {
    const putBack = await listWritten(getTeamFileKey(files.drive, ''), true);
    const used = await hasOtherFiles(client, files, new Set(putBack.map(({ key }) => key)));
    if (!used.ok) return used;
    if (used.value) return IN_USE;
  }
  const used = await hasOtherPosts(client, object, id, read, listWritten);
  if (!used.ok) return used;
  if (used.value) return IN_USE;
  // A folder that came with the channel is empty.
  const made = folder.ok ? toSeconds(folder.value.createdDateTime) : null;
  const rest =
    files !== null && isStandard && made !== null && made >= since
      ? getTeamFileKey(files.drive, files.folder)
      : null;
  await before(rest);
  const removed = await client.delete(path);
  if (!removed.ok && removed.error.kind === 'forbidden')
    return failed('forbidden', t.deleteNeedsRights);
  if (!removed.ok && removed.error.kind !== 'missing') return { ok: false, error: removed.error };
  const left = rest === null ? done : await removeRest(client, object, id, rest);
  if (!left.ok) return left;
  return removed.ok ? done : { ok: false, error: removed.error };
}

/**
 * Removes the empty folder that a channel left in the team's site. Error: it can't be removed now.
 * What others have put into it stays, as does the folder of a channel that somebody has created since.
 */
async function removeRest(
  client: GraphClient,
  object: SourceObject,
  channel: string,
  rest: string,
): Reply<void> {
  const { drive, item } = parseFileKey(rest);
  const path = `/drives/${encodeURIComponent(drive)}`;
  const folder = await client.get(`${path}/items/${encodeURIComponent(item)}`, Named);
  const other = folder.ok
    ? await findChannel(client, object, { name: folder.value.name, wellKnown: null })
    : folder;
  if (other.ok && other.value !== null && other.value.id !== channel) return done;
  const removed = other.ok ? await removeDriveFolder({ client, path }, item) : other;
  if (removed.ok) return done;
  const { error } = removed;
  const isFinal = error.kind !== 'busy' && error.kind !== 'unreachable' && error.kind !== 'refused';
  return isFinal ? done : { ok: false, error };
}
const Named = v.object({ name: v.string() });

const IN_USE = failed('conflict', t.channelInUse);

/** Times of files have whole seconds. */
function toSeconds(date: string | null | undefined): Ms | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : Math.floor(at / 1_000) * 1_000;
}

/** Whether there are files or folders that came after the channel. `putBack`: keys of files. */
async function hasOtherFiles(
  client: GraphClient,
  { drive, folder, since }: ChannelFiles,
  putBack: ReadonlySet<string>,
): Reply<boolean> {
  const isNew = (date: string | null | undefined): boolean =>
    since === null || (toSeconds(date) ?? since) >= since;
  const path = `/drives/${encodeURIComponent(drive)}`;
  const below = [since === null ? 'root' : `items/${encodeURIComponent(folder)}`];
  for (let at = below.shift(); at !== undefined; at = below.shift())
    for (let link: string | null = `${path}/${at}/children`; link !== null;) {
      const page: GraphResult<GraphPage<v.InferOutput<typeof Row>>> = await client.page(link, Row);
      if (!page.ok) return { ok: false, error: page.error };
      for (const row of page.value.rows) {
        const isFolder = row.folder != null;
        if (row.id !== folder && isNew(row.createdDateTime)) return YES;
        const isPutBack = putBack.has(getTeamFileKey(drive, row.id));
        if (!isFolder && !isPutBack && isNew(row.lastModifiedDateTime)) return YES;
        if (isFolder) below.push(`items/${encodeURIComponent(row.id)}`);
      }
      link = page.value.next;
    }
  return NO;
}
const YES = { ok: true, value: true } as const;
const NO = { ok: true, value: false } as const;

/** Whether there are posts or replies that the restore did not write, or that were edited since. */
async function hasOtherPosts(
  client: GraphClient,
  object: SourceObject,
  channel: string,
  read: ReadStored,
  listWritten: FolderRemoval['listWritten'],
): Reply<boolean> {
  const written = Map.groupBy(await listWritten(getPostKey(channel, ''), false), ({ key }) => key);
  const first = `${channelPath(object, channel)}/messages?$expand=replies&$top=50`;
  for (let link: string | null = first; link !== null;) {
    const page: GraphResult<GraphPage<v.InferOutput<typeof ThreadPage>>> = await client.page(
      link,
      ThreadPage,
    );
    if (!page.ok) return { ok: false, error: page.error };
    for (const row of page.value.rows.filter(isPost)) {
      const now = await completeThread(client, row);
      if (!now.ok) return now;
      if ([now.value.post, ...now.value.replies].every(isDeleted)) continue;
      let isOwn = false;
      for (const { item } of written.get(getPostKey(channel, row.id)) ?? []) {
        const stored = await readStoredThread(await read(item)('json'));
        if (!stored.ok) return stored;
        isOwn ||= isWrittenThread(stored.value, now.value);
      }
      if (!isOwn) return YES;
    }
    link = page.value.next;
  }
  return NO;
}
