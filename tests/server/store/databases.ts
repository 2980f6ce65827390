/**
 * Suites that run on both databases.
 *
 *   eachDatabase((name, open) => {
 *     test(`LOG-2: … (${name})`, async () => {
 *       const store = await open();          // the same for every test of the file: work in a tenant of your own
 *       const tenant = await aTenant(store); // from drafts.ts
 *     });
 *   });
 *
 * `open` is a PGlite in memory, and a database of its own on a real PostgreSQL, made from a migrated template. That PostgreSQL is started once
 * a test run, by whoever needs it first, in a temporary folder and as an unprivileged user, and ends with the run. Without its programs the
 * suite is skipped, visibly. Stores are closed after the file's last test.
 *
 *   freshStore('postgres')    another database of its own, closed after the last test (several servers, an empty target)
 *   freshUrl()                an empty, migrated database on PostgreSQL as a `DATABASE_URL`, for child processes
 *   test.skipIf(missing !== '')(`LOG-2: …${missing}`, …)   a test for PostgreSQL alone, with the same visible skip
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { type OpenStore, openStore } from '#server/store/open.ts';
import type { Store } from '#server/store/store.ts';
import { binaries, TEMPLATE, urlIn } from './binaries.ts';

export type Kind = Store['kind'];

export function eachDatabase(suite: (name: Kind, open: () => Promise<OpenStore>) => void): void {
  for (const kind of ['pglite', 'postgres'] as const) {
    describe.skipIf(kind === 'postgres' && missing !== '')(`${kind}${kind === 'postgres' ? missing : ''}`, () => {
      let store: Promise<OpenStore> | null = null;
      const open = (): Promise<OpenStore> => (store ??= freshStore(kind));
      // Not in the first test's time, and not one after the other.
      beforeAll(async () => {
        if (kind === 'pglite' && missing === '') beginCluster();
        await open();
      }, 180_000); // a busy machine
      suite(kind, open);
    });
  }
}

export async function freshStore(kind: Kind): Promise<OpenStore> {
  const image = join(FOLDER, 'image.tar');
  const store = kind === 'postgres'
    ? await openStore({ ...QUIET, dataDir: '', databaseUrl: await freshUrl() })
    : await openStore({ ...QUIET, dataDir: '', databaseUrl: null, memory: true, ...(existsSync(image) ? { image: new Blob([readFileSync(image)]) } : {}) });
  opened.push(store);
  return store;
}

export async function freshUrl(): Promise<string> {
  await cluster();
  const name = `t_${randomBytes(8).toString('hex')}`;
  const client = new Client(urlIn(FOLDER, 'postgres'));
  await client.connect();
  try {
    await client.query(`create database ${name} template ${TEMPLATE}`);
  } finally {
    await client.end();
  }
  return urlIn(FOLDER, name);
}

/** Clock and log for a store in a test: warnings of a test are its own affair. */
export const QUIET = { clock: systemClock, log: { info: () => undefined, warn: () => undefined, error: () => undefined } } as const;

/** Why nothing runs on PostgreSQL, for the names of what is skipped; empty where it does. */
export const missing = binaries() === null ? ' (skipped: no initdb in /usr/lib/postgresql/*/bin or PATH)' : '';
/** Of this test run: workers of one run have one parent. */
const FOLDER = join(tmpdir(), `daybook-tests-${process.ppid}`);
const opened: Store[] = [];

afterAll(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

function beginCluster(): void {
  if (!begun(FOLDER)) return;
  spawn(process.execPath, [join(import.meta.dirname, 'cluster.ts'), FOLDER, String(process.ppid)], { detached: true, stdio: 'ignore' }).unref();
}

async function cluster(): Promise<void> {
  beginCluster();
  for (let tries = 0; tries < 600; tries++) {
    if (existsSync(join(FOLDER, 'ready'))) return;
    if (existsSync(join(FOLDER, 'failed'))) throw new Error(`PostgreSQL could not be started: ${readFileSync(join(FOLDER, 'failed'), 'utf8')}`);
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  throw new Error('PostgreSQL was not ready within a minute.');
}

/** True for the one that made the folder. */
function begun(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o711 });
    return true;
  } catch {
    return false;
  }
}
