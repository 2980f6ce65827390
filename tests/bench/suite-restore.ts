/**
 * How fast backed-up content is browsed and downloaded, on the embedded database and a repository in
 * a folder: `node tests/bench/suite-restore.ts`. `ITEMS` (100,000): of the folder that is opened.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { EngineResult, EngineScope } from '../../contract/engine/engine.ts';
import type { StoredPart } from '../../contract/engine/stored-item.ts';
import { openStoredRepository } from '../../server/engine/embedded/repositories/repositories.ts';
import { writeTo } from '../../server/engine/embedded/sessions/content-writer.ts';
import { makeAppContext } from '../../server/make-app-context.ts';
import type { AppContext } from '../../server/platform/app-context.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { openStore } from '../../server/platform/db/open.ts';
import { makeTenant } from '../../server/platform/db/tenants.ts';
import { systemChance } from '../../server/platform/random.ts';
import { aBranding } from '../server/db/drafts.ts';
import { getChance } from './data.ts';
import { type Figure, getTable, median, quantile, type Sheet } from './figures.ts';

const ITEMS = Number(process.env['ITEMS'] ?? 100_000);
/** Of the archives: many small files, and few large ones. */
const SMALL = { count: 10_000, bytes: 20_000 };
const LARGE = { count: 8, bytes: 32 << 20 };
const PAGES = 40;
const PAGE_ROWS = 200;
const SEARCHES = 9;
const SEARCH_ROWS = 50;
const MEGA = 1_000_000;

const log = { info: () => undefined, warn: console.error, error: console.error };

/** Where the benchmark's drives are backed up. */
interface Place {
  readonly context: AppContext;
  readonly scope: EngineScope;
  readonly repository: string;
}

