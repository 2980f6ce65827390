import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the system's folder for temporary files, of which a run has a folder of its own. */
export const SYSTEM_FOLDER = 'DAYBOOK_TESTS_TMPDIR';

let folder: string | null = null;

/**
 * Before a run, creates a folder for all temporary files of its tests, some gigabytes. Each project
 * of the run calls this.
 */
export function setup(): void {
  if (process.env[SYSTEM_FOLDER] !== undefined) return;
  process.env[SYSTEM_FOLDER] = tmpdir();
  folder = mkdtempSync(join(tmpdir(), 'daybook-'));
  chmodSync(folder, 0o711); // programs of other users use folders in it
  // The workers inherit these.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
}

/** Removes the folder after the run. */
export function teardown(): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
