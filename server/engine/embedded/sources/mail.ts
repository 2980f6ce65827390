import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { readBatch } from '../graph/batch.ts';
import { parsePage } from '../graph/client.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphPorts, GraphResult } from '../graph/request.ts';
import { FOLDERS_SCOPE } from '../types.ts';
import type {
  ChangePage,
  FetchedItem,
  FolderChange,
  ItemChange,
  ObjectSource,
  SourceCall,
  SourceObject,
} from '../types.ts';
import { latestRows, getLink, readDelta } from './delta.ts';
import { exportMails, MailboxIds } from './mail-export.ts';
import type { Exported } from './mail-export.ts';
import { mailboxClient, userPath } from './mailbox-client.ts';
import { inParallel } from './parallel.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import { failed } from '../../result.ts';

/** Exchange's limit for a mail, with the overhead of its encoding. */
export const MAX_MIME_BYTES: Bytes = 220 * 1_048_576;
/** Requests for one mailbox at a time. */
const BATCH_SIZE = 4;
const PREFER = { prefer: 'IdType="ImmutableId", odata.maxpagesize=250' };

/** Mailboxes, over Graph's messages: published in every cloud. */
export function mailSource(ports: GraphPorts): ObjectSource {
  const ids = new MailboxIds();
  return {
    kinds: ['mailbox'],
    changes: (object, cursors, call) =>
      readChanges(mailboxClient(ports, object, call), object, cursors),
    fetch: (object, items, call) =>
      fetchMails(mailboxClient(ports, object, call), object, items, ids),
  };
}

/**
 * Where the list of folders goes on. `unread`: folders that were named but have no cursor of their
 * own yet, so that a backup which is cut between the two misses none.
 */
const FolderCursor = v.object({ link: v.string(), unread: v.array(v.string()) });

function parseCursor(cursor: string | undefined): v.InferOutput<typeof FolderCursor> | null {
  if (cursor === undefined) return null;
  const read = v.safeParse(FolderCursor, JSON.parse(cursor));
  return read.success ? read.output : null;
}

async function* readChanges(
  client: GraphClient,
  object: SourceObject,
  cursors: ReadonlyMap<string, string>,
): AsyncGenerator<EngineResult<ChangePage>, void> {
  const last = parseCursor(cursors.get(FOLDERS_SCOPE));
  const user = userPath(object);
  const isOwn = (key: string): boolean => cursors.has(key);
  const unread = new Set(last?.unread.filter((key) => !isOwn(key)) ?? []);
  const removed = new Set<string>();
  let names: WellKnown | null = null;
  for await (const page of readDelta(client, {
    start: `${user}/mailFolders/delta?$select=displayName,parentFolderId`,
    cursor: last?.link,
    row: FolderRow,
    headers: PREFER,
  })) {
    if (!page.ok) return yield page;
    const { rows, restart, cursor, isComplete } = page.value;
    if (restart) unread.clear();
    const folders: FolderChange[] = [];
    const gone: string[] = [];
    for (const row of latestRows(rows)) {
      if (row['@removed']) {
        gone.push(row.id);
        removed.add(row.id);
        unread.delete(row.id);
        continue;
      }
      if (names === null) {
        const found = await readWellKnown(client, user);
        if (!found.ok) return yield found;
        names = found.value;
      }
      folders.push(getFolder(row, names));
      removed.delete(row.id);
      if (!isOwn(row.id)) unread.add(row.id);
    }
    yield {
      ok: true,
      value: {
        scope: FOLDERS_SCOPE,
        restart,
        folders,
        items: [],
        removed: gone,
        cursor: JSON.stringify({ link: cursor, unread: [...unread] }),
        isComplete,
      },
    };
  }
  const known = [...cursors.keys()].filter((key) => key !== FOLDERS_SCOPE && !removed.has(key));
  for (let from = 0; from < known.length; from += BATCH)
    yield* readFolders(client, user, known.slice(from, from + BATCH), cursors);
  for (const folder of unread)
    yield* readFolder(client, user, folder, { cursor: undefined, first: undefined });
}
/** The number of folders whose first pages are requested together. */
const BATCH = 20;

