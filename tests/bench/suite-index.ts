/**
 * The index of many backups: how long a page of a folder and a search take on PostgreSQL, in an
 * organization with all versions and in a small one beside it: `node tests/bench/suite-index.ts`.
 * `VERSIONS` (1,000,000) in all, `EACH` (4,000) in a mailbox. A mailbox is backed up from the
 * simulated tenant; the others are copies of its rows.
 */
import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { Client } from 'pg';
import type { EnginePage, EngineScope, Node } from '../../contract/engine/engine.ts';
import { binaries } from '../server/db/binaries.ts';
import { type Figure, getTable, median, quantile, type Sheet } from './figures.ts';
import { openOutlook } from './suite-mailbox.ts';
import { createJob, getValue, inPlace, type Place } from './suite-place.ts';

const VERSIONS = Number(process.env['VERSIONS'] ?? 1_000_000);
const EACH = Number(process.env['EACH'] ?? 4_000);
const MAILBOXES = Math.max(1, Math.round(VERSIONS / EACH));
const MAILS = 400;
const OPENED = 50;
const PAGES = 5;
const ROUNDS = 20;
const PAGE_ROWS = 50;
/** Mailboxes that are copied at a time. */
const STEP = 50;
const MEGA = 1_000_000;
const PAGE_GOAL_MS = 60;
/** Of the design: for one million versions, and for twenty. */
const SEARCH_GOAL_MS = VERSIONS > MEGA ? 500 : 300;

const SEARCHES: readonly (readonly [string, (n: number) => string])[] = [
  ['a word of one mail', (n) => `n${n}x7q`],
  ['a word of each mailbox', (n) => `w${n % MAILS}`],
  ['a person', () => 'harbourline'],
  ['a word of each mail', () => 'common'],
  ['one letter', () => 'c'],
  ['a common and a rare word', (n) => `common n${n}x7q`],
  ['two common words', () => 'common example'],
  ['a word that is nowhere', (n) => `nowhere${n}`],
];

export async function benchSuiteIndex(say: (text: string) => void): Promise<Sheet[]> {
  if (binaries() === null) return [];
  return inPlace('postgres', { people: 3, mails: MAILS }, async (place) => {
    const client = new Client({ connectionString: place.context.config.databaseUrl ?? '' });
    await client.connect();
    say(`  ${VERSIONS.toLocaleString('en')} versions in ${MAILBOXES} mailboxes …`);
    const began = performance.now();
    const small = await fill(place, client);
    const filledS = (performance.now() - began) / 1_000;
    const megabytes = await getMegabytes(client);
    await client.end();
    const pagesMs = await readPages(place);
    const figures: Figure[] = [
      row('page of a folder, median', pagesMs, median),
      row('page of a folder, 95 %', pagesMs, (all) => quantile(all, 0.95), PAGE_GOAL_MS),
    ];
    const [large, other] = [await search(place, place.scope), await search(place, small)];
    for (const [what] of SEARCHES)
      figures.push({
        what: `search for ${what}, median`,
        unit: 'ms',
        values: {
          'all': median(large.get(what) ?? []),
          'small one': median(other.get(what) ?? []),
        },
        goal: String(SEARCH_GOAL_MS),
        target: { max: SEARCH_GOAL_MS, because: SEARCH_BECAUSE },
      });
    return [
      {
        title: `An index of ${VERSIONS.toLocaleString('en')} versions on PostgreSQL`,
        columns: ['all', 'small one'],
        figures,
        notes: [
          `load average ${(loadavg()[0] ?? 0).toFixed(1)} at the end`,
          `${MAILBOXES} mailboxes of ${EACH} versions; filled in ${filledS.toFixed(0)} s; ${megabytes.toFixed(0)} MB with indexes`,
          `The small one is an organization of another provider with ${MAILS} mails in the same tables.`,
          'Without HTTP.',
        ],
      },
    ];
  });
}
const SEARCH_BECAUSE =
  'Words that begin alike are collected over the whole index, and all versions with a rare word are read.';

const row = (
  what: string,
  ms: readonly number[],
  get: (values: readonly number[]) => number,
  max?: number,
): Figure => ({
  what,
  unit: 'ms',
  values: { all: get(ms) },
  ...(max !== undefined && {
    goal: String(max),
    target: { max, because: 'A page reads its folder.' },
  }),
});

/** Fills the index, and returns an organization of another provider with one mailbox. */
async function fill(place: Place, client: Client): Promise<EngineScope> {
  const { scope, office } = place;
  const { selected } = await office.call();
  const run = await createJob(place, (selected['mailboxes'] ?? []).slice(0, 1));
  await run();
  const other = { tenant: randomUUID(), organization: randomUUID(), user: scope.user };
  await client.query('drop index item_words');
  await client.query(
    `create temporary table template as select *, row_number() over (order by n) as at_row, count(*) over () as items from item`,
  );
  await client.query('alter table template drop column words');
  for (let from = 1; from < MAILBOXES; from += STEP)
    await copy(client, { from, to: Math.min(from + STEP, MAILBOXES) - 1, copies: EACH / MAILS });
  await copy(client, { from: 0, to: 0, copies: 1, other });
  await client.query('create index item_words on item using gin (words)');
  await client.query('vacuum analyze item');
  await client.query('analyze');
  return other;
}

