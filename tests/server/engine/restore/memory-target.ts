import type { EngineError, EngineErrorKind, EngineResult, Reply } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type {
  RestoreContent,
  RestorePorts,
  RestoreDestination,
} from '#server/engine/embedded/restore/running-task.ts';
import type {
  FetchedPart,
  SourceCall,
  SourceObject,
  Writer,
} from '#server/engine/embedded/types.ts';

/** An item of the target: `id` is the message's own id, `content` what it says. */
export interface TargetItem {
  readonly id: string;
  readonly folder: string;
  readonly content: string;
}

export class Killed extends Error {}

/** A mailbox in memory that items are written to, and that can stop the process at any write. */
export class MemoryTarget {
  readonly items = new Map<string, TargetItem & { readonly change: number }>();
  readonly folders = new Set<string>();
  /** Titles in the order in which they were written. */
  readonly order: string[] = [];
  /** Titles of items for which there was no room. */
  readonly refused: string[] = [];
  /** Everything that was written: the target keeps each as a version. */
  readonly contents: string[] = [];
  readonly #blobs = new Map<string, string>();
  /** Errors that the next calls get, by operation. */
  readonly failures: (readonly [op: string, kind: EngineErrorKind])[] = [];
  /** Called before each item is written. */
  onWrite: ((call: SourceCall) => Promise<void>) | null = null;
  /** Called before each request. */
  onStep: (() => Promise<void>) | null = null;
  #next = 1;
  #operations = 0;
  #process = 0;
  /** Before (odd) or after (even) which operation the process dies; 0: never. */
  killAt = 0;
  /** As mails are replaced: by another one, then the first is removed. Files keep their key. */
  replacesByCopy = false;
  /** Objects that have room for no item from this size on, by their ids. */
  readonly full = new Map<string, number>();
  /** As files are: each item of a folder has a name of its own. */
  hasUniqueNames = false;
  /** Several processes write to it at once. Else, each one ends the one before. */
  isShared = false;

