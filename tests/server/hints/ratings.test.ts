import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewEvent } from '#contract/events.ts';
import type { TenantId } from '#contract/ids.ts';
import { restoreFrom } from '#server/platform/db/backup-file.ts';
import { dump, type DumpLine } from '#server/platform/db/dump.ts';
import { FILL_HINT_RATINGS } from '#server/platform/db/migrations/0086_hint_ratings.ts';
import type { Store } from '#server/platform/db/store.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { anyDatabase, freshStore } from '../db/databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft } from '../db/drafts.ts';

const FREE = '90000000-0000-4000-8000-000000000001';
const PRUNE = '90000000-0000-4000-8000-000000000002';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'daybook-ratings-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const rating = (hint: string, problem: number, helped: boolean): NewEvent => ({
  company: 1,
  entity: `problem:${problem}`,
  event: { type: 'problem.hintRated@1', data: { hint, problem, name: 'Free the disk', helped } },
});

/** Ratings of three problems, one of them withdrawn and one withdrawn and given again. */
async function rate(store: Store): Promise<TenantId> {
  const tenant = await aTenant(store);
  const problems = [1, 2, 3].map((n) => problemDraft(n, 1, 1));
  await store.tenant(tenant, (tx) =>
    tx.append([companyDraft(1), jobDraft(1), ...problems], byClock),
  );
  for (const [index, draft] of [
    rating(FREE, 1, true),
    rating(FREE, 2, true),
    rating(PRUNE, 2, true),
    rating(FREE, 3, true),
    rating(FREE, 2, false),
    rating(PRUNE, 2, false),
    rating(PRUNE, 2, true),
  ].entries())
    await store.tenant(tenant, (tx) => tx.append([draft], { ...byClock, at: 1_000 + index }));
  return tenant;
}

/** By hand from the events of `rate`. */
const RATED = [
  [`${FREE}/1`, FREE, 1_000],
  [`${FREE}/2`, null, 1_004],
  [`${FREE}/3`, FREE, 1_003],
  [`${PRUNE}/2`, PRUNE, 1_006],
];

const listRatings = (store: Store, tenant: TenantId) =>
  store.tenant(tenant, async (tx) =>
    (
      await tx.sql
        .selectFrom('hint_rating')
        .select(['id', 'helped_by', 'at'])
        .where('tenant_id', '=', tenant)
        .orderBy('id')
        .execute()
    ).map((row) => [row.id, row.helped_by, row.at]),
  );

/** Runs statements as the tables' owner, as the migrator does. */
const asOwner = (store: Store, tenant: TenantId, statements: readonly string[]): Promise<void> =>
  store.system(async (db) => {
    await sql`reset role`.execute(db);
    await sql`select set_config('app.tenant_id', ${tenant}, true)`.execute(db);
    for (const statement of statements) await sql.raw(statement).execute(db);
  });

anyDatabase((name, open) => {
  test(`HINT-3, LOG-10: ratings in logs that are older than their table get the rows that the fold makes (${name})`, async () => {
    const store = await open();
    const tenant = await rate(store);
    expect(await listRatings(store, tenant)).toEqual(RATED);
    for (const type of ['problem.hintRated@1', 'problem.helped@1']) {
      await asOwner(store, tenant, [
        `update event set type = '${type}' where tenant_id = '${tenant}' and type in ('problem.hintRated@1', 'problem.helped@1')`,
        `delete from hint_rating where tenant_id = '${tenant}'`,
      ]);
      expect(await listRatings(store, tenant)).toEqual([]);
      await asOwner(store, tenant, [FILL_HINT_RATINGS, FILL_HINT_RATINGS]);
      expect(await listRatings(store, tenant)).toEqual(RATED);
    }
    expect(await rebuild(store, { only: [tenant] })).toMatchObject([{ differences: [] }]);
  });

  test(`HINT-3, G26: a backup from before the table of ratings restores with their rows (${name})`, async () => {
    const from = await freshStore(name);
    const tenant = await rate(from);
    const file = join(dir, `${name}.gz`);
    const older: string[] = [];
    await dump(from, 0, async (line) => void older.push(...toOlder(line)));
    await writeFile(file, gzipSync(older.join('')));
    const to = await freshStore(name);
    expect(await restoreFrom(to, file)).toBe(1);
    expect(await listRatings(to, tenant)).toEqual(RATED);
    expect(await rebuild(to)).toMatchObject([{ differences: [] }]);
  });
});

/** A line of a backup as the version before the table wrote it. */
function toOlder(line: DumpLine): string[] {
  if (line.kind === 'row' && line.table === 'hint_rating') return [];
  if (line.kind !== 'sum') return [`${JSON.stringify(line)}\n`];
  const { hint_rating: _, ...rows } = line.sum.rows;
  return [`${JSON.stringify({ ...line, sum: { ...line.sum, rows } })}\n`];
}
