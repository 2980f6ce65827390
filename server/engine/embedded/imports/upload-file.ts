import { constants, mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineId } from '#contract/engine/engine.ts';
import type { Bytes, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';

/** Uploaded archives, in the folder of downloads in the background: all servers share it. */
export interface UploadFiles {
  path(id: EngineId): string;
  write(id: EngineId, at: Bytes, bytes: Uint8Array): Promise<void>;
  /** Whether the archive is there with all of its bytes. */
  has(id: EngineId, bytes: Bytes): Promise<boolean>;
  delete(id: EngineId): Promise<void>;
  getFreeBytes(): Promise<Bytes>;
}

/** Names are ids that the server made: nothing of them comes from content. */
export function makeUploadFiles(
  { config }: Pick<AppContext, 'config'>,
  tenant: TenantId,
): UploadFiles {
  const root = join(config.downloadsDir ?? join(config.dataDir, 'downloads'), tenant, 'imports');
  const path = (id: EngineId): string => join(root, id);
  return {
    path,
    async write(id, at, bytes) {
      await mkdir(root, { recursive: true });
      // The first part may arrive again while later ones are there: it must not cut them off.
      const file = await open(path(id), at === 0 ? constants.O_RDWR | constants.O_CREAT : 'r+');
      try {
        for (let done = 0; done < bytes.length;) {
          const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
          done += bytesWritten;
        }
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    has: async (id, bytes) => (await stat(path(id)).catch(() => null))?.size === bytes,
    delete: (id) => rm(path(id), { force: true }),
    async getFreeBytes() {
      await mkdir(root, { recursive: true });
      const { bavail, bsize } = await statfs(root);
      return bavail * bsize;
    },
  };
}