export async function benchSuiteRestore(say: (text: string) => void): Promise<Sheet[]> {
  const notes = [`load average ${(loadavg()[0] ?? 0).toFixed(1)} at the start`];
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const store = await openStore({
    dataDir: '',
    databaseUrl: null,
    memory: true,
    log,
    clock: systemClock,
  });
  try {
    const tenant = randomUUID();
    await makeTenant(store, { tenant, host: null, branding: aBranding, isDefault: false });
    const config = {
      port: 0,
      dataDir: '',
      databaseUrl: null,
      pageDir: null,
      trustedProxies: [],
      secretKey: Buffer.from(systemChance.bytes(32)).toString('base64url'),
      repositoriesDir: folder,
    };
    const context = makeAppContext({
      store,
      clock: systemClock,
      chance: systemChance,
      log,
      config,
    });
    const place: Place = {
      context,
      scope: { tenant, organization: randomUUID(), user: randomUUID() },
      repository: randomUUID(),
    };
    getValue(
      await context.embeddedEngine.repositories.create(place.scope, {
        repository: place.repository,
        password: null,
        passwordHint: null,
        storage: null,
      }),
    );
    say(`  folder of ${ITEMS.toLocaleString('en')} …`);
    const browsed = await browse(place);
    say('  archives …');
    const small = await pack(place, 2, SMALL);
    const large = await pack(place, 3, LARGE);
    notes.push(
      `archives of ${SMALL.count} files of ${SMALL.bytes / 1000} kB and of ${LARGE.count} of ${LARGE.bytes >> 20} MiB, without HTTP`,
    );
    return [
      {
        title: 'Browsing and downloading backups',
        columns: ['daybook'],
        figures: [
          makeFigure('folder opens', 'ms', browsed.openMs, '200'),
          makeFigure('page of it, median', 'ms', median(browsed.pagesMs)),
          makeFigure('page of it, p95', 'ms', quantile(browsed.pagesMs, 0.95), '60'),
          makeFigure('search of it, one match (median)', 'ms', median(browsed.rareMs)),
          makeFigure('search of it, all match (median)', 'ms', median(browsed.commonMs)),
          makeFigure('list of 10,000 files', 'ms', small.listMs),
          makeFigure('first byte of 10,000 files', 'ms', small.firstMs, '300'),
          makeFigure('archive of small files', 'MB/s', small.rate, '100'),
          makeFigure('archive of large files', 'MB/s', large.rate, '100'),
        ],
        notes,
      },
    ];
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const makeFigure = (what: string, unit: string, value: number, goal?: string): Figure => ({
  what,
  unit,
  values: { daybook: value },
  ...(goal === undefined ? {} : { goal }),
});

function getValue<T>(result: EngineResult<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

interface Browsed {
  readonly openMs: number;
  readonly pagesMs: readonly number[];
  /** Searches over all restore points: by the number of one file, and by a word of all. */
  readonly rareMs: readonly number[];
  readonly commonMs: readonly number[];
}

async function browse(place: Place): Promise<Browsed> {
  await storeItems(place, 1, ITEMS, []);
  const { context, scope } = place;
  const { embeddedEngine: engine } = context;
  const explorer = await openExplorer(place);
  const page = async (cursor: string | null) => {
    const began = performance.now();
    const rows = getValue(
      await engine.listChildren(scope, {
        explorer,
        parent: 'o1',
        only: 'items',
        text: null,
        sort: 'date',
        descending: true,
        cursor,
        limit: PAGE_ROWS,
      }),
    );
    return { ms: performance.now() - began, next: rows.next };
  };
  const first = await page(null);
  const pagesMs: number[] = [];
  let { next } = first;
  while (next !== null && pagesMs.length < PAGES) {
    const after = await page(next);
    pagesMs.push(after.ms);
    next = after.next;
  }
  const search = async (text: string, found: number): Promise<number> => {
    const began = performance.now();
    const { rows } = getValue(
      await engine.search(scope, {
        text,
        workloads: ['onedrive'],
        deleted: null,
        cursor: null,
        limit: SEARCH_ROWS,
      }),
    );
    if (rows.length !== found) throw new Error(`${rows.length} instead of ${found} are found.`);
    return performance.now() - began;
  };
  const rareMs: number[] = [];
  const commonMs: number[] = [];
  for (let times = 1; times <= SEARCHES; times += 1) {
    rareMs.push(await search(`report ${ITEMS - times}`, 1));
    commonMs.push(await search('calloway', Math.min(SEARCH_ROWS, ITEMS)));
  }
  return { openMs: first.ms, pagesMs, rareMs, commonMs };
}

async function pack(
  place: Place,
  object: number,
  { count, bytes }: { readonly count: number; readonly bytes: number },
): Promise<{ listMs: number; firstMs: number; rate: number }> {
  const { context, scope, repository } = place;
  const { embeddedEngine: engine } = context;
  const opened = getValue(await openStoredRepository(context, scope.tenant, repository));
  const writer = writeTo(opened);
  const chance = getChance(object);
  const parts: StoredPart[] = [];
  for (let n = 0; n < count; n += 1) {
    const content = Buffer.alloc(bytes);
    for (let at = 0; at < bytes; at += 4) content.writeInt32LE((chance() * 2 ** 31) | 0, at);
    parts.push(getValue(await writer.save({ as: 'raw', content })));
  }
  getValue(await writer.flush());
  await opened.close();
  await storeItems(place, object, count, parts);
  const explorer = await openExplorer(place);
  const began = performance.now();
  const list = getValue(
    await engine.prepareDownload(scope, {
      explorer,
      nodes: [`o${object}`],
      maxBytes: null,
      expiresAt: context.clock.now() + 3_600_000,
    }),
  );
  if (list.kind !== 'prepared') throw new Error('Nothing was prepared.');
  const listMs = performance.now() - began;
  // The second reading has the repository open, as most have.
  let [firstMs, rate] = [0, 0];
  for (let times = 0; times < 2; times += 1) {
    const start = performance.now();
    const { stream } = getValue(
      await engine.readDownload(scope, { download: list.id, from: 0, to: list.bytes }),
    );
    let read = 0;
    for await (const piece of stream) {
      if (read === 0) firstMs = performance.now() - start;
      read += piece.byteLength;
    }
    if (read !== list.bytes) throw new Error('The archive has another size.');
    rate = (read / MEGA / (performance.now() - start)) * 1000;
  }
  return { listMs, firstMs, rate };
}

async function openExplorer({ context, scope }: Place): Promise<string> {
  const { id } = getValue(
    await context.embeddedEngine.openExplorer(scope, {
      workload: 'onedrive',
      job: null,
      at: context.clock.now(),
      showDeleted: false,
    }),
  );
  return id;
}

/** A drive with a restore point of these files; without parts, they have no content. */
async function storeItems(
  { context, scope: { tenant, organization }, repository }: Place,
  object: number,
  count: number,
  parts: readonly StoredPart[],
): Promise<void> {
  const point = randomUUID();
  const at = context.clock.now() - 1;
  await context.store.tenant(tenant, async ({ sql: db }) => {
    await sql`
      insert into backup_object (tenant_id, n, repository_id, organization_id, kind, directory_id, name, address, point)
      values (${tenant}, ${object}, ${repository}, ${organization}, 'drive', ${`u${object}`}, 'Ann', 'ann@example.com', 1)`.execute(
      db,
    );
    await sql`
      insert into restore_point (tenant_id, id, organization_id, repository_id, job_id, session_id, at, complete, result)
      values (${tenant}, ${point}, ${organization}, ${repository}, ${randomUUID()}, ${randomUUID()}, ${at}, true, 'success')`.execute(
      db,
    );
    await sql`
      insert into object_point (tenant_id, object_n, point, point_id, at, items, bytes, tree)
      values (${tenant}, ${object}, 1, ${point}, ${at}, ${count}, 0, '')`.execute(db);
    const step = 1_000;
    for (let from = 0; from < count; from += step)
      await sql`
        insert into item (tenant_id, object_n, n, folder_key, key, change_key, from_point, kind, at, changed_at, bytes, title, people, parts)
        select ${tenant}, ${object}, n, '', 'k' || n, 'c', 1, 'file', ${at}::bigint - n * 1000, ${at}::bigint, 20000, 'Report ' || n || '.docx', 'Ann Calloway', coalesce(${JSON.stringify(parts.slice(from, from + step).map((part) => [part]))}::text::jsonb -> (n - 1 - ${from}::int), '[]')
        from generate_series(${from + 1}::int, ${Math.min(from + step, count)}::int) as n`.execute(
        db,
      );
  });
}

if (import.meta.main)
  for (const sheet of await benchSuiteRestore(console.log)) console.log(getTable(sheet));
