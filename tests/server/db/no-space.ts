/**
 * Preloaded into a server (`node --import`), its threads too: files under DAYBOOK_DATA behave as on
 * a full disk while the file NO_SPACE names exists. Its content says how: `all` (nothing grows, and
 * the disk says so) or `log` (only the log of the database does not grow, and the disk says that
 * there is space).
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const dataDir = process.env['DAYBOOK_DATA'] ?? '';
const sign = process.env['NO_SPACE'] ?? '';
const paths = new Map<number, string>();
const { openSync, closeSync, writeSync, fstatSync, readFileSync } = fs;

function how(): 'all' | 'log' | null {
  try {
    return readFileSync(sign, 'utf8') === 'log' ? 'log' : 'all';
  } catch {
    return null;
  }
}

const full = (): Error =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    errno: -28,
    syscall: 'write',
  });

fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  paths.set(fd, String(path));
  return fd;
};
fs.closeSync = (fd) => {
  paths.delete(fd);
  closeSync(fd);
};
fs.writeSync = ((
  fd: number,
  buffer: NodeJS.ArrayBufferView,
  offset?: number | null,
  length?: number | null,
  position?: number | null,
): number => {
  const path = paths.get(fd) ?? '';
  if (path.startsWith(dataDir)) {
    const what = how();
    const end = typeof position === 'number' ? position + (length ?? buffer.byteLength) : Infinity;
    if ((what === 'all' || (what === 'log' && path.includes('pg_wal'))) && end > fstatSync(fd).size)
      throw full();
  }
  return writeSync(fd, buffer, offset, length, position);
}) as typeof fs.writeSync;

const { statfs } = fs.promises;
fs.promises.statfs = (async (path: string) =>
  Object.assign(await statfs(path), how() === 'all' && { bavail: 0, bfree: 0 })) as typeof statfs;
syncBuiltinESMExports();