/** Folders that were read before: most of them have not changed, so they are asked together. */
async function* readFolders(
  client: GraphClient,
  user: string,
  folders: readonly string[],
  cursors: ReadonlyMap<string, string>,
): AsyncGenerator<EngineResult<ChangePage>, void> {
  const links = folders.map((folder) => getLink(cursors.get(folder) ?? deltaPath(user, folder)));
  const results = await readBatch(
    client,
    links.map((path) => ({ path, headers: PREFER })),
  );
  for (const [n, folder] of folders.entries()) {
    const result = results[n];
    if (result === undefined) continue;
    const first = result.ok ? parsePage(result.value, MessageRow) : result;
    yield* readFolder(client, user, folder, { cursor: cursors.get(folder), first });
  }
}

const deltaPath = (user: string, folder: string): string =>
  `${user}/mailFolders/${encodeURIComponent(folder)}/messages/delta?$select=${MESSAGE_FIELDS}&$expand=${SIZE}`;
const MESSAGE_FIELDS = [
  'changeKey',
  'parentFolderId',
  'subject',
  'from',
  'toRecipients',
  'ccRecipients',
  'receivedDateTime',
  'createdDateTime',
  'lastModifiedDateTime',
  'isRead',
  'isDraft',
  'hasAttachments',
  'importance',
  'categories',
  'flag',
  'internetMessageId',
].join(',');
/** PidTagMessageSize. */
const SIZE_ID = 'Integer 0x0E08';
const SIZE = `singleValueExtendedProperties($filter=id eq '${SIZE_ID}')`;

type First = Parameters<typeof readDelta<typeof MessageRow>>[1]['first'];

async function* readFolder(
  client: GraphClient,
  user: string,
  folder: string,
  { cursor, first }: { cursor: string | undefined; first: First },
): AsyncGenerator<EngineResult<ChangePage>, void> {
  for await (const page of readDelta(client, {
    start: deltaPath(user, folder),
    cursor,
    row: MessageRow,
    headers: PREFER,
    ...(first === undefined ? {} : { first }),
  })) {
    // The folder was removed after it was listed: the next list of folders says so.
    if (!page.ok && page.error.kind === 'missing') return;
    if (!page.ok) return yield page;
    const rows = latestRows(page.value.rows);
    const removed = rows.filter((row) => row['@removed']).map(({ id }) => id);
    const complete = await completeRows(
      client,
      user,
      rows.filter((row) => !row['@removed']),
    );
    if (!complete.ok) return yield complete;
    const { restart, isComplete } = page.value;
    const items = complete.value.map((row) => getItem(row, folder));
    yield {
      ok: true,
      value: {
        scope: folder,
        restart,
        folders: [],
        items,
        removed,
        cursor: page.value.cursor,
        isComplete,
      },
    };
  }
}

/**
 * A change names at least the properties that changed. What is missing is read; a message that is
 * gone meanwhile is left out, the next change says so.
 */
async function completeRows(
  client: GraphClient,
  user: string,
  rows: readonly MessageRow[],
): Promise<EngineResult<readonly MessageRow[]>> {
  const partial = rows.filter(
    (row) => !row.changeKey || !row.receivedDateTime || row.isRead == null,
  );
  if (partial.length === 0) return { ok: true, value: rows };
  const results = await readBatch(
    client,
    partial.map(({ id }) => ({
      path: `${user}/messages/${encodeURIComponent(id)}?$select=${MESSAGE_FIELDS}&$expand=${SIZE}`,
      headers: PREFER,
    })),
  );
  const found = new Map<string, MessageRow | null>();
  for (const [n, { id }] of partial.entries()) {
    const result = results[n];
    if (result?.ok) {
      const read = v.safeParse(MessageRow, result.value);
      if (read.success) found.set(id, { ...read.output, id });
    } else if (result?.error.kind === 'missing') found.set(id, null);
    else if (result) return { ok: false, error: result.error };
  }
  return {
    ok: true,
    value: rows.flatMap((row) => found.get(row.id) ?? (found.has(row.id) ? [] : [row])),
  };
}

/** Returns a mail's properties as they are now. */
export async function readMail(
  ports: GraphPorts,
  object: SourceObject,
  key: string,
  call: SourceCall,
): Promise<EngineResult<ItemChange>> {
  const rows = await completeRows(mailboxClient(ports, object, call), userPath(object), [
    v.parse(MessageRow, { id: key }),
  ]);
  if (!rows.ok) return rows;
  const [row] = rows.value;
  return row === undefined
    ? failed('missing', t.missing)
    : { ok: true, value: getItem(row, row.parentFolderId ?? '') };
}

