/**
 * Keeps one PostgreSQL for a test run: `node cluster.ts <folder> <pid of the run> [postgres]
 * [settings…]`. Started by `databases.ts`, never by hand. Answers through files in the folder
 * (`ready` or `failed`), ends when the run does, and takes the folder with it. `postgres`: makes no
 * folder of the embedded database. `settings`: of the server, such as `autovacuum=off`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Kysely, PGliteDialect } from 'kysely';
import type { Database } from '../../../server/platform/db/database.ts';
import { migrate } from '../../../server/platform/db/migrate.ts';
import { openStore } from '../../../server/platform/db/open.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { binaries, TEMPLATE, unprivileged, urlIn } from './binaries.ts';

const [folder, run] = [process.argv[2] ?? '', Number(process.argv[3])];
const isPostgresOnly = process.argv[4] === 'postgres';
const more = process.argv.slice(isPostgresOnly ? 5 : 4);
let postgres = null as ChildProcess | null;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

process.on('SIGTERM', end);
setInterval(() => {
  if (!alive(run)) end();
}, 500);
try {
  await begin();
} catch (error) {
  writeFileSync(join(folder, 'failed'), String(error instanceof Error ? error.stack : error));
  postgres?.kill('SIGQUIT');
}

async function begin(): Promise<void> {
  const bin = binaries();
  if (bin !== null) await beginPostgres(bin);
  write('ready', '');
  if (isPostgresOnly) return;
  // A migrated folder of the embedded database: opening it takes a third of making it.
  const pglite = await PGlite.create();
  await migrate(new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) }));
  write('image.tar', Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()));
  await pglite.close();
}

async function beginPostgres(bin: string): Promise<void> {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const who = unprivileged();
  if (who) [folder, data].forEach((dir) => chownSync(dir, who.uid, who.gid));
  const as = { cwd: folder, ...who };
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...as, stdio: 'pipe' },
  );
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
    'max_connections=200',
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'port=5432',
    ...more,
  ];
  postgres = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    ...as,
    stdio: 'ignore',
  });
  for (;;) {
    try {
      execFileSync(join(bin, 'createdb'), ['-h', folder, '-U', 'postgres', TEMPLATE], {
        stdio: 'pipe',
      });
      break;
    } catch (error) {
      if (postgres.exitCode !== null) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 100));
    }
  }
  const store = await openStore({
    dataDir: '',
    databaseUrl: urlIn(folder, TEMPLATE),
    log: silent,
    clock: systemClock,
  });
  await store.close();
}

/** Whole or not at all: others wait for the file. */
function write(name: string, content: string | Buffer): void {
  writeFileSync(join(folder, `${name}.new`), content);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function end(): void {
  if (postgres === null || postgres.exitCode !== null) gone();
  postgres?.once('exit', gone);
  postgres?.kill('SIGQUIT');
}

function gone(): never {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
