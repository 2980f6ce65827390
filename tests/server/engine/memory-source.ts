import type { EngineError, EngineResult, ObjectKind } from '#contract/engine/engine.ts';
import type { SharingPermission } from '#server/engine/embedded/sources/sharing.ts';
import type {
  ChangePage,
  FetchedItem,
  FolderChange,
  ItemChange,
  ObjectSource,
  SourceCall,
  SourceObject,
} from '#server/engine/embedded/types.ts';

/** A folder and an item as the tenant has them. */
export interface MemoryFolder {
  readonly key: string;
  readonly parent: string | null;
  readonly name: string;
}
export interface MemoryItem {
  readonly key: string;
  readonly folder: string;
  readonly changeKey: string;
  readonly title: string;
  readonly at: number;
  readonly content: string;
}
/** What a file had before. */
interface MemoryVersion {
  readonly id: string;
  readonly at: number;
  readonly content: string;
}
/** All that an object has at one moment, in an order that depends on nothing else. */
export interface MemoryCopy {
  readonly folders: readonly MemoryFolder[];
  readonly items: readonly MemoryItem[];
}

/** What goes wrong while the source is read. */
export interface Trouble {
  /** The tenant has no such object. */
  isAbsent: boolean;
  /** Pages until the source fails; null: never. */
  cutAfter: number | null;
  /** Every page comes twice. */
  repeats: boolean;
  /** The pages of a scope come in another order than the changes were made. */
  shuffle: ((length: number) => number) | null;
  /** Called after each page: the tenant changes while it is read. */
  onPage: ((call?: SourceCall) => void | Promise<void>) | null;
  /** Keys of items whose content can't be read. */
  readonly unreadable: Set<string>;
  /** The size that every item is listed with; null: that of its content. */
  listedBytes: number | null;
}

interface Change {
  readonly n: number;
  readonly scope: string;
  readonly key: string;
}

const GONE: EngineError = { kind: 'missing', message: 'It is gone.' };
const CUT: EngineError = { kind: 'unreachable', message: 'The tenant does not answer.' };

/**
 * A mailbox (one scope for the folders and one for each folder's items) or a drive (one scope), which
 * a test changes. `copy` returns everything it has.
 */
export class MemoryObject {
  readonly trouble: Trouble = {
    isAbsent: false,
    cutAfter: null,
    repeats: false,
    shuffle: null,
    onPage: null,
    unreadable: new Set(),
    listedBytes: null,
  };
  readonly fetched: string[] = [];
  /** The source offers earlier versions of files. */
  hasHistory = false;
  /** How often versions of a file were listed. */
  versionLists = 0;
  /** Ids that clouds never give again. */
  readonly removedFolders = new Set<string>();
  readonly #folders = new Map<string, MemoryFolder>();
  readonly #items = new Map<string, MemoryItem>();
  /** What files had before, the newest first. */
  readonly #versions = new Map<string, MemoryVersion[]>();
  readonly #removed = new Map<
    string,
    { readonly item: MemoryItem; readonly versions: readonly MemoryVersion[] }
  >();
  /** Cursors of an earlier epoch have expired, however often they are sent. */
  #epoch = 0;
  #changes: Change[] = [];
  #n = 0;
  readonly object: SourceObject;
  readonly pageSize: number;

  constructor(object: SourceObject, pageSize = 3) {
    this.object = object;
    this.pageSize = pageSize;
  }

  putFolder(key: string, parent: string | null, name = key): void {
    this.#folders.set(key, { key, parent, name });
    this.#log(this.#folderScope, key);
  }

