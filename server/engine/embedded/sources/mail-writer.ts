import * as v from 'valibot';
import type { EngineError, EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphPorts, GraphResult } from '../graph/request.ts';
import { SMALL_FRAGMENT_BYTES, upload } from '../graph/upload.ts';
import type {
  BeforeRemoval,
  FolderRecorder,
  Place,
  SourceCall,
  SourceObject,
  StoredItem,
  WriteInput,
  Writer,
  Written,
} from '../types.ts';
import { readContent } from './content.ts';
import { MailboxIds } from './mail-export.ts';
import { mailboxClient, userPath } from './mailbox-client.ts';
import { importMail } from './mail-import.ts';
import { MAX_MIME_BYTES } from './mail.ts';
import type { ReadStored } from './mail-edits.ts';
import { readFolderPath } from './mail-folder-path.ts';
import { describeMove, isInPlace } from './moved-folder.ts';
import { attachmentJson, getMessage } from './mail-message.ts';
import type { NewAttachment } from './mail-message.ts';
import {
  findMessage,
  findSame,
  folderPath,
  listCopies,
  mailPath,
  IMMUTABLE_IDS,
  quoted,
} from './mail-search.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { done, failed, nothing } from '../../result.ts';

/** Larger attachments are uploaded in a session of their own. */
const MAX_ATTACHMENT_BYTES: Bytes = 2_900_000;

/**
 * Writes mails back: by their full-fidelity stream if there is one and the target permits it, else
 * through Graph's messages. Ids are remembered while the writer lives. Without `read`, a text that
 * was changed is not found.
 */
export function mailWriter(ports: GraphPorts, read: ReadStored | null = null): Writer {
  const folders = new Map<string, string>();
  const ids = new MailboxIds();
  const open = (object: SourceObject, call: SourceCall): Mailbox => ({
    user: userPath(object),
    folders,
    ids,
    object,
    read,
    client: mailboxClient(ports, object, call),
  });
  const find: Writer['find'] = async (place, item, call) => {
    const mailbox = open(place.object, call);
    const folder = await findFolder(mailbox, place);
    if (!folder.ok) return folder;
    return folder.value === null ? nothing : findMessage(mailbox, folder.value, item);
  };
  return {
    find,
    async findCopy(place, item, others, call) {
      const mailbox = open(place.object, call);
      const folder = await findFolder(mailbox, place);
      if (!folder.ok || folder.value === null) return folder.ok ? nothing : folder;
      const copies = await listCopies(mailbox, folder.value, item);
      if (!copies.ok) return copies;
      const free = copies.value.filter(({ id }) => !others.includes(id));
      return findSame(mailbox, free, item);
    },
    findFolder: (place, call) => findFolder(open(place.object, call), place),
    describePlace: (place, folder, call) => describeFolder(open(place.object, call), place, folder),
    ensureFolder: (place, call, recorder) =>
      ensureFolder(open(place.object, call), place, recorder),
    async write(place, item, input, call) {
      const { replaces } = input;
      const mailbox = open(place.object, call);
      const folder = await ensureFolder(mailbox, place);
      if (!folder.ok) return folder;
      if (replaces !== null) {
        const unchanged = await checkUnchanged(mailbox, replaces);
        if (!unchanged.ok) return unchanged;
      }
      const creation = { folder: folder.value.key, item, input };
      const imported = await writeStream(mailbox, creation);
      if (!imported.ok) return imported;
      const written =
        imported.value === null
          ? await writeMessage(mailbox, creation)
          : { ok: true as const, value: imported.value };
      if (!written.ok || replaces === null) return written;
      const replaced = await remove(mailbox, replaces);
      if (replaced.ok || replaced.error.kind === 'missing') return written;
      await takeBack(mailbox, written.value);
      return replaced;
    },
    remove: (object, written, call, before) => remove(open(object, call), written, before),
    removeFolder: (object, key, call) => removeFolder(open(object, call), key),
  };
}

interface Mailbox {
  readonly user: string;
  readonly object: SourceObject;
  readonly client: GraphClient;
  readonly folders: Map<string, string>;
  readonly ids: MailboxIds;
  readonly read: ReadStored | null;
}

// ---- folders

