import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { Store, TenantTx } from '#server/platform/db/store.ts';
import { ContentError } from '../../shared/content-error.ts';
import { loadFailed } from '../index/failed.ts';
import { loadUnreadVersions, loadVersionLimit, storeVersionLimit } from '../index/file-versions.ts';
import type { IndexedObject } from '../index/objects.ts';
import {
  BATCH_ROWS,
  beginListing,
  findParts,
  forgetListed,
  loadCursors,
  loadOpenScopes,
  type ItemWrite,
  type PageWrite,
  writePages,
} from '../index/pages.ts';
import { compareListing, endGone, findGone, loadListings } from '../index/removals.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import { makeVersionReader } from './read-versions.ts';
import type {
  ChangePage,
  FetchedItem,
  FetchedPart,
  ItemChange,
  ObjectSource,
  SourceCall,
} from '../types.ts';
import { done } from '../../result.ts';

/** Writes content to a repository. It is on the target only after `flush`. */
export interface ContentWriter {
  save(part: FetchedPart): Promise<EngineResult<StoredPart>>;
  flush(): Promise<EngineResult<void>>;
}

export interface ReadContext {
  readonly store: Store;
  readonly tenant: TenantId;
  readonly source: ObjectSource;
  readonly content: ContentWriter;
  readonly call: SourceCall;
  /** In each transaction that writes: throws if this process no longer works on the object. */
  readonly checkLease: (tx: TenantTx) => Promise<void>;
  readonly onRead: (items: number, bytes: Bytes) => void;
  /** Items that were last changed before are not backed up; null: all are. */
  readonly retainedSince: Ms | null;
  /** The maximum number of earlier versions of a file; 0: none. */
  readonly versionLimit: number;
  /** A person started the session, and so confirms that much was removed. */
  readonly isConfirmed: boolean;
}

/** `kept`: items that suddenly disappeared and stay in the backup. */
export interface ReadObject {
  readonly retained: number;
}

/**
 * Brings the index of an object up to date with the source (ENG-1, ENG-5, ENG-6). What was read
 * before an error stays: the next call continues from there.
 */
export async function readObject(
  context: ReadContext,
  object: IndexedObject,
): Promise<EngineResult<ReadObject>> {
  const reader = await makeReader(context, object);
  try {
    return await readChanges(context, object, reader);
  } finally {
    await reader.settle();
  }
}

async function readChanges(
  { source, call }: ReadContext,
  object: IndexedObject,
  reader: Awaited<ReturnType<typeof makeReader>>,
): Promise<EngineResult<ReadObject>> {
  const retried = await reader.retryFailed();
  if (!retried.ok) return retried;
  const versions = await reader.readVersions();
  if (!versions.ok) return versions;
  for (let { cursors } = reader; ; cursors = await reader.loadCursors()) {
    for await (const page of source.changes(object, cursors, call)) {
      const read: EngineResult<void> = page.ok ? await reader.read(page.value) : page;
      if (read.ok) continue;
      const stored = await reader.commit();
      return stored.ok ? read : stored;
    }
    const committed = await reader.commit();
    if (!committed.ok) return committed;
    if (call.signal.aborted) return { ok: false, error: STOPPED };
    if (!reader.takeResumed()) break;
  }
  reader.reportVersions();
  return { ok: true, value: { retained: await reader.endRemoved() } };
}

const STOPPED: EngineError = { kind: 'ended', message: t.stopped };