  /** With all that is below it, as clouds do. */
  removeFolder(key: string): void {
    for (const folder of this.#folders.values())
      if (folder.parent === key) this.removeFolder(folder.key);
    for (const item of this.#items.values())
      if (item.folder === key) {
        this.#items.delete(item.key);
        this.#versions.delete(item.key);
      }
    this.#folders.delete(key);
    this.removedFolders.add(key);
    this.#log(this.#folderScope, key);
  }

  putItem(key: string, folder: string, content: string, at = 1_790_000_000_000): void {
    const before = this.#items.get(key);
    if (before !== undefined && before.folder !== folder) this.#log(this.#scopeOf(before), key);
    this.#n += 1;
    if (before !== undefined)
      this.#versions.set(key, [
        { id: `${this.#n}.0`, at: before.at, content: before.content },
        ...(this.#versions.get(key) ?? []),
      ]);
    const item = { key, folder, content, at, title: `Item ${key}`, changeKey: `v${this.#n}` };
    this.#items.set(key, item);
    this.#log(this.#scopeOf(item), key);
  }

  /** A move that leaves the item itself as it is. */
  moveItem(key: string, folder: string): void {
    const before = this.#items.get(key);
    if (before === undefined || before.folder === folder) return;
    this.#items.set(key, { ...before, folder });
    this.#log(this.#scopeOf(before), key);
    this.#log(this.#scopeOf({ ...before, folder }), key);
  }

  removeItem(key: string): void {
    const item = this.#items.get(key);
    if (item === undefined) return;
    this.#removed.set(key, { item, versions: this.#versions.get(key) ?? [] });
    this.#items.delete(key);
    this.#versions.delete(key);
    this.#log(this.#scopeOf(item), key);
  }

  /** Puts an item back as it was, as from the recycle bin. */
  bringBack(key: string): void {
    const removed = this.#removed.get(key);
    if (removed === undefined) return;
    this.#items.set(key, removed.item);
    this.#versions.set(key, [...removed.versions]);
    this.#log(this.#scopeOf(removed.item), key);
  }

  /** The next listing of each scope starts from the beginning, as after 410 Gone. */
  expireCursors(): void {
    this.#epoch += 1;
    this.#changes = [];
  }

  folderKeys(): string[] {
    return [...this.#folders.keys()].sort();
  }

  itemKeys(): string[] {
    return [...this.#items.keys()].sort();
  }

  copy(): MemoryCopy {
    return {
      folders: [...this.#folders.values()].sort(byKey),
      items: [...this.#items.values()]
        .flatMap((item) => [item, ...this.#copyVersions(item)])
        .sort(byKey),
    };
  }

  /** The latest versions of a file, as items of a backup. */
  #copyVersions({ key: folder, title }: MemoryItem): MemoryItem[] {
    return this.listVersions(folder).map(({ id, at, content }) => {
      const key = `${folder}@${id}@${at}@${content.length}`;
      return { key, folder, changeKey: key, title, at, content };
    });
  }

  listVersions(key: string): readonly MemoryVersion[] {
    return this.hasHistory && this.#isDrive ? (this.#versions.get(key) ?? []) : [];
  }

  async *changes(
    cursors: ReadonlyMap<string, string>,
    call?: SourceCall,
  ): AsyncIterable<EngineResult<ChangePage>> {
    if (this.trouble.isAbsent) {
      yield { ok: false, error: GONE };
      return;
    }
    let pages = 0;
    const scopes = this.#scopes();
    const read = new Set<string>();
    while (scopes.length > 0) {
      const [scope = ''] = scopes.splice(this.trouble.shuffle?.(scopes.length) ?? 0, 1);
      read.add(scope);
      for (const page of this.#pagesOf(scope, cursors.get(scope))) {
        for (let copies = this.trouble.repeats ? 2 : 1; copies > 0; copies -= 1) {
          if (pages === this.trouble.cutAfter) {
            yield { ok: false, error: CUT };
            return;
          }
          pages += 1;
          await Promise.resolve();
          yield { ok: true, value: copies === 2 ? { ...page, isComplete: false } : page };
          await this.trouble.onPage?.(call);
        }
      }
      for (const added of this.#scopes())
        if (!read.has(added) && !scopes.includes(added)) scopes.push(added);
    }
  }

  async *fetch(items: readonly ItemChange[]): AsyncIterable<FetchedItem> {
    for (const request of items) {
      await Promise.resolve();
      this.fetched.push(request.key);
      const item = this.#items.get(request.key);
      if (item === undefined)
        yield { item: request, ok: false, error: { kind: 'missing', message: 'It is gone.' } };
      else if (this.trouble.unreadable.has(request.key))
        yield { item: request, ok: false, error: { kind: 'internal', message: 'It is broken.' } };
      else
        yield {
          item: this.#itemChange(item),
          ok: true,
          parts: [
            { as: this.#isDrive ? 'raw' : 'mime', content: new TextEncoder().encode(item.content) },
          ],
        };
    }
  }

  *#pagesOf(scope: string, cursor: string | undefined): Iterable<ChangePage> {
    const sent = cursor === undefined ? null : (JSON.parse(cursor) as Cursor);
    const isExpired = sent !== null && sent.epoch !== this.#epoch;
    const at = isExpired ? null : sent;
    if (at !== null && at.after === null) yield* this.#changesSince(scope, at);
    else
      yield* this.#listing(
        scope,
        at ?? { epoch: this.#epoch, since: this.#n, after: '' },
        isExpired,
      );
  }

  *#listing(
    scope: string,
    { epoch, since, after }: Cursor,
    restart: boolean,
  ): Iterable<ChangePage> {
    for (let last = after ?? '', first = restart; ; first = false) {
      const keys = this.#keysIn(scope).filter((key) => key > last);
      const part = keys.slice(0, this.pageSize);
      const isComplete = part.length === keys.length;
      last = part.at(-1) ?? last;
      const cursor = JSON.stringify({ epoch, since, after: isComplete ? null : last });
      yield { ...this.#page(scope, part), restart: first, cursor, isComplete };
      if (isComplete) return;
    }
  }

  *#changesSince(scope: string, { epoch, since }: Cursor): Iterable<ChangePage> {
    for (let last = since; ;) {
      const changes = this.#changes.filter((change) => change.scope === scope && change.n > last);
      const part = changes.slice(0, this.pageSize);
      const isComplete = part.length === changes.length;
      last = part.at(-1)?.n ?? last;
      const keys = [...new Set(part.map(({ key }) => key))];
      const cursor = JSON.stringify({ epoch, since: last, after: null });
      yield { ...this.#page(scope, keys), restart: false, cursor, isComplete };
      if (isComplete) return;
    }
  }

  #page(
    scope: string,
    keys: readonly string[],
  ): Pick<ChangePage, 'scope' | 'folders' | 'items' | 'removed'> {
    const present = new Set(this.#keysIn(scope));
    const folders: FolderChange[] = [];
    const items: ItemChange[] = [];
    const removed: string[] = [];
    for (const key of keys) {
      const [folder, item] = [this.#folders.get(key), this.#items.get(key)];
      if (!present.has(key)) removed.push(key);
      else if (folder !== undefined)
        folders.push({ ...folder, wellKnown: null, sharing: getSharing(folder.name) });
      else if (item !== undefined) items.push(this.#itemChange(item));
    }
    return { scope, folders, items, removed };
  }

  #itemChange({ content, ...item }: MemoryItem): ItemChange {
    return {
      ...item,
      kind: this.#isDrive ? 'file' : 'mail',
      people: 'ann@example.com',
      changedAt: item.at,
      bytes: this.trouble.listedBytes ?? content.length,
      flags: {},
    };
  }

  get #isDrive(): boolean {
    return this.object.kind === 'drive';
  }
  get #folderScope(): string {
    return this.#isDrive ? 'drive' : 'folders';
  }
  #scopeOf(item: Pick<MemoryItem, 'folder'>): string {
    return this.#isDrive ? 'drive' : item.folder;
  }
  #scopes(): string[] {
    return this.#isDrive ? ['drive'] : ['folders', ...this.folderKeys()];
  }
  #keysIn(scope: string): string[] {
    const items = [...this.#items.values()].filter((item) => this.#scopeOf(item) === scope);
    const folders = scope === this.#folderScope ? this.folderKeys() : [];
    return [...folders, ...items.map(({ key }) => key)].sort();
  }
  #log(scope: string, key: string): void {
    this.#n += 1;
    this.#changes.push({ n: this.#n, scope, key });
  }
}

interface Cursor {
  readonly epoch: number;
  readonly since: number;
  /** Last key of the listing so far; null: the listing is complete. */
  readonly after: string | null;
}

const byKey = (a: { readonly key: string }, b: { readonly key: string }): number =>
  a.key < b.key ? -1 : 1;

/** A tenant of such objects. */
export const memorySource = (objects: readonly MemoryObject[]): ObjectSource => {
  const find = ({ id, kind }: SourceObject): MemoryObject | undefined =>
    objects.find(({ object }) => object.id === id && object.kind === kind);
  return {
    kinds: ['mailbox', 'archive', 'drive'],
    changes: (object, cursors, call) => find(object)?.changes(cursors, call) ?? gone(),
    fetch: (object, items) => find(object)?.fetch(items) ?? allGone(items),
    async *listVersions(object, files) {
      await Promise.resolve();
      for (const file of files) {
        const memory = find(object);
        if (memory !== undefined) memory.versionLists += 1;
        const versions = (memory?.listVersions(file.key) ?? []).map(({ id, at, content }) => ({
          id,
          at,
          people: 'Ann',
          bytes: content.length,
        }));
        yield { file, versions: { ok: true, value: versions } };
      }
    },
    async *fetchVersions(object, versions) {
      await Promise.resolve();
      for (const { file, version } of versions) {
        const stored = find(object)?.listVersions(file);
        const found = stored?.find(({ id }) => id === version.id);
        const content: EngineResult<Uint8Array> =
          found === undefined
            ? { ok: false, error: GONE }
            : { ok: true, value: new TextEncoder().encode(found.content) };
        yield { file, version, content };
      }
    },
  };
};

async function* gone(): AsyncIterable<EngineResult<ChangePage>> {
  await Promise.resolve();
  yield { ok: false, error: GONE };
}
async function* allGone(items: readonly ItemChange[]): AsyncIterable<FetchedItem> {
  await Promise.resolve();
  for (const item of items) yield { item, ok: false, error: GONE };
}
export const memoryObject = (kind: ObjectKind, id: string, pageSize?: number): MemoryObject =>
  new MemoryObject({ kind, id, name: `Person ${id}`, address: `${id}@example.com` }, pageSize);

/** Some folders are shared, with a person and by a link. */
const getSharing = (name: string): readonly SharingPermission[] | null =>
  name.length % 2 === 0
    ? null
    : [
        { kind: 'person', id: 'ann', email: null, name, role: 'write', expiresAt: 5 },
        { kind: 'link', scope: 'organization', type: 'view', hasPassword: false, expiresAt: null },
        { kind: 'other', name: 'Visitors' },
      ];