async function findFolder(mailbox: Mailbox, { path }: Place): Reply<string | null> {
  let parent = 'msgfolderroot';
  for (let depth = 1; depth <= path.length; depth += 1) {
    const found = await findChild(mailbox, parent, path.slice(0, depth));
    if (!found.ok || found.value === null) return found;
    parent = found.value;
  }
  return { ok: true, value: parent };
}

/** Folders that are in their place are known, and cost no request. */
async function describeFolder(mailbox: Mailbox, place: Place, key: string): Reply<string | null> {
  const other = await findFolder(mailbox, place);
  if (!other.ok) return other;
  if (other.value === key) return nothing;
  const now = await readFolderPath(mailbox, key, IMMUTABLE_IDS);
  if (!now.ok || now.value === null || isInPlace(now.value, place.path))
    return now.ok ? nothing : now;
  return { ok: true, value: describeMove(now.value, place.path, other.value !== null) };
}

async function ensureFolder(
  mailbox: Mailbox,
  { path }: Place,
  recorder?: FolderRecorder,
): Reply<{ key: string; created: readonly string[] }> {
  const created: string[] = [];
  let parent = 'msgfolderroot';
  for (let depth = 1; depth <= path.length; depth += 1) {
    const part = path.slice(0, depth);
    const found = await findChild(mailbox, parent, part);
    if (!found.ok) return found;
    if (found.value !== null) {
      parent = found.value;
      continue;
    }
    const displayName = part.at(-1)?.name ?? '';
    await recorder?.before(part);
    const added = await mailbox.client.post(
      `${folderPath(mailbox, parent)}/childFolders`,
      { displayName },
      Identified,
      { headers: IMMUTABLE_IDS },
    );
    // Somebody else, or the request whose response was lost, has made it meanwhile.
    const other = added.ok ? nothing : await findChild(mailbox, parent, part);
    if (!added.ok && (!other.ok || other.value === null)) return { ok: false, error: added.error };
    parent = added.ok ? added.value.id : (other.ok && other.value) || '';
    mailbox.folders.set(cacheKey(mailbox, part), parent);
    const isOwn = added.ok || added.error.kind !== 'conflict';
    if (isOwn) created.push(parent);
    await recorder?.after(part, isOwn ? parent : null);
  }
  return { ok: true, value: { key: parent, created } };
}

const cacheKey = ({ object }: Mailbox, path: Place['path']): string =>
  JSON.stringify([object.id, ...path.map(({ name, wellKnown }) => wellKnown ?? `/${name}`)]);

/** Returns the folder that the last part of the path names; null if there is none. */
async function findChild(
  mailbox: Mailbox,
  parent: string,
  path: Place['path'],
): Reply<string | null> {
  const { client, folders } = mailbox;
  const key = cacheKey(mailbox, path);
  const known = folders.get(key);
  if (known !== undefined) return { ok: true, value: known };
  const last = path.at(-1);
  const found: EngineResult<string | null> =
    last?.wellKnown == null
      ? nothing
      : await nullIfMissing(
          client.get(`${folderPath(mailbox, last.wellKnown)}?$select=id`, Identified, {
            headers: IMMUTABLE_IDS,
          }),
        );
  if (!found.ok) return found;
  const byName: EngineResult<string | null> =
    found.value === null && last !== undefined
      ? await findByName(mailbox, parent, last.name)
      : found;
  if (byName.ok && byName.value !== null) folders.set(key, byName.value);
  return byName;
}

async function findByName(mailbox: Mailbox, parent: string, name: string): Reply<string | null> {
  const path = `${folderPath(mailbox, parent)}/childFolders?$filter=displayName eq ${quoted(name)}&$select=id,displayName`;
  const page = await mailbox.client.page(path, Identified, { headers: IMMUTABLE_IDS });
  if (!page.ok) return page.error.kind === 'missing' ? nothing : { ok: false, error: page.error };
  return { ok: true, value: page.value.rows[0]?.id ?? null };
}

async function nullIfMissing(
  result: Promise<GraphResult<{ readonly id: string }>>,
): Reply<string | null> {
  const found = await result;
  if (found.ok) return { ok: true, value: found.value.id };
  return found.error.kind === 'missing' ? nothing : { ok: false, error: found.error };
}

