/**
 * Suites that run on both databases. CONTRIBUTING.md lists them; others use `anyDatabase`, which is called the same way.
 *
 *   eachDatabase((name, open) => {
 *     test(`LOG-2: … (${name})`, async () => {
 *       const store = await open();          // the same for every test of the file: work in a tenant of your own
 *       const tenant = await aTenant(store); // from drafts.ts
 *     });
 *   });
 *
 * `open` is the PGlite in memory of this process, empty for each file (`embedded`), and a database of its own on a real PostgreSQL, made from a
 * migrated template. That PostgreSQL is started once a test run, by whoever needs it first, in a temporary folder and as an unprivileged user, and
 * ends with the run. Without its programs the suite is skipped, visibly. Stores are closed after the file's last test.
 *
 *   embedded()                that PGlite, for suites that prove something of it alone
 *   anyStore()                for suites that prove nothing of a database: on PostgreSQL where it is
 *   freshStore('postgres')    another database of its own, closed after the last test (several servers, an empty target)
 *   migratedFolder(dir)       a data folder in which the embedded database has its tables
 *   freshUrl()                an empty, migrated database on PostgreSQL as a `DATABASE_URL`, for child processes
 *   test.skipIf(missing !== '')(`LOG-2: …${missing}`, …)   a test for PostgreSQL alone, with the same visible skip
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { Client } from 'pg';
import { beforeAll, describe } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import type { Store } from '#server/platform/db/store.ts';
import { SYSTEM_FOLDER } from '../../run-folder.ts';
import { binaries, TEMPLATE, urlIn } from './binaries.ts';
import { enlargeTables, findLostConditions } from './lost-conditions.ts';
import { noteStatements, parseNoted, takeNoted } from './noted-statements.ts';
import { findUnrouted } from './unrouted.ts';

export type Kind = Store['kind'];

type Suite = (name: Kind, open: () => Promise<OpenStore>) => void;

/** For suites whose result could differ between the databases. */
export function eachDatabase(suite: Suite): void {
  onDatabases(['pglite', 'postgres'], () => freshStore('postgres'), suite);
}

/**
 * For suites that prove nothing of a database: on PostgreSQL where it is, else on the embedded one.
 * With `PROOF` above 1, on both.
 */
export function anyDatabase(suite: Suite): void {
  onDatabases(PROOF > 1 ? ['pglite', 'postgres'] : [ONE], real, suite);
}

function onDatabases(kinds: readonly Kind[], begin: () => Promise<OpenStore>, suite: Suite): void {
  for (const kind of kinds) {
    describe.skipIf(kind === 'postgres' && missing !== '')(
      `${kind}${kind === 'postgres' ? missing : ''}`,
      () => {
        let store: Promise<OpenStore> | null = null;
        const open = (): Promise<OpenStore> => (store ??= kind === 'pglite' ? embedded() : begin());
        // Not in the first test's time, and not one after the other.
        beforeAll(async () => {
          if (kind === 'pglite' && missing === '') beginCluster();
          await open();
        });
        suite(kind, open);
      },
    );
  }
}

/**
 * The embedded database of this process as an empty store, the same for every call of a file. To
 * begin one costs seconds, to empty it a moment.
 */
export const embedded = (): Promise<OpenStore> => (lent ??= lend());

/**
 * An empty store, the same for every call of a file, for suites that prove nothing of a database.
 * PostgreSQL answers their statements in a fraction of the processor time that the embedded database
 * takes.
 */
export const anyStore = (): Promise<OpenStore> => (ONE === 'postgres' ? real() : embedded());

/**
 * An empty database on PostgreSQL, the same for every call of a file. The embedded one parses what is
 * sent to it.
 */
const real = (): Promise<OpenStore> => (common ??= freshStore('postgres'));

export async function freshStore(kind: Kind): Promise<OpenStore> {
  const store = await (kind === 'postgres' ? openNoted() : openEmbedded());
  opened.push(store);
  return store;
}

async function openNoted(): Promise<OpenStore> {
  const url = await freshUrl();
  noteStatements(new URL(url).pathname.slice(1));
  return openStore({ ...QUIET, dataDir: '', databaseUrl: url });
}

/** After each file: closes what it opened, and gives back what was lent to it. */
export async function closeStores(): Promise<void> {
  lent = null;
  common = null;
  emptied = null;
  await Promise.all(opened.splice(0).map((store) => store.close()));
  const noted = takeNoted();
  await parseNoted(noted, () => (own ??= openEmbedded()));
  const unrouted = noted.flatMap(({ text }) => {
    const reason = findUnrouted(text);
    return reason === null ? [] : [`${reason}: ${text}`];
  });
  if (unrouted.length > 0)
    throw new Error(
      `Citus refuses statements of this file, see tests/server/db/unrouted.ts:\n${unrouted.join('\n')}`,
    );
  if (noted.length === 0 || CITUS !== '') return;
  const lost = await findLostConditions(await (plans ??= openLarge()), noted);
  if (lost.length > 0)
    throw new Error(
      `Under row-level security, statements of this file don't use an index by these columns. Calculate the values before, see tests/server/db/lost-conditions.ts:\n${lost.join('\n')}`,
    );
}

