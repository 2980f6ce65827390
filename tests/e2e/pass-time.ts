import { spawnSync } from 'node:child_process';
import type { Portal } from './portal.ts';
import { NODE } from './server-process.ts';

/**
 * Stops the server and starts it again as if these minutes had passed: its sessions, links and restore
 * points are older by them.
 */
export async function passTime(portal: Portal, minutes: number): Promise<void> {
  await portal.kill();
  const passed = spawnSync(NODE, ['tests/e2e/time-travel.ts', portal.dataDir, String(minutes)], {
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: portal.databaseUrl },
  });
  if (passed.status !== 0) throw new Error(passed.stderr);
  await portal.start();
}