async function removeFolder(mailbox: Mailbox, key: string): Reply<void> {
  const { client } = mailbox;
  const path = folderPath(mailbox, key);
  const folder = await client.get(`${path}?$select=id,totalItemCount,childFolderCount`, Counted, {
    headers: IMMUTABLE_IDS,
  });
  if (!folder.ok)
    return folder.error.kind === 'missing' ? done : { ok: false, error: folder.error };
  const { totalItemCount, childFolderCount } = folder.value;
  if (totalItemCount + childFolderCount > 0) return failed('conflict', t.folderInUse);
  for (const [name, id] of mailbox.folders) if (id === key) mailbox.folders.delete(name);
  const deleted = await client.delete(path, { headers: IMMUTABLE_IDS });
  return deleted.ok ? done : { ok: false, error: deleted.error };
}

// ---- messages

interface Creation {
  readonly folder: string;
  readonly item: StoredItem;
  readonly input: WriteInput;
}

/** Imports the mail's full-fidelity stream. Null: there is none, or the target takes none. */
async function writeStream(
  mailbox: Mailbox,
  { folder, item, input }: Creation,
): Reply<Written | null> {
  const { client, user, ids } = mailbox;
  if (!item.parts.some((part) => part.as === 'fts')) return nothing;
  const id = await ids.find(client, user);
  if (id === null) return nothing;
  const stream = await readContent(await input.content('fts'), MAX_MIME_BYTES);
  if (!stream.ok) return stream;
  const imported = await importMail(client, id, folder, stream.value);
  if (!imported.ok) {
    // A stream that the target can't read: the mail itself remains.
    if (imported.error.kind === 'invalid' || imported.error.kind === 'damaged') return nothing;
    return findLost(mailbox, { folder, item, input }, imported.error);
  }
  if (imported.value === null) {
    ids.deny(client, user);
    return nothing;
  }
  const path = mailPath(mailbox, imported.value);
  const isUnread = input.flags.markRestoredAsUnread && item.flags.read === true;
  const made = isUnread
    ? await client.patch(path, { isRead: false }, WrittenRow, { headers: IMMUTABLE_IDS })
    : await client.get(`${path}?$select=id,changeKey`, WrittenRow, { headers: IMMUTABLE_IDS });
  return made.ok ? { ok: true, value: toWritten(made.value) } : { ok: false, error: made.error };
}

/** Makes a message of the mail's MIME. */
async function writeMessage(mailbox: Mailbox, creation: Creation): Reply<Written> {
  const { folder, item, input } = creation;
  const mime = await readContent(await input.content('mime'), MAX_MIME_BYTES);
  if (!mime.ok) return mime;
  const made = await getMessage(mime.value, item, input.flags);
  if (!made.ok) return made;
  const path = `${folderPath(mailbox, folder)}/messages`;
  const { message, later } = made.value;
  const sent = await mailbox.client.post(path, message, WrittenRow, { headers: IMMUTABLE_IDS });
  const created = sent.ok
    ? { ok: true as const, value: toWritten(sent.value) }
    : await findLost(mailbox, creation, sent.error);
  if (!created.ok) return created;
  const complete = await addAttachments(mailbox, created.value, later);
  if (!complete.ok) await takeBack(mailbox, created.value);
  return complete;
}

/** Removes a mail that is incomplete, or that could not replace the other one. */
async function takeBack(mailbox: Mailbox, { key }: Written): Promise<void> {
  await mailbox.client.delete(mailPath(mailbox, key), { headers: IMMUTABLE_IDS });
}

/**
 * Returns the mail that was created although the response was lost, else the error. A copy beside
 * another mail can't be told apart.
 */
async function findLost(
  mailbox: Mailbox,
  { folder, item, input: { replaces, keepBoth } }: Creation,
  error: EngineError,
): Reply<Written> {
  if (error.kind === 'missing') mailbox.folders.clear();
  const isUnknown = error.kind === 'unreachable' || error.kind === 'internal';
  if (!isUnknown || keepBoth || item.otherVersions) return { ok: false, error };
  const copies = await listCopies(mailbox, folder, item);
  if (!copies.ok) return copies;
  const made = copies.value.find(({ id }) => id !== replaces?.key && id !== item.key);
  return made ? { ok: true, value: toWritten(made) } : { ok: false, error };
}