/**
 * Returns mails as they are now, in their order: by their ids, else by their Message-IDs, since a
 * restored mail has another id. Null: the mailbox no longer has it.
 */
export async function readMails(
  client: GraphClient,
  user: string,
  mails: readonly Pick<ItemChange, 'key' | 'flags'>[],
): Promise<EngineResult<readonly (ItemChange | null)[]>> {
  const rows = await completeRows(
    client,
    user,
    mails.map(({ key }) => v.parse(MessageRow, { id: key })),
  );
  if (!rows.ok) return rows;
  const byId = new Map(rows.value.map((row) => [row.id, row]));
  const lost = mails.flatMap(({ key, flags: { messageId } }) =>
    messageId === undefined || byId.has(key) ? [] : [{ key, messageId }],
  );
  const results = await readBatch(
    client,
    lost.map(({ messageId }) => ({
      path: `${user}/messages?$filter=internetMessageId eq '${encodeURIComponent(messageId.replaceAll("'", "''"))}'&$top=1&$select=${MESSAGE_FIELDS}&$expand=${SIZE}`,
      headers: PREFER,
    })),
  );
  for (const [n, { key }] of lost.entries()) {
    const result = results[n];
    if (result === undefined || (!result.ok && result.error.kind === 'missing')) continue;
    const page = result.ok ? parsePage(result.value, MessageRow) : result;
    if (!page.ok) return { ok: false, error: page.error };
    const [row] = page.value.rows;
    if (row !== undefined) byId.set(key, row);
  }
  return {
    ok: true,
    value: mails.map(({ key }) => {
      const row = byId.get(key);
      return row === undefined ? null : getItem(row, row.parentFolderId ?? '');
    }),
  };
}

/** Returns a mail as MIME. */
export const readMimeContent = (
  client: GraphClient,
  user: string,
  key: string,
): Promise<GraphResult<Uint8Array>> =>
  client.bytes(`${user}/messages/${encodeURIComponent(key)}/$value`, MAX_MIME_BYTES, {
    headers: PREFER,
  });

async function* fetchMails(
  client: GraphClient,
  object: SourceObject,
  items: readonly ItemChange[],
  ids: MailboxIds,
): AsyncGenerator<FetchedItem, void> {
  const user = userPath(object);
  const exportChunk = async (chunk: readonly ItemChange[]): Promise<Exported> => {
    const mailbox = await ids.find(client, user);
    const exported = mailbox === null ? NO_EXPORT : await exportMails(client, mailbox, chunk);
    if (!exported.isAvailable) ids.deny(client, user);
    return exported;
  };
  let ahead: Promise<Exported> | null = null;
  for (let from = 0; from < items.length; from += BATCH) {
    const chunk = items.slice(from, from + BATCH);
    const { streams }: Exported = await (ahead ?? exportChunk(chunk));
    const next = items.slice(from + BATCH, from + 2 * BATCH);
    ahead = next.length > 0 && fitAhead([...chunk, ...next]) ? exportChunk(next) : null;
    // A consumer that stops early doesn't wait for it.
    ahead?.catch(() => undefined);
    yield* inParallel(chunk, BATCH_SIZE, async (item): Promise<FetchedItem> => {
      const mime = await readMimeContent(client, user, item.key);
      if (!mime.ok) return { item, ok: false, error: mime.error };
      const { value } = mime;
      const bytes = item.bytes === 0 ? value.byteLength : item.bytes;
      const stream = streams.get(item.key);
      return {
        item: { ...item, bytes },
        ok: true,
        parts: [
          { as: 'mime', content: value },
          ...(stream ? [{ as: 'fts' as const, content: stream }] : []),
        ],
      };
    });
  }
}
/** The next mails are exported while these are read, unless they need too much memory together. */
const fitAhead = (mails: readonly ItemChange[]): boolean =>
  mails.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_AHEAD_BYTES;
const MAX_AHEAD_BYTES: Bytes = 16 * 1_048_576;
const NO_EXPORT: Exported = { streams: new Map(), isAvailable: true };

// ---- folders

/** Names that Graph takes instead of an id. Not every mailbox has every folder. */
const WELL_KNOWN = [
  'msgfolderroot',
  'inbox',
  'drafts',
  'sentitems',
  'deleteditems',
  'archive',
  'junkemail',
  'outbox',
  'conversationhistory',
  'clutter',
  'scheduled',
  'syncissues',
];
interface WellKnown {
  readonly root: string | null;
  readonly byId: ReadonlyMap<string, string>;
}