async function makeReader(context: ReadContext, object: IndexedObject) {
  const { store, tenant, source, content, call } = context;
  const inTx = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    store.tenant(tenant, async (tx) => {
      await context.checkLease(tx);
      return work(tx);
    });
  const { cursors, open, listings, failed, storedLimit } = await store.tenant(
    tenant,
    async (tx) => ({
      cursors: await loadCursors(tx, object),
      open: await loadOpenScopes(tx, object),
      listings: await loadListings(tx, object),
      failed: await loadFailed(tx, object),
      storedLimit: await loadVersionLimit(tx, object),
    }),
    { readOnly: true },
  );
  const begun = new Set(cursors.keys());
  /** Scopes that an earlier call read in part. */
  const resumed = new Set(open);
  const complete = new Set<string>();
  let pending: PageWrite[] = [];
  let rows = 0;
  let storing: Promise<EngineResult<void>> = Promise.resolve(done);

  /** Content first, then what names it. */
  async function storePages(pages: readonly PageWrite[]): Promise<EngineResult<void>> {
    const flushed = await content.flush();
    if (flushed.ok) await inTx((tx) => writePages(tx, object, pages));
    return flushed;
  }

  /** Begins to store what was added, after what was added before. */
  async function beginCommit(): Promise<EngineResult<void>> {
    const stored = await storing;
    if (!stored.ok || pending.length === 0) return stored;
    storing = storePages(pending);
    // Whoever waits for it next has its error.
    storing.catch(() => undefined);
    pending = [];
    rows = 0;
    return done;
  }

  async function commit(): Promise<EngineResult<void>> {
    const begun = await beginCommit();
    return begun.ok ? storing : begun;
  }

  /** A batch is stored while the next one is read. */
  async function add(page: PageWrite): Promise<EngineResult<void>> {
    const count = page.folders.length + page.items.length + page.removed.length + 1;
    if (rows + count > BATCH_ROWS) {
      const begun = await beginCommit();
      if (!begun.ok) return begun;
    }
    pending.push(page);
    rows += count;
    return done;
  }

  const versions = makeVersionReader(context, object, add);

  async function list(scope: string): Promise<void> {
    begun.add(scope);
    resumed.delete(scope);
    complete.delete(scope);
    if (await inTx((tx) => beginListing(tx, object, scope))) listings.add(scope);
    else listings.delete(scope);
    while (!(await inTx((tx) => forgetListed(tx, object, scope)))) continue;
  }

  async function compare(scope: string): Promise<void> {
    while (!(await inTx((tx) => compareListing(tx, object, scope)))) continue;
    while (!(await inTx((tx) => forgetListed(tx, object, scope)))) continue;
  }

  /** Returns no part if the source can't read one to its end: the item fails alone (ENG-6). */
  async function saveParts(
    parts: readonly FetchedPart[],
  ): Promise<EngineResult<readonly StoredPart[]>> {
    const stored: StoredPart[] = [];
    try {
      for (const part of parts) {
        const saved = await content.save(part);
        if (!saved.ok) return saved;
        stored.push(saved.value);
      }
    } catch (error) {
      if (error instanceof ContentError) return { ok: true, value: [] };
      throw error;
    }
    return { ok: true, value: stored };
  }

  /** Returns the items with the places of their content. Those that are gone again are left out. */
  async function save(items: readonly ItemChange[]): Promise<EngineResult<readonly ItemWrite[]>> {
    const known = await store.tenant(tenant, (tx) => findParts(tx, object, items), {
      readOnly: true,
    });
    const writes: ItemWrite[] = items.flatMap((item) => {
      const parts = known.get(item.key)?.parts;
      return parts === undefined ? [] : [{ item: withSize(item, parts), parts }];
    });
    const unknown = items.filter(({ key }) => !known.has(key));
    if (unknown.length > 0) {
      const saved = await saveTogether(source.fetch(object, unknown, call), async (fetched) => {
        if (!fetched.ok) {
          if (fetched.error.kind !== 'missing') writes.push({ item: fetched.item, parts: [] });
          return done;
        }
        const stored = await saveParts(fetched.parts);
        if (!stored.ok) return stored;
        const parts = stored.value;
        writes.push({ item: withSize(fetched.item, parts), parts });
        context.onRead(1, sum(parts.map(({ bytes }) => bytes)));
        return done;
      });
      if (!saved.ok) return saved;
    }
    if (call.signal.aborted) return { ok: false, error: STOPPED };
    // One that comes back has lost its versions, though its content is known.
    const files = writes.filter(
      ({ item, parts }) =>
        item.kind === 'file' && parts.length > 0 && known.get(item.key)?.isPresent !== true,
    );
    const read = await versions.read(files.map(({ item }) => item));
    if (!read.ok) return read;
    const present = read.value;
    return { ok: true, value: writes.map((write) => withVersion(write, present)) };
  }

  return {
    cursors,
    loadCursors: () => store.tenant(tenant, (tx) => loadCursors(tx, object), { readOnly: true }),
    /**
     * Returns whether a scope is complete now that an earlier call read in part: what that had read
     * may have changed since, and only the changes from then on say so. True once.
     */
    takeResumed(): boolean {
      const isComplete = [...resumed].some((scope) => complete.has(scope));
      resumed.clear();
      return isComplete;
    },
    commit,
    /** Waits until nothing is being stored any more: the next owner of the object comes after that. */
    async settle(): Promise<void> {
      await Promise.allSettled([storing]);
    },
    async retryFailed(): Promise<EngineResult<void>> {
      const since = context.retainedSince ?? -Infinity;
      const wanted = failed.filter(({ changedAt }) => changedAt >= since);
      for (let from = 0; from < wanted.length; from += BATCH_ITEMS) {
        const saved = await save(wanted.slice(from, from + BATCH_ITEMS));
        if (!saved.ok) return saved;
        const items = saved.value.filter(({ parts }) => parts.length > 0);
        const added = await add({
          scope: '',
          folders: [],
          items,
          removed: [],
          cursor: null,
          isOpen: false,
        });
        if (!added.ok) return added;
      }
      return commit();
    },
    /** Reads versions of files that haven't changed: those that couldn't be read, or weren't wanted before. */
    async readVersions(): Promise<EngineResult<void>> {
      const { versionLimit } = context;
      if (source.listVersions === undefined) return done;
      if (versionLimit !== storedLimit)
        while (!(await inTx((tx) => storeVersionLimit(tx, object, versionLimit)))) continue;
      if (versionLimit === 0) return done;
      const files = await store.tenant(tenant, (tx) => loadUnreadVersions(tx, object), {
        readOnly: true,
      });
      for (let from = 0; from < files.length; from += BATCH_ITEMS) {
        const read = await versions.read(files.slice(from, from + BATCH_ITEMS));
        if (!read.ok) return read;
      }
      return commit();
    },
    reportVersions: () => {
      versions.report();
    },
    async read(page: ChangePage): Promise<EngineResult<void>> {
      const { scope } = page;
      if (page.restart || !begun.has(scope)) {
        const committed = await commit();
        if (!committed.ok) return committed;
        await list(scope);
      }
      for (const part of splitPage(withoutOld(page, context.retainedSince))) {
        const saved = await save(part.items);
        if (!saved.ok) return saved;
        const added = await add({ ...part, items: saved.value });
        if (!added.ok) return added;
      }
      if (page.isComplete) complete.add(scope);
      return done;
    },
    /**
     * When all folders are known: ends what was removed, unless it is suddenly too much. Returns the
     * items that are kept.
     */
    async endRemoved(): Promise<number> {
      for (const scope of complete) if (listings.has(scope)) await compare(scope);
      const gone = await store.tenant(tenant, (tx) => findGone(tx, object), { readOnly: true });
      if (gone.isSudden && !context.isConfirmed) return gone.items;
      while (!(await inTx((tx) => endGone(tx, object, gone)))) continue;
      return 0;
    },
  };
}

