import fs, { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openStore, type OpenStore } from '#server/platform/db/open.ts';
import { migratedFolder, QUIET } from './databases.ts';
import { aTenant } from './drafts.ts';

test('STORE-20: the thread of the server, which answers calls, does not read the log when the database starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-log-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  await migratedFolder(dataDir);
  const open = (): Promise<OpenStore> => openStore({ ...QUIET, dataDir, databaseUrl: null });
  const first = await open();
  await aTenant(first);
  await first.close();
  const read = vi.spyOn(fs, 'readFileSync');
  try {
    await (await open()).close();
    const files = read.mock.calls.map(([path]) => String(path));
    // The file that says up to where changes were acknowledged is read, so that the spy is seen to work.
    expect(files).toContainEqual(expect.stringContaining('daybook-acknowledged'));
    expect(files.filter((path) => /pg_wal|pg_control/.test(path))).toEqual([]);
  } finally {
    read.mockRestore();
    rmSync(folder, { recursive: true });
  }
});
