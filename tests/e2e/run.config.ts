import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OF_RUN } from './folders.ts';

/**
 * What Playwright does before a run: a place for the folders that tests begin from. Answers what
 * takes it away after the run.
 */
export default function setUp(): () => void {
  const place = mkdtempSync(join(tmpdir(), 'daybook-e2e-made-'));
  chmodSync(place, 0o711); // PostgreSQL, which lies in it, is no program of root's
  process.env[OF_RUN] = place; // the workers inherit it
  return () => {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  };
}