async function addAttachments(
  mailbox: Mailbox,
  written: Written,
  files: readonly NewAttachment[],
): Reply<Written> {
  const path = mailPath(mailbox, written.key);
  for (const file of files) {
    const added =
      file.bytes.byteLength <= MAX_ATTACHMENT_BYTES
        ? await mailbox.client.post(`${path}/attachments`, attachmentJson(file), Anything, {
            headers: IMMUTABLE_IDS,
          })
        : await uploadAttachment(mailbox, path, file);
    if (!added.ok) return { ok: false, error: added.error };
  }
  if (files.length === 0) return { ok: true, value: written };
  const now = await mailbox.client.get(`${path}?$select=id,changeKey`, WrittenRow, {
    headers: IMMUTABLE_IDS,
  });
  return now.ok ? { ok: true, value: toWritten(now.value) } : { ok: false, error: now.error };
}

async function uploadAttachment(
  { client }: Mailbox,
  path: string,
  { name, contentType, isInline, contentId, bytes }: NewAttachment,
): Promise<GraphResult<unknown>> {
  const session = await client.post(
    `${path}/attachments/createUploadSession`,
    {
      AttachmentItem: {
        attachmentType: 'file',
        name,
        contentType,
        size: bytes.byteLength,
        isInline,
        ...(contentId === null ? {} : { contentId }),
      },
    },
    v.object({ uploadUrl: v.string() }),
    { headers: IMMUTABLE_IDS, isRepeatable: true },
  );
  if (!session.ok) return session;
  const { uploadUrl } = session.value;
  return upload(
    client.ports,
    client.scope,
    {
      uploadUrl,
      bytes: bytes.byteLength,
      content: splitPieces(bytes),
      fragmentBytes: SMALL_FRAGMENT_BYTES,
    },
    Anything,
  );
}

async function* splitPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** An error `conflict` if the message is not in the state in which it was found or written. */
async function checkUnchanged(mailbox: Mailbox, state: Written): Reply<'unchanged' | 'gone'> {
  const path = `${mailPath(mailbox, state.key)}?$select=id,changeKey,parentFolderId`;
  const now = await mailbox.client.get(path, PlacedRow, { headers: IMMUTABLE_IDS });
  if (!now.ok)
    return now.error.kind === 'missing'
      ? { ok: true, value: 'gone' }
      : { ok: false, error: now.error };
  if (now.value.changeKey === state.changeKey) return { ok: true, value: 'unchanged' };
  const deletions = await findChild(mailbox, 'msgfolderroot', [DELETIONS]);
  if (!deletions.ok && deletions.error.kind !== 'forbidden') return deletions;
  return deletions.ok && deletions.value === now.value.parentFolderId
    ? { ok: true, value: 'gone' }
    : failed('conflict', t.conflict);
}

/** Where Graph moves what is deleted. Nobody sees it there, but it still has its immutable id. */
const DELETIONS = { name: 'recoverableitemsdeletions', wellKnown: 'recoverableitemsdeletions' };

async function remove(mailbox: Mailbox, state: Written, before?: BeforeRemoval): Reply<void> {
  const now = await checkUnchanged(mailbox, state);
  if (!now.ok) return now;
  if (now.value === 'gone') return failed('missing', t.missing);
  await before?.();
  const deleted = await mailbox.client.delete(mailPath(mailbox, state.key), {
    headers: { ...IMMUTABLE_IDS, 'if-match': `W/"${state.changeKey}"` },
  });
  if (deleted.ok) return done;
  if (deleted.error.kind !== 'conflict') return { ok: false, error: deleted.error };
  // The response to the first of two requests may be lost: it has moved the message.
  const left = await checkUnchanged(mailbox, state);
  if (!left.ok) return left;
  return left.value === 'gone' ? done : { ok: false, error: deleted.error };
}

const Anything = v.unknown();
const Identified = v.object({ id: v.string() });
const Counted = v.object({ totalItemCount: v.number(), childFolderCount: v.number() });
const WrittenRow = v.object({ id: v.string(), changeKey: v.string() });
const PlacedRow = v.object({ ...WrittenRow.entries, parentFolderId: v.nullish(v.string()) });
const toWritten = ({ id, changeKey }: { id: string; changeKey: string }): Written => ({
  key: id,
  changeKey,
});