/** Connects to a database whose tables the planner takes for large ones. */
export async function openLarge(): Promise<Client> {
  const url = await freshUrl();
  await enlargeTables(url, join(FOLDER, 'data'));
  const client = new Client(url);
  await client.connect();
  return client;
}

/**
 * A migrated database for the embedded one to begin from, where the run has it already: it takes a
 * third of the time.
 */
export const migratedImage = (): Blob | null =>
  existsSync(IMAGE) ? new Blob([readFileSync(IMAGE)]) : null;

/**
 * Puts a migrated database into an empty data folder: what `openStore` would make there, in a
 * fraction of the time.
 */
export async function migratedFolder(dir: string): Promise<void> {
  const pg = join(dir, 'pg');
  if (!existsSync(IMAGE))
    return (await openStore({ ...QUIET, dataDir: dir, databaseUrl: null })).close();
  mkdirSync(pg, { mode: 0o700 });
  await promisify(execFile)('tar', ['-xf', IMAGE, '-C', pg]);
}

export const freshUrl = (): Promise<string> =>
  CITUS === '' ? plainUrl() : (emptied ??= emptyCitus());

/** The same without Citus, wherever the suites run. */
export async function plainUrl(): Promise<string> {
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
export const QUIET = {
  clock: systemClock,
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
} as const;

/** Why nothing runs on PostgreSQL, for the names of what is skipped; empty where it does. */
export const missing =
  binaries() === null ? ' (skipped: no initdb in /usr/lib/postgresql/*/bin or PATH)' : '';
/**
 * Of the two, the one for what is long and proves nothing of a database: PostgreSQL where it is.
 */
export const ONE: Kind = missing === '' ? 'postgres' : 'pglite';
/**
 * A distributed database with Citus for all suites, empty for each file: it can't be copied with its shards.
 * Run them with `--maxWorkers=1`.
 */
export const CITUS = process.env['CITUS_URL'] ?? '';
const PROOF = Number(process.env['PROOF'] ?? 1);
/**
 * Of this test run: workers of one run have one parent. PostgreSQL removes it when the run has ended.
 */
const FOLDER = join(process.env[SYSTEM_FOLDER] ?? tmpdir(), `daybook-tests-${process.ppid}`);
/** A migrated folder of the embedded database; there as soon as it is made. */
const IMAGE = join(FOLDER, 'image.tar');
/** Of this file. */
const opened: Pick<Store, 'close'>[] = [];
let lent: Promise<OpenStore> | null = null;
let common: Promise<OpenStore> | null = null;
/** The address of Citus, once it is empty. */
let emptied: Promise<string> | null = null;
/** Of this process, which ends it. */
let own: Promise<OpenStore> | null = null;
let plans: Promise<Client> | null = null;

function openEmbedded(): Promise<OpenStore> {
  const image = migratedImage();
  return openStore({
    ...QUIET,
    dataDir: '',
    databaseUrl: null,
    memory: true,
    ...(image === null ? {} : { image }),
  });
}

/**
 * A store of its own to all who remember something by the store, and whoever listened to it before
 * hears nothing of it.
 */
async function lend(): Promise<OpenStore> {
  const store = await (own ??= openEmbedded());
  const ends: (() => void)[] = [];
  await store.system(async (tx) => {
    await sql`reset role`.execute(tx);
    await sql.raw(EMPTY).execute(tx);
  });
  opened.push({
    close: () => {
      for (const end of ends) end();
      return Promise.resolve();
    },
  });
  return {
    ...store,
    onAppend(listener) {
      const end = store.onAppend(listener);
      ends.push(end);
      return end;
    },
    onAppendAnywhere(listener) {
      const end = store.onAppendAnywhere(listener);
      ends.push(end);
      return end;
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Every table that holds a row, but for the one that says which steps the tables have gone through.
 */
const EMPTY = `do $$ declare one text; held boolean; begin
  for one in select quote_ident(relname) from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migration' loop
    execute format('select exists (select 1 from %s)', one) into held;
    if held then execute format('truncate %s cascade', one); end if;
  end loop;
end $$`;

async function emptyCitus(): Promise<string> {
  const client = new Client(CITUS);
  await client.connect();
  try {
    await client.query(EMPTY);
  } finally {
    await client.end();
  }
  return CITUS;
}

function beginCluster(): void {
  if (!begun(FOLDER)) return;
  spawn(
    process.execPath,
    [
      '--liftoff-only',
      join(import.meta.dirname, 'cluster.ts'),
      FOLDER,
      String(process.ppid),
      // Hundreds of databases would be visited each minute, and each of their plans is short.
      'autovacuum=off',
      'jit=off',
    ],
    { detached: true, stdio: 'ignore' },
  ).unref();
}

async function cluster(): Promise<void> {
  beginCluster();
  // However long a busy machine takes: whoever starts it says if it can't.
  while (!existsSync(join(FOLDER, 'ready'))) {
    if (existsSync(join(FOLDER, 'failed')))
      throw new Error(
        `PostgreSQL could not be started: ${readFileSync(join(FOLDER, 'failed'), 'utf8')}`,
      );
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
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