/** How many are read before they are stored. */
const BATCH_ITEMS = 200;

/** What is too old to be backed up is as if the source didn't have it. */
function withoutOld(page: ChangePage, since: Ms | null): ChangePage {
  if (since === null || page.items.every(({ changedAt }) => changedAt >= since)) return page;
  const old = page.items.filter(({ changedAt }) => changedAt < since);
  return {
    ...page,
    items: page.items.filter(({ changedAt }) => changedAt >= since),
    removed: [...page.removed, ...old.map(({ key }) => key)],
  };
}

/**
 * How many items, or how many bytes of items, are saved at once: threads process small ones
 * together.
 */
const CONCURRENT_SAVES = 32;
const SAVING_BYTES: Bytes = 8 << 20;

/**
 * Saves items while the next ones are fetched. A part that is a stream is read to its end before.
 * Returns the first failure, after which nothing more is fetched.
 */
async function saveTogether(
  items: AsyncIterable<FetchedItem>,
  save: (item: FetchedItem) => Promise<EngineResult<void>>,
): Promise<EngineResult<void>> {
  const saving = new Set<Promise<void>>();
  let savingBytes = 0;
  let failure: EngineResult<void> = done;
  const thrown: unknown[] = [];
  async function saveItem(item: FetchedItem, bytes: Bytes): Promise<void> {
    savingBytes += bytes;
    try {
      const saved = await save(item);
      if (!saved.ok && failure.ok) failure = saved;
    } catch (error) {
      thrown.push(error);
    }
    savingBytes -= bytes;
  }
  const isFull = (isStream: boolean): boolean =>
    saving.size >= (isStream ? 1 : CONCURRENT_SAVES) || savingBytes > SAVING_BYTES;
  try {
    for await (const item of items) {
      const contents = item.ok ? item.parts.map(({ content }) => content) : [];
      const isStream = contents.some((content) => !(content instanceof Uint8Array));
      const bytes = sum(contents.map((part) => (part instanceof Uint8Array ? part.length : 0)));
      const work = saveItem(item, bytes).finally(() => saving.delete(work));
      saving.add(work);
      while (isFull(isStream)) await Promise.race(saving);
      if (!failure.ok || thrown.length > 0) break;
    }
  } finally {
    await Promise.all(saving);
  }
  if (thrown.length > 0) throw thrown[0];
  return failure;
}
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

type PagePart = Omit<PageWrite, 'items'> & { readonly items: readonly ItemChange[] };

/** A file may be delivered with another length than listed: that of its content counts. */
function withSize(item: ItemChange, parts: readonly StoredPart[]): ItemChange {
  const content = item.kind === 'file' ? parts.find((part) => part.as === 'raw') : undefined;
  return content === undefined ? item : { ...item, bytes: content.bytes };
}

function withVersion(write: ItemWrite, present: ReadonlyMap<string, string>): ItemWrite {
  const { item } = write;
  const presentVersion = present.get(item.key);
  return presentVersion === undefined
    ? write
    : { ...write, item: { ...item, flags: { ...item.flags, presentVersion } } };
}

/** Cuts a page into parts that fit a batch. The last one has the cursor. */
function splitPage({ scope, folders, items, removed, cursor, isComplete }: ChangePage): PagePart[] {
  const parts: PagePart[] = [];
  const add = (part: Partial<PagePart>) =>
    parts.push({
      scope,
      folders: [],
      items: [],
      removed: [],
      cursor: null,
      isOpen: !isComplete,
      ...part,
    });
  for (let from = 0; from < folders.length; from += BATCH_ITEMS)
    add({ folders: folders.slice(from, from + BATCH_ITEMS) });
  for (let from = 0; from < items.length; from += BATCH_ITEMS)
    add({ items: items.slice(from, from + BATCH_ITEMS) });
  for (let from = 0; from < removed.length; from += BATCH_ITEMS)
    add({ removed: removed.slice(from, from + BATCH_ITEMS) });
  add({ cursor });
  return parts;
}
