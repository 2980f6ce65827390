import fs from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { flushFolder, flushTree } from '../flush-files.ts';
import { removeAcknowledged } from './acknowledged.ts';
import { findLastEnd, getFileStart } from './log-records.ts';

/**
 * A position of the write-ahead log that is written, and on disk only after a flush of `path`. `end`:
 * where its last whole record ends, in bytes of log.
 */
export interface Unflushed {
  readonly path: string;
  readonly position: bigint;
  readonly end: bigint;
}

/**
 * The position up to which the log is on disk, and where its last whole record there ends. The
 * database's thread and the server's share it.
 */
export type FlushedPosition = BigInt64Array<SharedArrayBuffer>;
export const makeFlushedPosition = (): FlushedPosition =>
  new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT));
export const getFlushed = (flushed: FlushedPosition): bigint => Atomics.load(flushed, 0);
export const getFlushedEnd = (flushed: FlushedPosition): bigint => Atomics.load(flushed, 1);

/** Never moves back, whichever thread is later. Who sees the position sees its end. */
export function advance(
  flushed: FlushedPosition,
  { position, end }: Pick<Unflushed, 'position' | 'end'>,
): void {
  raise(flushed, 1, end);
  raise(flushed, 0, position);
}

function raise(values: FlushedPosition, index: number, to: bigint): void {
  for (let before = Atomics.load(values, index); before < to;) {
    const found = Atomics.compareExchange(values, index, before, to);
    if (found === before) return;
    before = found;
  }
}

/** The parts of Emscripten's file system that are wrapped here. */
interface Node {
  readonly mode: number;
}
interface Stream {
  readonly node: Node;
  readonly nfd: number;
}
/** The arguments of a write: the bytes, where they begin there, how many, and where in the file. */
type Written = [bytes: Uint8Array, offset: number, length: number, at: number];
type Operations<Name extends string, Of> = Record<Name, (of: Of, ...rest: never[]) => unknown>;
interface NodeFiles {
  realPath(node: Node): string;
  tryFSOperation<T>(work: () => T): T;
  readonly stream_ops: Operations<'write' | 'setattr' | 'close' | 'fsync', Stream>;
  readonly node_ops: Operations<
    'setattr' | 'mknod' | 'rename' | 'unlink' | 'rmdir' | 'symlink',
    Node
  >;
}
interface EmscriptenModule {
  readonly NODEFS: NodeFiles;
  readonly FS: { isDir(mode: number): boolean };
}

/**
 * The folder of an embedded database that flushes to disk where PostgreSQL asks for it; PGlite's own
 * ignores that. A flush of the write-ahead log is put off until `flush`, or until another thread has
 * flushed the file and advanced `flushed`, so that several commits share one. Until then nothing
 * else in the folder changes: whatever would, flushes the log first. No answer may leave before the
 * log that it depends on is on disk, which is for the caller to ensure (`getUnflushed`).
 */
export class DurableFolder extends NodeFS {
  readonly #flushed: FlushedPosition;
  #position = 0n;
  /** Where the last whole record ends: of what was written, and of what `#position` covers. */
  #writtenEnd = 0;
  #end = 0n;
  #pending: { readonly path: string; readonly fd: number } | null = null;
  /** Folders whose entries changed since they were flushed. */
  readonly #changedFolders = new Set<string>();
  #failure: unknown = null;
  /** Of each file of the log, in bytes. */
  #fileSize: number | null = null;

  constructor(dir: string, flushed: FlushedPosition) {
    super(dir);
    this.#flushed = flushed;
    this.#position = getFlushed(flushed);
  }

