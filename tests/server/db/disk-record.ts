/**
 * What a disk may hold after a power cut, calculated from a record of `disk-recorder.ts`. Certain is
 * only what was flushed: the bytes of a file by a flush of the file, its name by a flush of its
 * folder. Of the rest any part may be there, in pieces of 512 or 4,096 bytes.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export type Entry =
  | { readonly kind: 'write' | 'truncate'; readonly file: number; readonly at: number }
  | { readonly kind: 'create' | 'create-folder'; readonly path: string; readonly file: number }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | {
      readonly kind: 'sync-begins' | 'sync-ends';
      readonly sync: string;
      readonly file: number;
    }
  | { readonly kind: 'said'; readonly text: string };
export type Recorded = Entry & { readonly data: Buffer };

/** Reads a record. It may end within an entry, if the process was killed. */
export function readRecord(path: string): readonly Recorded[] {
  const all = readFileSync(path);
  const entries: Recorded[] = [];
  for (let at = 0; at + 4 <= all.length;) {
    const begin = at + 4 + all.readUInt32LE(at);
    if (begin > all.length) break;
    const { bytes, ...entry } = JSON.parse(all.toString('utf8', at + 4, begin)) as Entry & {
      bytes: number;
    };
    if (begin + bytes > all.length) break;
    entries.push({ ...entry, data: all.subarray(begin, begin + bytes) });
    at = begin + bytes;
  }
  return entries;
}

/** A change of a file's bytes. `data` null: it is cut off or extended at `at`. */
interface Change {
  readonly at: number;
  readonly data: Buffer | null;
}
interface File {
  flushed: Buffer;
  unflushed: Change[];
}
/** A change of a folder: the names now lead to these, or to nothing. */
type Naming = ReadonlyMap<string, File | Folder | null>;
interface Folder {
  readonly names: Map<string, File | Folder>;
  unflushed: Naming[];
}

const isFolder = (one: File | Folder): one is Folder => 'names' in one;

/** How a power cut treats what was not flushed. */
export type Loss = 'everything' | 'nothing' | 'pieces';

export interface Disk {
  play(entry: Recorded): void;
  /** Writes what may be there after a power cut now. `random` returns 0 to 1. */
  cut(dir: string, loss: Loss, random: () => number): void;
}

/** A folder before its record begins, when all of it is flushed. */
export interface Start {
  readonly root: string;
  readonly folder: StartFolder;
}
interface StartFolder {
  readonly file: number;
  readonly entries: ReadonlyMap<string, StartFolder | { file: number; bytes: Buffer }>;
}
export const readStart = (root: string): Start => ({ root, folder: readFolder(root) });
const readFolder = (dir: string): StartFolder => ({
  file: statSync(dir).ino,
  entries: new Map(
    readdirSync(dir, { withFileTypes: true }).map((entry) => {
      const path = join(dir, entry.name);
      return [
        entry.name,
        entry.isDirectory()
          ? readFolder(path)
          : { file: statSync(path).ino, bytes: readFileSync(path) },
      ];
    }),
  ),
});

