import type { BackupRepositoryId, Bytes, DownloadId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { DownloadFolder } from '#server/platform/db/database-downloads.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { LimitedReader } from '#server/platform/threads/limited-reader.ts';
import { ContentError } from '../../shared/content-error.ts';
import type { DownloadEntry } from '../downloads/entries.ts';
import type { MailContent } from '../mail/mail-content.ts';
import { partReader } from '../downloads/read.ts';
import { makeMimeReader, type MimeReader } from '../mail/mime-reader.ts';
import { type ItemReader, makeItemReader } from '../pst/items/item-reader.ts';
import type { RepositoryReaders } from '../repositories/readers.ts';
import type { PstMessage } from '../pst/message.ts';
import type { ItemContent, PartFile, PartFormat, PartWriter } from './part-writer.ts';
import { makePstPart } from './pst-part.ts';
import {
  makeFilePart,
  makeMboxPart,
  makeMsgPart,
  makeMsgZipPart,
  makeZipPart,
} from './zip-part.ts';

/** A prepared download that is written to files. */
export interface PartsInput {
  readonly tenant: TenantId;
  readonly repository: BackupRepositoryId;
  readonly download: DownloadId;
  readonly format: PartFormat;
  readonly name: string;
  /** The first part that isn't finished, and its first item. */
  readonly from: { readonly part: number; readonly item: number };
  readonly maxPartBytes: Bytes;
  /** The directory of a part is in memory. */
  readonly maxPartItems: number;
  openPart(n: number): Promise<PartFile>;
  /** `nextItem`: the first that is in a later part. */
  onPart(part: { readonly n: number; readonly nextItem: number }): Promise<void>;
  /** After an item; `n`: its place. Returns false if it must stop. */
  onItem(item: {
    readonly n: number;
    readonly name: string;
    readonly isFailed: boolean;
    readonly bytes: Bytes;
  }): Promise<boolean>;
}
export type WriteParts = (input: PartsInput) => Promise<'finished' | 'stopped'>;

/** Formats whose mails are parsed. */
const PARSED: ReadonlySet<PartFormat> = new Set(['pst', 'msg', 'msg-zip']);
/** What reading may end with for one item alone. Anything else may be over later. */
const ITEM_ALONE: ReadonlySet<string> = new Set(['damaged', 'missing']);

/** Writes what a prepared download holds, each item once and in its order. */
export function makeWriteParts(context: () => AppContext, readers: RepositoryReaders): WriteParts {
  let mails: MimeReader | null = null;
  let items: ItemReader | null = null;
  return async (input) => {
    const { tenant, repository, maxPartBytes, maxPartItems } = input;
    const reader = (mails ??= makeMimeReader(context()));
    const itemReader = (items ??= makeItemReader(context()));
    const readContent = (entry: DownloadEntry): ItemContent => {
      const stream = (): AsyncIterable<Uint8Array> =>
        readers.read(tenant, repository, entry, { from: 0, to: entry.bytes });
      const collectAll = (): Promise<Uint8Array<ArrayBuffer>> => collect(stream(), entry.bytes);
      const parseWith = async <T>(thread: LimitedReader<T>): Promise<T | null> =>
        entry.bytes > MAX_PARSED_BYTES ? null : parse(thread, await collectAll());
      const parseMail = (): Promise<MailContent | null> => parseWith(reader);
      const parseItem = (): Promise<PstMessage | null> => parseWith(itemReader);
      const content = { stream, collect: collectAll, parse: parseMail, parseItem };
      if (!PARSED.has(input.format)) return content;
      if (entry.mail?.kind === 'mail') return { ...content, parse: begin(parseMail) };
      return { ...content, parseItem: begin(parseItem) };
    };
    const entries = listEntries(context().store, input);
    let { part: n, item: at } = input.from;
    let first = at;
    let open: PartWriter | null = null;
    for await (const { entry, content } of readAhead(entries, readContent)) {
      const isFull = (open?.bytes ?? 0) + entry.bytes > maxPartBytes || at - first >= maxPartItems;
      if (open !== null && isFull) {
        await open.finish();
        await input.onPart({ n, nextItem: at });
        n += 1;
        first = at;
        open = null;
      }
      open ??= await makePart(context().store, input, n);
      let isFailed = false;
      try {
        await open.add(entry, content);
      } catch (error) {
        if (!(error instanceof ContentError) || !ITEM_ALONE.has(error.error.kind)) throw error;
        isFailed = true;
      }
      const item = { n: at, name: entry.name, isFailed, bytes: entry.bytes };
      at += 1;
      if (!(await input.onItem(item))) return 'stopped';
    }
    if (open !== null) {
      await open.finish();
      await input.onPart({ n, nextItem: at });
    }
    return 'finished';
  };
}

async function makePart(store: Store, input: PartsInput, n: number): Promise<PartWriter> {
  const { format, name, download } = input;
  const file = await input.openPart(n);
  switch (format) {
    case 'zip':
      return makeZipPart(file);
    case 'file':
      return makeFilePart(file);
    case 'mbox':
      return makeMboxPart(file);
    case 'msg':
      return makeMsgPart(file);
    case 'msg-zip':
      return makeMsgZipPart(file);
    case 'pst':
      return makePstPart(file, {
        name,
        id: `${download} ${n}`,
        folders: n === 1 ? await loadFolders(store, input) : [],
      });
  }
}

const loadFolders = (
  store: Store,
  { tenant, download }: PartsInput,
): Promise<readonly DownloadFolder[]> =>
  store.tenant(
    tenant,
    async ({ sql }) => {
      const row = await sql
        .selectFrom('prepared_download')
        .select('folders')
        .where('tenant_id', '=', tenant)
        .where('id', '=', download)
        .executeTakeFirst();
      return row?.folders ?? [];
    },
    { readOnly: true },
  );

/** The items that aren't in a finished part. */
async function* listEntries(
  store: Store,
  { tenant, download, from }: PartsInput,
): AsyncIterable<DownloadEntry> {
  let position = 0;
  for await (const { entries } of partReader(store, tenant, download)({ byte: 0 })) {
    const first = Math.max(0, from.item - position);
    position += entries.length;
    yield* entries.slice(first);
  }
}

/** The maximum number of items, and of bytes, that are read before the first is written. */
const AHEAD = 16;
const AHEAD_BYTES: Bytes = 64 << 20;

interface Begun {
  readonly entry: DownloadEntry;
  readonly content: ItemContent;
}

/** Reads and parses what follows while an item is written. */
async function* readAhead(
  entries: AsyncIterable<DownloadEntry>,
  readContent: (entry: DownloadEntry) => ItemContent,
): AsyncIterable<Begun> {
  const begun: Begun[] = [];
  let bytes = 0;
  for await (const entry of entries) {
    while (begun.length >= AHEAD || (begun.length > 0 && bytes + entry.bytes > AHEAD_BYTES)) {
      const next = begun.shift();
      if (next === undefined) break;
      bytes -= next.entry.bytes;
      yield next;
    }
    begun.push({ entry, content: readContent(entry) });
    bytes += entry.bytes;
  }
  yield* begun;
}

/** Reads ahead. Whoever takes the result gets the error; nobody may take it. */
function begin<T>(read: () => Promise<T>): () => Promise<T> {
  const result = read();
  result.catch(() => undefined);
  return () => result;
}

/** The parser needs several times as much memory. */
const MAX_PARSED_BYTES: Bytes = 160 << 20;

async function parse<T>(
  thread: LimitedReader<T>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<T | null> {
  const result = await thread.read(bytes);
  if (result.kind === 'busy')
    throw new ContentError({ kind: 'busy', message: 'Too many items are being read.' });
  return result.kind === 'read' ? result.value : null;
}

async function collect(
  stream: AsyncIterable<Uint8Array>,
  bytes: Bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(bytes);
  let at = 0;
  for await (const piece of stream) {
    all.set(piece, at);
    at += piece.byteLength;
  }
  return all.subarray(0, at);
}
