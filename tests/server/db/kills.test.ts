import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '#server/platform/db/open.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { child } from './children.ts';
import { migratedFolder, QUIET } from './databases.ts';
import { aTenant } from './drafts.ts';

const KILLS = 10 * Number(process.env['PROOF'] ?? 1);

test('G19, LOG-3, LOCK-1: ten kills of a writing process at random moments lose no acknowledged write and leave no gap', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'daybook-kills-'));
  try {
    await migratedFolder(dir);
    const store = await openStore({ ...QUIET, dataDir: dir, databaseUrl: null });
    const tenant = await aTenant(store);
    await store.close();
    let stored = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const writer = child('write', dir, tenant);
      expect(await writer.first, 'the lock and the log of the one before are taken over').toEqual({
        kind: 'held',
      });
      const enough = stored + 1;
      while (!writer.lines.some((line) => line.kind === 'acknowledged' && line.seq >= enough))
        await pause(5);
      await pause(Math.random() * 150);
      writer.kill();
      await writer.ended;
      for (const line of writer.lines)
        if (line.kind === 'acknowledged') stored = Math.max(stored, line.seq);
    }
    const after = await openStore({ ...QUIET, dataDir: dir, databaseUrl: null });
    try {
      // throws at a hole, or at a head that is not the log's end
      const [log] = await rebuild(after);
      expect(log?.differences).toEqual([]);
      expect(log?.events).toBeGreaterThanOrEqual(stored);
      expect(stored).toBeGreaterThan(KILLS * 3);
    } finally {
      await after.close();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