/** The disk with that folder. `flushes` false: it ignores flushes. */
export function makeDisk({ root, folder: start }: Start, flushes = true): Disk {
  const byNumber = new Map<number, File | Folder>();
  const begun = new Map<string, { readonly of: File | Folder; count: number }>();
  const top = load(start);

  function load({ file, entries }: StartFolder): Folder {
    const folder: Folder = { names: new Map(), unflushed: [] };
    byNumber.set(file, folder);
    for (const [name, entry] of entries)
      if ('entries' in entry) folder.names.set(name, load(entry));
      else {
        const one: File = { flushed: Buffer.from(entry.bytes), unflushed: [] };
        byNumber.set(entry.file, one);
        folder.names.set(name, one);
      }
    return folder;
  }

  /** Finds what a path leads to for the running system. */
  function find(path: string): File | Folder {
    if (path === root) return top;
    const parent = find(dirname(path)) as Folder;
    const name = basename(path);
    const last = parent.unflushed.findLast((naming) => naming.has(name));
    const found = (last ?? parent.names).get(name);
    if (found === undefined || found === null) throw new Error(`The record has no ${path}.`);
    return found;
  }
  const rename = (dir: string, ...naming: [name: string, to: File | Folder | null][]): void =>
    void (find(dir) as Folder).unflushed.push(new Map(naming));

  function flush(one: File | Folder, count: number): void {
    if (isFolder(one))
      for (const naming of one.unflushed.splice(0, count)) setNames(one.names, naming);
    else one.flushed = one.unflushed.splice(0, count).reduce(change, one.flushed);
  }

  return {
    play(entry) {
      if (entry.kind === 'write' || entry.kind === 'truncate') {
        const file = byNumber.get(entry.file) as File;
        file.unflushed.push({ at: entry.at, data: entry.kind === 'write' ? entry.data : null });
      } else if (entry.kind === 'create' || entry.kind === 'create-folder') {
        const one: File | Folder =
          entry.kind === 'create'
            ? { flushed: Buffer.alloc(0), unflushed: [] }
            : { names: new Map(), unflushed: [] };
        byNumber.set(entry.file, one);
        rename(dirname(entry.path), [basename(entry.path), one]);
      } else if (entry.kind === 'rename')
        // In one folder, as PostgreSQL does.
        rename(
          dirname(entry.path),
          [basename(entry.path), null],
          [basename(entry.to), find(entry.path)],
        );
      else if (entry.kind === 'remove') rename(dirname(entry.path), [basename(entry.path), null]);
      else if (entry.kind === 'sync-begins') {
        const of = byNumber.get(entry.file);
        if (of !== undefined) begun.set(entry.sync, { of, count: of.unflushed.length });
      } else if (entry.kind === 'sync-ends') {
        const sync = begun.get(entry.sync);
        if (sync === undefined || !flushes) return;
        begun.delete(entry.sync);
        flush(sync.of, sync.count);
        // What another flush of the same began with is flushed in part.
        for (const other of begun.values())
          if (other.of === sync.of) other.count = Math.max(0, other.count - sync.count);
      }
    },
    cut(dir, loss, random) {
      write(top, dir);
      function write(folder: Folder, path: string): void {
        mkdirSync(path, { recursive: true, mode: 0o700 });
        const names = new Map(folder.names);
        // A folder's changes reach the disk in order.
        const reached = { everything: 0, nothing: 1, pieces: random() }[loss];
        for (const naming of folder.unflushed.slice(
          0,
          Math.round(folder.unflushed.length * reached),
        ))
          setNames(names, naming);
        for (const [name, one] of names)
          if (isFolder(one)) write(one, join(path, name));
          else writeFileSync(join(path, name), remains(one), { mode: 0o600 });
      }
      function remains({ flushed, unflushed }: File): Buffer {
        if (loss === 'everything') return flushed;
        const torn = random() < 0.5;
        const size = random() < 0.5 ? 512 : 4096;
        const end = torn ? Math.floor(random() * (unflushed.length + 1)) : unflushed.length;
        let bytes: Buffer = Buffer.from(flushed);
        const apply = (one: Change): void => {
          bytes = change(bytes, one);
        };
        for (const [index, one] of unflushed.entries()) {
          if (loss === 'nothing') apply(one);
          else if (torn) {
            // In order, and the last one up to any byte.
            const { at, data } = one;
            if (index < end) apply(one);
            else if (index === end && data !== null)
              apply({ at, data: data.subarray(0, random() * data.length) });
          } else if (one.data === null) {
            if (random() < 0.5) apply(one);
          } else
            for (let at = 0; at < one.data.length; at += size)
              if (random() < 0.5)
                apply({ at: one.at + at, data: one.data.subarray(at, at + size) });
        }
        return bytes;
      }
    },
  };
}

function setNames(names: Map<string, File | Folder>, naming: Naming): void {
  for (const [name, to] of naming)
    if (to === null) names.delete(name);
    else names.set(name, to);
}

/** Returns the bytes after a change, the same ones if their length is enough. */
function change(bytes: Buffer, { at, data }: Change): Buffer {
  const length = data === null ? at : Math.max(bytes.length, at + data.length);
  const changed = length === bytes.length ? bytes : Buffer.alloc(length);
  if (changed !== bytes) bytes.copy(changed);
  data?.copy(changed, at);
  return changed;
}
