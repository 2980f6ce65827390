import fs from 'node:fs';
import { join } from 'node:path';

/**
 * Flushes a file to disk, whichever process wrote it. Its name is on disk once its folder is
 * flushed.
 */
export function flushFile(path: string): void {
  const fd = fs.openSync(path, 'r+');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Flushes the names in a folder. A folder that is gone has none, and Windows flushes no folders. */
export function flushFolder(dir: string): void {
  if (process.platform === 'win32' || !fs.existsSync(dir)) return;
  const fd = fs.openSync(dir, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Flushes all files and folders below a folder, and the folder. */
export function flushTree(dir: string): void {
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) flushTree(path);
    else if (entry.isFile()) flushFile(path);
  }
  flushFolder(dir);
}
