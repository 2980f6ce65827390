import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { binaries, TEMPLATE, urlIn } from '../server/db/binaries.ts';
import { claimFolder, OF_RUN } from './folders.ts';

/** Returns true if PostgreSQL is installed. */
export const hasPostgres = (): boolean => binaries() !== null;

/**
 * Creates a database with this version's tables, or a copy of an unused one, and returns its URL.
 */
export async function newDatabase(copied?: string): Promise<string> {
  const folder = await startCluster(process.ppid);
  const name = `walk_${randomBytes(8).toString('hex')}`;
  await execute(
    folder,
    `create database ${name} template ${copied === undefined ? TEMPLATE : nameIn(copied)}`,
  );
  return urlIn(folder, name);
}

export const drop = async (url: string): Promise<void> =>
  execute(await startCluster(process.ppid), `drop database ${nameIn(url)} with (force)`);

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

async function execute(folder: string, statement: string): Promise<void> {
  const client = new Client(urlIn(folder, 'postgres'));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Starts PostgreSQL, once a run, and returns its folder when it is ready. It stops with the process
 * `run`, which has started the workers.
 */
export async function startCluster(run: number): Promise<string> {
  const folder = join(process.env[OF_RUN] ?? '', 'postgres');
  let started: ChildProcess | null = null;
  if (claimFolder(folder)) {
    const program = join(import.meta.dirname, '../server/db/cluster.ts');
    const node = process.env['DAYBOOK_NODE'] ?? process.execPath;
    const args = [program, folder, String(run), 'postgres'];
    started = spawn(node, args, { detached: true, stdio: 'ignore' });
    started.unref();
  }
  for (let tries = 0; !existsSync(join(folder, 'ready')); tries++) {
    if (existsSync(join(folder, 'failed')))
      throw new Error(
        `PostgreSQL could not be started: ${readFileSync(join(folder, 'failed'), 'utf8')}`,
      );
    // Who started it waits as long as it runs: a busy machine takes its time.
    if (started === null ? tries === 600 : (started.exitCode ?? started.signalCode) !== null)
      throw new Error('PostgreSQL did not become ready.');
    await new Promise((done) => {
      setTimeout(done, 100);
    });
  }
  return folder;
}
