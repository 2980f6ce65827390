import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPostgres, startCluster } from './databases.ts';
import { OF_RUN } from './folders.ts';

/**
 * Before a run, creates a folder for the data that tests begin with, and starts PostgreSQL, which
 * takes longer than a test. Returns what removes the folder after the run.
 */
export default async function setUp(): Promise<() => void> {
  const place = mkdtempSync(join(tmpdir(), 'daybook-e2e-made-'));
  chmodSync(place, 0o711); // PostgreSQL, which lies in it, is no program of root's
  process.env[OF_RUN] = place; // the workers inherit it
  if (hasPostgres()) await startCluster(process.pid);
  return () => {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  };
}