  override async init(
    pglite: PGlite,
    options: Parameters<NodeFS['init']>[1],
  ): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options);
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          ...(emscriptenOpts.preRun ?? []),
          (module: unknown) => {
            this.#wrap(module as EmscriptenModule);
          },
        ],
      },
    };
  }

  /**
   * Returns the end of the log if it is not on disk yet.
   * @throws if a flush has failed.
   */
  getUnflushed(): Unflushed | null {
    if (this.#failure !== null) throw this.#failure;
    return this.#pending === null || getFlushed(this.#flushed) >= this.#position
      ? null
      : { path: this.#pending.path, position: this.#position, end: this.#end };
  }

  /**
   * Flushes what was put off.
   * @throws if that fails, then and at each later change: the database must be opened again.
   */
  flush(): void {
    if (this.#failure !== null) throw this.#failure;
    const pending = this.#pending;
    if (pending === null) return;
    try {
      if (getFlushed(this.#flushed) < this.#position) fs.fdatasyncSync(pending.fd);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
    this.#pending = null;
    advance(this.#flushed, { position: this.#position, end: this.#end });
  }

  /**
   * Flushes all files and folders, whichever process wrote them, unless all writers flushed:
   * PostgreSQL flushes the files of a killed process when it recovers.
   */
  flushAll(): void {
    this.flush();
    const mark = join(this.rootDir, FLUSHED_MARK);
    if (fs.existsSync(mark)) return;
    flushTree(this.rootDir);
    this.#changedFolders.clear();
    try {
      fs.writeFileSync(mark, '');
    } catch {
      // Without space for it, the next opening flushes all again.
    }
  }

  #noteEnd(
    path: string,
    fd: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    at: number,
  ): void {
    this.#fileSize ??= fs.fstatSync(fd).size;
    const view = new DataView(bytes.buffer, bytes.byteOffset + offset, length);
    const start = getFileStart(basename(path), this.#fileSize) + at;
    this.#writtenEnd = Math.max(
      this.#writtenEnd,
      findLastEnd(view, start, this.#fileSize) ?? this.#writtenEnd,
    );
  }

  #wrap({ NODEFS: files, FS }: EmscriptenModule): void {
    const { stream_ops: streams, node_ops: nodes } = files;
    /** Flushes the log before anything else changes. Temporary files may change at any time. */
    const beforeChange = (path: string): void => {
      if (this.#pending !== null && !isTemporary(path)) files.tryFSOperation(() => this.flush());
    };
    const { write, close } = streams;
    streams.write = (stream, ...rest) => {
      const path = files.realPath(stream.node);
      if (path !== this.#pending?.path) beforeChange(path);
      const written = write(stream, ...rest);
      if (isLog(path)) this.#noteEnd(path, stream.nfd, ...(rest as readonly unknown[] as Written));
      return written;
    };
    streams.close = (stream, ...rest) => {
      if (stream.nfd === this.#pending?.fd) files.tryFSOperation(() => this.flush());
      return close(stream, ...rest);
    };
    streams.fsync = ({ node, nfd }) =>
      files.tryFSOperation(() => {
        const path = files.realPath(node);
        if (FS.isDir(node.mode)) {
          if (process.platform !== 'win32') fs.fsyncSync(nfd);
          this.#changedFolders.delete(path);
        } else if (isLog(path)) {
          if (path !== this.#pending?.path) this.flush();
          this.#position += 1n;
          this.#end = BigInt(this.#writtenEnd);
          this.#pending = { path, fd: nfd };
        } else {
          this.flush();
          fs.fdatasyncSync(nfd);
          for (const folder of this.#changedFolders) flushFolder(folder);
          this.#changedFolders.clear();
        }
        return 0;
      });
    const setAttributes = streams.setattr;
    streams.setattr = (stream, ...rest) => {
      beforeChange(files.realPath(stream.node));
      return setAttributes(stream, ...rest);
    };
    for (const name of ['setattr', 'mknod', 'rename', 'unlink', 'rmdir', 'symlink'] as const) {
      const change = nodes[name];
      nodes[name] = (node, ...rest) => {
        const path = files.realPath(node);
        beforeChange(path);
        if (name !== 'setattr' && !isTemporary(path)) {
          // A file is renamed from its own node into a folder; all else happens in a folder's node.
          this.#changedFolders.add(name === 'rename' ? dirname(path) : path);
          if (name === 'rename') this.#changedFolders.add(files.realPath(rest[0] as never));
        }
        return change(node, ...rest);
      };
    }
  }
}

/** An empty file in the folder: nothing has written to it without flushing. */
const FLUSHED_MARK = 'daybook-flushed';

/** Call before the folder is opened without flushing. */
export function removeFlushedMark(dir: string): void {
  removeAcknowledged(dir);
  const mark = join(dir, FLUSHED_MARK);
  if (!fs.existsSync(mark)) return;
  fs.rmSync(mark);
  flushFolder(dir);
}

/** Returns whether the file is a piece of the write-ahead log in use. */
const isLog = (path: string): boolean =>
  basename(dirname(path)) === 'pg_wal' && /^[\dA-F]{24}$/.test(basename(path));
const isTemporary = (path: string): boolean => path.split(sep).includes('pgsql_tmp');
