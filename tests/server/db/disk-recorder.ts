/**
 * Preloaded into a process (`node --import`), its threads too: appends what happens to the files
 * below the folder RECORDED to the file RECORD, in order, with what the process says. `disk-record.ts`
 * reads it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import type { Entry } from './disk-record.ts';

const folder = process.env['RECORDED'] ?? '';
const originals = { ...fs };
const record = originals.openSync(process.env['RECORD'] ?? '', 'a');
let syncs = 0;

function add(entry: Entry, data: Uint8Array = new Uint8Array()): void {
  const head = Buffer.from(JSON.stringify({ ...entry, bytes: data.byteLength }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  originals.writeSync(record, Buffer.concat([length, head, data]));
}

const isRecorded = (path: unknown): path is string =>
  typeof path === 'string' && path.startsWith(folder);
const getFile = (fd: number): number => originals.fstatSync(fd).ino;
const getFileAt = (path: string): number => originals.statSync(path).ino;

const recordedFds = new Set<number>();
fs.openSync = (path, ...rest) => {
  const fd = originals.openSync(path, ...rest);
  if (isRecorded(path)) recordedFds.add(fd);
  return fd;
};
fs.closeSync = (fd) => {
  recordedFds.delete(fd);
  originals.closeSync(fd);
};
fs.writeSync = ((
  fd: number,
  bytes: NodeJS.ArrayBufferView,
  offset: number,
  length: number,
  at: number,
): number => {
  const written = originals.writeSync(fd, bytes, offset, length, at);
  if (recordedFds.has(fd))
    add(
      { kind: 'write', file: getFile(fd), at },
      new Uint8Array(bytes.buffer, bytes.byteOffset + offset, written),
    );
  return written;
}) as typeof fs.writeSync;
fs.writeFileSync = (path, data, options) => {
  originals.writeFileSync(path, data, options);
  if (isRecorded(path)) add({ kind: 'create', path, file: getFileAt(path) });
};
fs.mkdirSync = ((path: string, options: fs.MakeDirectoryOptions) => {
  originals.mkdirSync(path, options);
  if (isRecorded(path)) add({ kind: 'create-folder', path, file: getFileAt(path) });
}) as typeof fs.mkdirSync;
fs.ftruncateSync = (fd, bytes) => {
  originals.ftruncateSync(fd, bytes);
  if (recordedFds.has(fd)) add({ kind: 'truncate', file: getFile(fd), at: bytes ?? 0 });
};
fs.truncateSync = (path, bytes) => {
  originals.truncateSync(path, bytes);
  if (isRecorded(path))
    add({ kind: 'truncate', file: getFileAt(path), at: typeof bytes === 'number' ? bytes : 0 });
};
fs.renameSync = (from, to) => {
  originals.renameSync(from, to);
  if (isRecorded(from)) add({ kind: 'rename', path: from, to: String(to) });
};
for (const name of ['unlinkSync', 'rmdirSync'] as const)
  fs[name] = (path: fs.PathLike) => {
    originals[name](path);
    if (isRecorded(path)) add({ kind: 'remove', path });
  };
for (const name of ['fsyncSync', 'fdatasyncSync'] as const)
  fs[name] = (fd) => {
    const sync = nextSync();
    const file = getFile(fd);
    add({ kind: 'sync-begins', sync, file });
    originals[name](fd);
    add({ kind: 'sync-ends', sync, file });
  };
fs.fdatasync = ((fd: number, done: fs.NoParamCallback) => {
  const sync = nextSync();
  const file = getFile(fd);
  add({ kind: 'sync-begins', sync, file });
  originals.fdatasync(fd, (error) => {
    if (error === null) add({ kind: 'sync-ends', sync, file });
    done(error);
  });
}) as typeof fs.fdatasync;
const nextSync = (): string => `${isMainThread ? 'server' : 'database'} ${(syncs += 1)}`;

if (isMainThread) {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string) => {
    add({ kind: 'said', text });
    return write(text);
  };
}
syncBuiltinESMExports();