  put(item: TargetItem): string {
    const key = `k${this.#next++}`;
    this.items.set(key, { ...item, change: this.#next++ });
    this.folders.add(item.folder);
    return key;
  }
  blob(content: string): StoredPart {
    this.#blobs.set(content, content);
    return { as: 'mime', bytes: content.length, crc: 0, blobs: [content] };
  }
  /** What the target holds, without keys. */
  state(): string[] {
    return [...this.items.values()]
      .map(({ id, folder, content }) => `${folder}/${id}=${content}`)
      .sort();
  }

  /** Each operation has two moments at which the process can die. */
  async #write<T>(op: string, work: () => EngineResult<T>): Reply<T> {
    await Promise.resolve();
    await this.onStep?.();
    if (++this.#operations === this.killAt) throw new Killed(`before ${op}`);
    const failure = this.#takeFailure(op);
    if (failure !== null) return failure;
    const result = work();
    if (++this.#operations === this.killAt) throw new Killed(`after ${op}`);
    return result;
  }
  #takeFailure(op: string): { readonly ok: false; readonly error: EngineError } | null {
    const at = this.failures.findIndex(([name]) => name === op);
    const failure = at < 0 ? undefined : this.failures.splice(at, 1)[0];
    return failure === undefined
      ? null
      : { ok: false, error: { kind: failure[1], message: `${op} failed` } };
  }
  get operations(): number {
    return this.#operations;
  }
  revive(): void {
    this.killAt = 0;
  }

  #getCopyId(id: string, folder: string): string {
    const ids = new Set(
      [...this.items.values()].filter((one) => one.folder === folder).map((one) => one.id),
    );
    let copy = id;
    for (let n = 1; ids.has(copy); n++) copy = `${id} ${n}`;
    return copy;
  }

  readonly writer: Writer = {
    find: async ({ path }, item) => {
      await this.onStep?.();
      const folder = path.map(({ name }) => name).join('/');
      const same = [...this.items].filter(
        ([, one]) => one.folder === folder && one.id === (item.flags.messageId ?? item.key),
      );
      const content = this.#contentOf(item.parts);
      const found = same.find(([, one]) => one.content === content) ?? same[0];
      return {
        ok: true,
        value: found
          ? {
              key: found[0],
              changeKey: String(found[1].change),
              isSame: found[1].content === content,
            }
          : null,
      };
    },
    findCopy: async ({ path }, item, others) => {
      const folder = path.map(({ name }) => name).join('/');
      const id = item.flags.messageId ?? item.key;
      const content = this.#contentOf(item.parts);
      const copy = [...this.items].find(
        ([key, one]) =>
          !others.includes(key) &&
          one.folder === folder &&
          (one.id === id || one.id.startsWith(`${id} `)) &&
          one.content === content,
      );
      return {
        ok: true,
        value: copy ? { key: copy[0], changeKey: String(copy[1].change), isSame: true } : null,
      };
    },
    findFolder: async ({ path }) => {
      const name = path.map((part) => part.name).join('/');
      return { ok: true, value: this.folders.has(name) ? name : null };
    },
    ensureFolder: async ({ path }, _call, recorder) => {
      const created: string[] = [];
      for (const depth of path.keys()) {
        const part = path.slice(0, depth + 1);
        const key = part.map(({ name }) => name).join('/');
        if (this.folders.has(key)) continue;
        await recorder?.before(part);
        const added = await this.#write('folder', () => {
          const isNew = !this.folders.has(key);
          this.folders.add(key);
          return { ok: true, value: isNew };
        });
        if (!added.ok) return added;
        if (added.value) created.push(key);
        await recorder?.after(part, added.value ? key : null);
      }
      const key = path.map(({ name }) => name).join('/');
      return { ok: true, value: { key, created } };
    },
    write: async (place, item, input, call) => {
      const { replaces, content } = input;
      const read = await content('mime');
      if (!read.ok) return read;
      let text = '';
      for await (const piece of read.value) text += new TextDecoder().decode(piece);
      await this.onWrite?.(call);
      if (text.length >= (this.full.get(place.object.id) ?? Infinity)) {
        this.refused.push(item.title);
        return { ok: false, error: { kind: 'full', message: 'No room.' } };
      }
      const written = await this.#write('write', () => {
        this.contents.push(text);
        this.order.push(item.title);
        const folder = place.path.map(({ name }) => name).join('/');
        const now = replaces === null ? null : this.items.get(replaces.key);
        if (now === undefined) return { ok: false, error: { kind: 'missing', message: 'gone' } };
        if (now !== null && String(now.change) !== replaces?.changeKey)
          return { ok: false, error: { kind: 'conflict', message: 'changed' } };
        if (now !== null && replaces !== null && !this.replacesByCopy) {
          const change = this.#next++;
          this.items.set(replaces.key, { ...now, content: text, change });
          return { ok: true, value: { key: replaces.key, changeKey: String(change) } };
        }
        const own = item.flags.messageId ?? item.key;
        const id = this.hasUniqueNames && input.keepBoth ? this.#getCopyId(own, folder) : own;
        const key = this.put({ id, folder, content: text });
        return { ok: true, value: { key, changeKey: String(this.items.get(key)?.change) } };
      });
      if (!written.ok || replaces === null || !this.replacesByCopy) return written;
      const removed = await this.writer.remove(place.object, replaces, call);
      return removed.ok ? written : removed;
    },
    remove: async (_object, { key, changeKey }, _call, before) => {
      const now = this.items.get(key);
      if (!now) return { ok: false, error: { kind: 'missing', message: 'gone' } };
      if (String(now.change) !== changeKey)
        return { ok: false, error: { kind: 'conflict', message: 'changed' } };
      await before?.();
      return this.#write('remove', () => {
        this.items.delete(key);
        return { ok: true, value: undefined };
      });
    },
    removeFolder: (_object, key) =>
      this.#write('remove-folder', () => {
        const isUsed = [...this.items.values()].some(({ folder }) => folder.startsWith(key));
        const hasFolder = [...this.folders].some((one) => one.startsWith(`${key}/`));
        if (isUsed || hasFolder) return { ok: false, error: { kind: 'conflict', message: 'used' } };
        this.folders.delete(key);
        return { ok: true, value: undefined };
      }),
  };

  #contentOf = (parts: readonly StoredPart[]): string =>
    parts.flatMap(({ blobs }) => blobs).join('');

  readonly target = (process: number): RestoreDestination => ({
    writerOf: () => this.#writerOf(process),
    fetch: async (_object, key) => {
      const failure = this.#takeFailure('fetch');
      if (failure !== null) return failure;
      const now = this.items.get(key);
      if (!now) return { ok: false, error: { kind: 'missing', message: 'gone' } };
      return {
        ok: true,
        value: {
          item: {
            key,
            changeKey: String(now.change),
            kind: 'mail',
            title: now.id,
            people: '',
            at: 0,
            changedAt: 0,
            bytes: now.content.length,
            flags: { messageId: now.id },
          },
          parts: [{ as: 'mime', content: new TextEncoder().encode(now.content) }],
        },
      };
    },
    findObject: async (kind, id) => ({
      ok: true,
      value: { kind, id, name: id, address: `${id}@example.com` } satisfies SourceObject,
    }),
  });
  /** A process that was killed writes nothing any more. */
  #writerOf(process: number): Writer {
    const alive =
      <A extends readonly unknown[], T>(work: (...args: A) => Reply<T>) =>
      (...args: A): Reply<T> =>
        this.isShared || process === this.#process
          ? work(...args)
          : Promise.reject(new Killed('another process'));
    const { writer } = this;
    return {
      find: alive((...args) => writer.find(...args)),
      findCopy: alive((...args) => writer.findCopy(...args)),
      findFolder: alive((...args) => writer.findFolder(...args)),
      ensureFolder: alive((...args) => writer.ensureFolder(...args)),
      write: alive((...args) => writer.write(...args)),
      remove: alive((...args) => writer.remove(...args)),
      removeFolder: alive((...args) => writer.removeFolder(...args)),
    };
  }
  readonly content: RestoreContent = {
    read: (part) => this.#read(part),
    save: (part: FetchedPart) =>
      this.#write('save', () => {
        if (!(part.content instanceof Uint8Array)) throw new Error('Bytes only.');
        return { ok: true, value: this.blob(new TextDecoder().decode(part.content)) };
      }),
    flush: () => this.#write('flush', () => ({ ok: true, value: undefined })),
    close: async () => {},
  };
  async *#read({ blobs }: StoredPart): AsyncIterable<Uint8Array> {
    for (const blob of blobs) {
      const content = this.#blobs.get(blob);
      if (content === undefined) throw new Error('No such blob.');
      await Promise.resolve();
      yield new TextEncoder().encode(content);
    }
  }

  readonly ports: RestorePorts = {
    openTarget: async () => ({ ok: true, value: this.target(++this.#process) }),
    openAdministrator: () => {
      throw new Error('Nobody signs in here.');
    },
    openContent: async () => ({ ok: true, value: this.content }),
  };
}
