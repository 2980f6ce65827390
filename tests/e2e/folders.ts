import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@playwright/test';

/** The environment variable with the folder of the test run, set by `run.config.ts`. */
export const OF_RUN = 'DAYBOOK_E2E_FOLDERS';

/**
 * Returns a new copy of a template folder. The first worker that needs a kind makes its template,
 * once a run. `make` fills an empty folder and leaves nothing running on it. The time that a template
 * takes doesn't count for the test or hook that needs it first.
 */
export async function copyFolder(
  kind: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const place = join(
    process.env[OF_RUN] ?? '',
    createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 16),
  );
  const made = join(place, 'made');
  const draft = join(place, 'draft');
  const failed = join(place, 'failed');
  const { timeout } = test.info();
  const beganAt = Date.now();
  test.setTimeout(0);
  if (claimFolder(place)) {
    mkdirSync(draft);
    try {
      await make(draft);
      renameSync(draft, made);
    } catch (error) {
      writeFileSync(failed, String(error));
    }
  }
  while (!existsSync(made)) {
    if (existsSync(failed))
      throw new Error(`the template folder could not be made: ${readFileSync(failed, 'utf8')}`);
    if (Date.now() - beganAt > MAKING_MS)
      throw new Error('the template folder was not made in time');
    await new Promise((done) => {
      setTimeout(done, 100);
    });
  }
  test.setTimeout(timeout + Date.now() - beganAt);
  const copy = mkdtempSync(join(tmpdir(), 'daybook-e2e-'));
  cpSync(made, copy, { recursive: true, filter: (file) => !file.endsWith('.sock') });
  return copy;
}

/** Ends a run whose demo data are never ready. It is no measure of speed. */
export const MAKING_MS = 900_000;

/** Creates the folder. Returns false if another worker did. */
export function claimFolder(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch {
    return false;
  }
}
