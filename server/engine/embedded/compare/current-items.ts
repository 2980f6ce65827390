import * as v from 'valibot';
import type { Content, ContentInput, EngineResult } from '#contract/engine/engine.ts';
import { failed, ok } from '../../result.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';
import { readBatch } from '../graph/batch.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphPorts } from '../graph/request.ts';
import { driveClient, drivePath, fetchFiles, findTop, readDriveFiles } from '../sources/drive.ts';
import { readMails, readMimeContent } from '../sources/mail.ts';
import { mailboxClient, userPath } from '../sources/mailbox-client.ts';
import { parseFolderKey, parseItemKey } from '../sources/outlook/keys.ts';
import { encode, PREFER, readOutlookItem } from '../sources/outlook/read-item.ts';
import { readOutlookItems } from '../sources/outlook/read-items.ts';
import { mailboxWriter } from '../sources/outlook/writer.ts';
import { readCurrentPost, readCurrentPosts } from './current-posts.ts';
import { readCurrentRow, readCurrentRows } from './current-rows.ts';
import { parseSitePartKey } from '../sources/site-parts.ts';
import { getTeamFileKey, parseFileKey } from '../sources/team-paths.ts';
import {
  SCOPE_MARK,
  type ItemChange,
  type PathPart,
  type SourceCall,
  type SourceObject,
} from '../types.ts';

/** What of a backed-up item is needed to find it in Microsoft 365. */
export interface KnownItem extends ItemChange {
  readonly n: number;
  /** Its folder. */
  readonly path: readonly PathPart[];
}
/** An item as it is now; null: Microsoft 365 no longer has it. */
export type CurrentItem = ItemChange | null;

/**
 * Reads items of an object as they are now, in their order, twenty in a request. What a restore has
 * created again has another key: it is found as restores find it.
 */
export async function readCurrentItems(
  ports: GraphPorts,
  object: SourceObject,
  items: readonly KnownItem[],
  call: SourceCall,
): Promise<EngineResult<readonly CurrentItem[]>> {
  if (object.kind !== 'mailbox') return readCurrentOthers(ports, object, items, call);
  const client = mailboxClient(ports, object, call);
  const user = userPath(object);
  const mails = items.filter(({ key }) => parseItemKey(key) === null);
  const others = items.filter(({ key }) => parseItemKey(key) !== null);
  const read = await readMails(client, user, mails);
  if (!read.ok) return read;
  const present = await leaveOutRecoverable(client, user, mails, read.value);
  if (!present.ok) return present;
  const outlook = await readOutlookItems(client, user, others);
  if (!outlook.ok) return outlook;
  const restored = await findRestored(ports, object, others, outlook.value, call);
  if (!restored.ok) return restored;
  const found = new Map([
    ...mails.map(({ key }, n) => [key, present.value[n] ?? null] as const),
    ...others.map(({ key }, n) => [key, restored.value[n] ?? null] as const),
  ]);
  return ok(items.map(({ key }) => found.get(key) ?? null));
}

/** Files, and rows of sites or posts of teams. */
async function readCurrentOthers(
  ports: GraphPorts,
  object: SourceObject,
  items: readonly KnownItem[],
  call: SourceCall,
): Promise<EngineResult<readonly CurrentItem[]>> {
  const found = new Map<number, CurrentItem>();
  for (const [kind, read] of READERS) {
    const wanted = items.filter((item) => item.kind === kind);
    const current = wanted.length === 0 ? ok([]) : await read(ports, object, wanted, call);
    if (!current.ok) return current;
    for (const [n, item] of wanted.entries()) found.set(item.n, current.value[n] ?? null);
  }
  return ok(items.map(({ n }) => found.get(n) ?? null));
}

/** Folders of Exchange for permanently deleted items, which users don't see. */
const RECOVERABLE = [
  'recoverableitemsdeletions',
  'recoverableitemspurges',
  'recoverableitemsversions',
] as const;
const Identified = v.object({ id: v.string() });

async function leaveOutRecoverable(
  client: GraphClient,
  user: string,
  known: readonly KnownItem[],
  mails: readonly CurrentItem[],
): Promise<EngineResult<readonly CurrentItem[]>> {
  if (mails.every((mail, n) => mail === null || mail.folder === known[n]?.folder)) return ok(mails);
  const folders = await readBatch(
    client,
    RECOVERABLE.map((name) => ({
      path: `${user}/mailFolders/${name}?$select=id`,
      headers: PREFER,
    })),
  );
  const ids = new Set<string>();
  for (const folder of folders) {
    if (!folder.ok && folder.error.kind !== 'missing') return { ok: false, error: folder.error };
    const read = v.safeParse(Identified, folder.ok ? folder.value : null);
    if (read.success) ids.add(read.output.id);
  }
  return ok(mails.map((mail) => (mail !== null && ids.has(mail.folder) ? null : mail)));
}

