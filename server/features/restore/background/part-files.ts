import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat, statfs, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bytes, DownloadId, TenantId } from '#contract/ids.ts';
import type { PartFile } from '#server/engine/public/downloads.ts';
import type { AppContext } from '#server/platform/app-context.ts';

/** Files of downloads in the background, in a folder of the server. */
export interface PartFiles {
  /** Starts a file again. */
  create(download: DownloadId, n: number): Promise<OpenPart>;
  read(download: DownloadId, n: number, from: Bytes, to: Bytes): AsyncIterable<Uint8Array>;
  /** Whether a finished file is there, with all of its bytes. */
  has(download: DownloadId, n: number, bytes: Bytes): Promise<boolean>;
  /** Removes all files of a download. */
  delete(download: DownloadId): Promise<void>;
  getFreeBytes(): Promise<Bytes>;
}
interface OpenPart extends PartFile {
  /** Stores the file permanently. */
  finish(): Promise<{ readonly bytes: Bytes; readonly sha256: string }>;
  close(): Promise<void>;
}

/** Names are ids that the server made: nothing of them comes from content. */
export function makePartFiles({ config }: Pick<AppContext, 'config'>, tenant: TenantId): PartFiles {
  const root = join(config.downloadsDir ?? join(config.dataDir, 'downloads'), tenant);
  const folder = (download: DownloadId): string => join(root, download);
  const path = (download: DownloadId, n: number): string => join(folder(download), `${n}`);
  return {
    async create(download, n) {
      await mkdir(folder(download), { recursive: true });
      const file = await open(`${path(download, n)}.new`, 'w');
      return toOpenPart(file, path(download, n));
    },
    read: (download, n, from, to) =>
      from === to ? NO_BYTES : createReadStream(path(download, n), { start: from, end: to - 1 }),
    has: async (download, n, bytes) =>
      (await stat(path(download, n)).catch(() => null))?.size === bytes,
    delete: (download) => rm(folder(download), { recursive: true, force: true }),
    async getFreeBytes() {
      await mkdir(root, { recursive: true });
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },
  };
}

const NO_BYTES: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};

const toOpenPart = (file: FileHandle, path: string): OpenPart => ({
  async write(bytes, at) {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
  },
  truncate: (bytes) => file.truncate(bytes),
  async finish() {
    await file.sync();
    await file.close();
    await rename(`${path}.new`, path);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  },
  close: () => file.close(),
});