async function readWellKnown(client: GraphClient, user: string): Promise<EngineResult<WellKnown>> {
  const results = await readBatch(
    client,
    WELL_KNOWN.map((name) => ({
      path: `${user}/mailFolders/${name}?$select=id`,
      headers: PREFER,
    })),
  );
  const byId = new Map<string, string>();
  let root: string | null = null;
  for (const [n, name] of WELL_KNOWN.entries()) {
    const result = results[n];
    if (result && !result.ok && result.error.kind !== 'missing')
      return { ok: false, error: result.error };
    const read = v.safeParse(Identified, result?.ok ? result.value : null);
    if (!read.success) continue;
    if (name === 'msgfolderroot') root = read.output.id;
    else byId.set(read.output.id, name);
  }
  return { ok: true, value: { root, byId } };
}

const getFolder = (
  row: v.InferOutput<typeof FolderRow>,
  { root, byId }: WellKnown,
): FolderChange => ({
  key: row.id,
  parent: row.parentFolderId == null || row.parentFolderId === root ? null : row.parentFolderId,
  name: row.displayName ?? '',
  wellKnown: byId.get(row.id) ?? null,
});

// ---- rows

const Identified = v.object({ id: v.string() });
/** A property of another form is taken as missing: one odd message must not stop the others. */
const maybe = <S extends v.GenericSchema>(schema: S) => v.fallback(v.nullish(schema), undefined);
const text = maybe(v.string());
const flag = maybe(v.boolean());
const Recipient = v.object({ emailAddress: v.object({ name: text, address: text }) });
const Removed = v.optional(v.object({}));

const FolderRow = v.object({
  'id': v.string(),
  '@removed': Removed,
  'displayName': text,
  'parentFolderId': text,
});
const MessageRow = v.object({
  'id': v.string(),
  '@removed': Removed,
  'changeKey': text,
  'parentFolderId': text,
  'subject': text,
  'from': maybe(Recipient),
  'toRecipients': maybe(v.array(Recipient)),
  'ccRecipients': maybe(v.array(Recipient)),
  'receivedDateTime': text,
  'createdDateTime': text,
  'lastModifiedDateTime': text,
  'isRead': flag,
  'isDraft': flag,
  'hasAttachments': flag,
  'importance': text,
  'categories': maybe(v.array(v.string())),
  'flag': maybe(v.object({ flagStatus: text })),
  'internetMessageId': text,
  'singleValueExtendedProperties': maybe(v.array(v.object({ id: v.string(), value: v.string() }))),
});
type MessageRow = v.InferOutput<typeof MessageRow>;

function getItem(row: MessageRow, folder: string): ItemChange {
  const changedAt = getTime(row.lastModifiedDateTime) ?? 0;
  return {
    key: row.id,
    changeKey: row.changeKey ?? '',
    folder,
    kind: 'mail',
    title: row.subject ?? '',
    people: [row.from, ...(row.toRecipients ?? []), ...(row.ccRecipients ?? [])]
      .map(getPerson)
      .filter((person) => person !== '')
      .join(', '),
    at: getTime(row.receivedDateTime) ?? getTime(row.createdDateTime) ?? changedAt,
    changedAt,
    bytes: getSize(row),
    flags: {
      read: row.isRead === true,
      ...(row.isDraft === true ? { draft: true } : {}),
      ...(row.flag?.flagStatus === 'flagged' ? { flagged: true } : {}),
      // Graph says only whether there are any.
      ...(row.hasAttachments === true ? { attachments: 1 } : {}),
      ...(row.importance === 'low' || row.importance === 'high'
        ? { importance: row.importance }
        : {}),
      ...(row.categories?.length ? { categories: row.categories } : {}),
      ...(row.internetMessageId ? { messageId: row.internetMessageId } : {}),
    },
  };
}

function getPerson(recipient: v.InferOutput<typeof Recipient> | null | undefined): string {
  const { name, address } = recipient?.emailAddress ?? {};
  if (!address || !name || name === address) return address || name || '';
  return `${name} <${address}>`;
}

function getTime(date: string | null | undefined): Ms | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : at;
}

function getSize({ singleValueExtendedProperties: properties }: MessageRow): Bytes {
  // Graph writes the number of the property in its own way.
  const size = Number(properties?.find(({ id }) => /^integer 0x0?e08$/i.test(id))?.value);
  return Number.isSafeInteger(size) && size > 0 ? size : 0;
}