/** Looks for events, contacts and tasks that a restore has created again. */
async function findRestored(
  ports: GraphPorts,
  object: SourceObject,
  known: readonly KnownItem[],
  current: readonly CurrentItem[],
  call: SourceCall,
): Promise<EngineResult<readonly CurrentItem[]>> {
  const writer = mailboxWriter(ports);
  const keys = new Map<number, string>();
  for (const [n, item] of known.entries()) {
    if (current[n] !== null) continue;
    const { path, ...stored } = item;
    const found = await writer.find({ object, path }, { ...stored, parts: [] }, call);
    if (!found.ok) return found;
    if (found.value !== null) keys.set(n, found.value.key);
  }
  if (keys.size === 0) return ok(current);
  const read = await readOutlookItems(
    mailboxClient(ports, object, call),
    userPath(object),
    [...keys.values()].map((key) => ({ key, changeKey: '' })),
  );
  if (!read.ok) return read;
  const order = [...keys.keys()];
  return ok(
    current.map((item, n) => (keys.has(n) ? (read.value[order.indexOf(n)] ?? null) : item)),
  );
}

/** The drive of a file, its own id there, and how keys of that drive are written in the index. */
interface FilePlace {
  /** Null: the drive of the person. */
  readonly drive: string | null;
  readonly id: string;
  toKey(id: string): string;
  /** `top`: the id of the drive's top folder. */
  toFolder(id: string, top: string): string;
}

function getFilePlace({ kind }: SourceObject, key: string): FilePlace {
  if (kind === 'site') {
    const { part, id } = parseSitePartKey(key);
    return {
      drive: part,
      id,
      toKey: (item) => `${part}${SCOPE_MARK}${item}`,
      toFolder: (folder, top) => (folder === top ? part : `${part}${SCOPE_MARK}${folder}`),
    };
  }
  if (kind === 'team') {
    const { drive, item } = parseFileKey(key);
    const toKey = (id: string): string => getTeamFileKey(drive, id);
    return { drive, id: item, toKey, toFolder: toKey };
  }
  return {
    drive: null,
    id: key,
    toKey: (id) => id,
    toFolder: (folder, top) => (folder === top ? '' : folder),
  };
}

/** A file by its name in its folder. The colon at the end keeps a name of dots a name. */
function getNamePath({
  object,
  title,
  folder,
  path,
}: KnownItem & { readonly object: SourceObject }): string {
  if (object.kind === 'team')
    return `/items/${encode(parseFileKey(folder).item)}:/${encode(title)}:`;
  // The first folder of a site is the library, which is the drive.
  const names = [...path.slice(object.kind === 'site' ? 1 : 0).map(({ name }) => name), title];
  return `/root:/${names.map(encode).join('/')}:`;
}

async function findDrive(
  client: GraphClient,
  object: SourceObject,
  drive: string | null,
): Promise<EngineResult<string | null>> {
  if (drive !== null) return ok(`/drives/${encode(drive)}`);
  const path = await drivePath(client, object);
  // The person or the drive is gone, and all files with it.
  return path.ok || path.error.kind !== 'missing' ? path : ok(null);
}

async function readCurrentFiles(
  ports: GraphPorts,
  object: SourceObject,
  items: readonly KnownItem[],
  call: SourceCall,
): Promise<EngineResult<readonly CurrentItem[]>> {
  const client = driveClient(ports, object, call);
  const places = items.map((item) => ({ ...item, object, ...getFilePlace(object, item.key) }));
  const found = new Map<string, CurrentItem>();
  for (const [id, files] of Map.groupBy(places, ({ drive }) => drive)) {
    const drive = await findDrive(client, object, id);
    if (!drive.ok) return drive;
    if (drive.value === null) continue;
    const top = await findTop(client, drive.value);
    if (!top.ok) return top;
    if (top.value === null) continue;
    const byId = await readDriveFiles(
      client,
      drive.value,
      files.map((file) => `/items/${encode(file.id)}`),
    );
    if (!byId.ok) return byId;
    const lost = files.filter((_, n) => byId.value[n] === null);
    const byName = await readDriveFiles(client, drive.value, lost.map(getNamePath));
    if (!byName.ok) return byName;
    for (const [n, file] of files.entries()) {
      const now = byId.value[n] ?? byName.value[lost.indexOf(file)] ?? null;
      if (now !== null)
        found.set(file.key, {
          ...now,
          key: file.toKey(now.key),
          folder: file.toFolder(now.folder, top.value),
        });
    }
  }
  return ok(items.map(({ key }) => found.get(key) ?? null));
}