interface Copies {
  /** The mailboxes from one number to another, after that of the template. */
  readonly from: number;
  readonly to: number;
  /** Of each mail in a mailbox. */
  readonly copies: number;
  /** Of whom they are; the template's owner without it. */
  readonly other?: { readonly tenant: string; readonly organization: string };
}

async function copy(client: Client, { from, to, copies, other }: Copies): Promise<void> {
  const tenant = other?.tenant ?? null;
  const organization = other?.organization ?? null;
  const numbers = `generate_series(${from}, ${to}) as m`;
  const own = `coalesce($1::uuid, x.tenant_id)`;
  await client.query(
    `insert into backup_object (tenant_id, n, repository_id, organization_id, kind, directory_id, name, address, point, next_folder, next_item, items, bytes, tree)
      select ${own}, x.n + m * 1000, x.repository_id, coalesce($2::uuid, x.organization_id), x.kind, x.directory_id || m, x.name || ' ' || m, x.address || m, x.point, x.next_folder, 1 + ${copies} * (select count(*) from template), x.items, x.bytes, x.tree
      from backup_object as x, ${numbers} where x.n < 1000`,
    [tenant, organization],
  );
  if (other !== undefined)
    await client.query(
      `insert into restore_point (tenant_id, id, organization_id, repository_id, job_id, session_id, at, snapshot, complete, result)
        select $1, id, $2, repository_id, job_id, session_id, at, snapshot, complete, result from restore_point`,
      [tenant, organization],
    );
  await client.query(
    `insert into object_point (tenant_id, object_n, point, point_id, at, items, bytes, tree)
      select ${own}, x.object_n + m * 1000, x.point, x.point_id, x.at, x.items, x.bytes, x.tree from object_point as x, ${numbers} where x.object_n < 1000`,
    [tenant],
  );
  await client.query(
    `insert into folder (tenant_id, object_n, n, key, parent_key, name, well_known, from_point, to_point, sharing)
      select ${own}, x.object_n + m * 1000, x.n, x.key, x.parent_key, x.name, x.well_known, x.from_point, x.to_point, x.sharing from folder as x, ${numbers} where x.object_n < 1000`,
    [tenant],
  );
  await client.query(
    `insert into item (tenant_id, object_n, n, folder_key, key, change_key, from_point, to_point, kind, at, changed_at, bytes, title, people, flags, parts)
      select ${own}, x.object_n + m * 1000, c * x.items + x.n, x.folder_key, x.key || c, x.change_key, x.from_point, x.to_point, x.kind, x.at - c * 3600000 - m * 60000, x.changed_at, x.bytes,
        'Common ' || x.title || ' w' || x.at_row || ' n' || m || 'x' || (c * x.items + x.at_row) || 'q', x.people, x.flags, x.parts
      from template as x, ${numbers}, generate_series(0, ${copies - 1}) as c`,
    [tenant],
  );
}

/** Returns the milliseconds in which pages of the largest folder of some mailboxes are read. */
async function readPages(place: Place): Promise<readonly number[]> {
  const { context, scope } = place;
  const { embeddedEngine: engine } = context;
  const explorer = await openOutlook(place);
  const list = { explorer, text: null, sort: 'date', descending: true, cursor: null } as const;
  const mailboxes = getValue(
    await engine.listChildren(scope, { ...list, parent: null, only: 'all', limit: OPENED }),
  ).rows;
  const pagesMs: number[] = [];
  for (const { id } of mailboxes) {
    const folders = getValue(
      await engine.listChildren(scope, { ...list, parent: id, only: 'folders', limit: PAGE_ROWS }),
    ).rows;
    const [parent] = folders.toSorted((a, b) => getItems(b) - getItems(a));
    let cursor: string | null = null;
    for (let n = 0; n < PAGES; n += 1) {
      const began = performance.now();
      const page: EnginePage<Node> = getValue(
        await engine.listChildren(scope, {
          ...list,
          parent: parent?.id ?? '',
          only: 'items',
          cursor,
          limit: PAGE_ROWS,
        }),
      );
      pagesMs.push(performance.now() - began);
      if (page.rows.length === 0) throw new Error('A page is empty.');
      cursor = page.next;
      if (cursor === null) break;
    }
  }
  return pagesMs;
}

const getItems = (node: Node): number => ('children' in node ? (node.children ?? 0) : 0);

/** Returns the milliseconds in which the first page of each kind of search is found. */
async function search(
  { context }: Place,
  scope: EngineScope,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { embeddedEngine: engine } = context;
  const found = new Map<string, number[]>();
  for (const [what, getText] of SEARCHES) {
    const searchesMs: number[] = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      const began = performance.now();
      getValue(
        await engine.search(scope, {
          text: getText(1 + ((n * 7) % Math.max(1, MAILBOXES - 1))),
          workloads: ['outlook'],
          deleted: null,
          cursor: null,
          limit: PAGE_ROWS,
        }),
      );
      searchesMs.push(performance.now() - began);
    }
    found.set(what, searchesMs);
  }
  return found;
}

async function getMegabytes(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_total_relation_size('item') as bytes`,
  );
  return Number(rows[0]?.bytes ?? 0) / MEGA;
}

if (import.meta.main)
  for (const sheet of await benchSuiteIndex(console.log)) console.log(getTable(sheet));
