import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { makeLog } from '#server/platform/log.ts';
import { openStore } from '#server/platform/db/open.ts';

const dir = mkdtempSync(join(tmpdir(), 'folder-'));
const getMode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

test('STORE-10: an embedded database is readable only by its owner, in a folder that others may enter, also if it was readable before', async () => {
  const open = () =>
    openStore({
      dataDir: dir,
      databaseUrl: null,
      clock: systemClock,
      log: makeLog(systemClock, () => undefined),
    });
  chmodSync(dir, 0o755);
  await (await open()).close();
  expect([getMode(dir), getMode(join(dir, 'pg'))]).toEqual(['755', '700']);
  chmodSync(join(dir, 'pg'), 0o755);
  const again = await open();
  expect(getMode(join(dir, 'pg'))).toBe('700');
  await again.close();
});