const READERS = [
  ['file', readCurrentFiles],
  ['row', readCurrentRows],
  ['post', readCurrentPosts],
] as const;

/** Reads a part of an item's content as it is now. */
export async function readCurrentPart(
  ports: GraphPorts,
  object: SourceObject,
  item: ItemChange,
  as: ContentInput['as'],
  call: SourceCall,
): Promise<EngineResult<Content>> {
  if (item.kind === 'row' || item.kind === 'post') {
    if (as !== 'json') return failed('missing', t.noContent);
    const readOne = item.kind === 'row' ? readCurrentRow : readCurrentPost;
    const content = await readOne(ports, object, item, call);
    return content.ok ? ok(inMemory(content.value)) : content;
  }
  if (object.kind !== 'mailbox') {
    if (as !== 'raw') return failed('missing', t.noContent);
    const client = driveClient(ports, object, call);
    const { drive: id, id: key } = getFilePlace(object, item.key);
    const drive = await findDrive(client, object, id);
    if (!drive.ok) return drive;
    for await (const file of fetchFiles(client, drive.value ?? '', [{ ...item, key }])) {
      if (!file.ok) return { ok: false, error: file.error };
      const content = file.parts.find((part) => part.as === 'raw')?.content ?? new Uint8Array();
      const bytes = content instanceof Uint8Array ? content.byteLength : file.item.bytes;
      return ok({ bytes, stream: toStream(content) });
    }
    return failed('missing', t.noContent);
  }
  const client = mailboxClient(ports, object, call);
  const user = userPath(object);
  const ref = parseItemKey(item.key);
  if (as !== (ref === null ? 'mime' : 'json')) return failed('missing', t.noContent);
  if (ref === null) {
    const mime = await readMimeContent(client, user, item.key);
    return mime.ok ? ok(inMemory(mime.value)) : { ok: false, error: mime.error };
  }
  const read = await readOutlookItem(client, user, ref);
  return read.ok ? ok(inMemory(Buffer.from(JSON.stringify(read.value.value)))) : read;
}

const inMemory = (bytes: Uint8Array): Content => ({
  bytes: bytes.byteLength,
  stream: toStream(bytes),
});
async function* toStream(
  content: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content;
  else yield* content;
}

const Named = v.object({
  name: v.fallback(v.nullish(v.string()), undefined),
  displayName: v.fallback(v.nullish(v.string()), undefined),
});

/** Reads the names of folders that no backup has. One that can't be read has none. */
export async function readFolderNames(
  ports: GraphPorts,
  object: SourceObject,
  keys: readonly string[],
  call: SourceCall,
): Promise<ReadonlyMap<string, string>> {
  const isMailbox = object.kind === 'mailbox';
  const client = (isMailbox ? mailboxClient : driveClient)(ports, object, call);
  const own = object.kind === 'drive' ? await findDrive(client, object, null) : ok(null);
  const paths = keys.map((key) => {
    if (isMailbox) return getMailboxFolder(userPath(object), key);
    const { drive, id } = getFilePlace(object, key);
    const path = drive === null ? (own.ok ? own.value : null) : `/drives/${encode(drive)}`;
    return `${path ?? ''}/items/${encode(id)}?$select=name`;
  });
  const results = await readBatch(
    client,
    paths.map((path) => ({ path, headers: PREFER })),
  );
  return new Map(
    keys.map((key, n) => {
      const result = results[n];
      const read = v.safeParse(Named, result?.ok ? result.value : null);
      const { name, displayName } = read.success ? read.output : {};
      return [key, name ?? displayName ?? ''];
    }),
  );
}

function getMailboxFolder(user: string, key: string): string {
  const folder = parseFolderKey(key);
  const id = encode(folder?.id ?? key);
  switch (folder?.top) {
    case 'calendars':
      return `${user}/calendars/${id}?$select=name`;
    case 'contacts':
      return `${user}/contactFolders/${id}?$select=displayName`;
    case 'tasks':
      return `${user}/todo/lists/${id}?$select=displayName`;
    case undefined:
      return `${user}/mailFolders/${id}?$select=displayName`;
  }
}
