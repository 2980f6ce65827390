import { sql as raw } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#contract/ids.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import type { Db } from '#server/platform/db/store.ts';
import { getRandom } from '../http/hostile.ts';
import { freshUrl, missing, QUIET } from './databases.ts';
import { aTenant, byClock, jobDraft } from './drafts.ts';

/** `PROOF=40` makes 20,000. */
const REQUESTS = 500 * Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
/** Fewer than callers, so that each connection serves both providers in turn. */
const CONNECTIONS = 4;
const CALLERS = 12;

let store: OpenStore;
let tenants: readonly TenantId[] = [];
beforeAll(async () => {
  if (missing !== '') return;
  store = await openStore({
    ...QUIET,
    dataDir: '',
    databaseUrl: await freshUrl(),
    connections: CONNECTIONS,
  });
  tenants = await Promise.all([aTenant(store), aTenant(store)]);
  for (const [index, tenant] of tenants.entries())
    await store.tenant(tenant, (tx) =>
      tx.append([jobDraft(1 + index), jobDraft(3 + index)], byClock),
    );
});
afterAll(async () => {
  if (missing === '') await store.close();
});

type Transaction = Pick<Db, 'getExecutor'>;

/** Whose jobs a statement without a condition finds, and by which connection. */
async function look(sql: Transaction): Promise<{ owners: string[]; jobs: number; pid: number }> {
  const { rows } = await raw<{ owner: string }>`select tenant_id as owner from job`.execute(sql);
  const { rows: by } = await raw<{ pid: number }>`select pg_backend_pid() as pid`.execute(sql);
  return {
    owners: [...new Set(rows.map(({ owner }) => owner))],
    jobs: rows.length,
    pid: by[0]?.pid ?? 0,
  };
}

/** How a transaction may end besides well. */
const ENDS = {
  async thrown() {
    throw new Error('taken back');
  },
  async refused(sql: Transaction) {
    await raw`select 1 / 0`.execute(sql);
  },
  async canceled(sql: Transaction) {
    await raw`set local statement_timeout = 1`.execute(sql);
    await raw`select pg_sleep(60)`.execute(sql);
  },
  async ended(sql: Transaction) {
    await raw`reset role`.execute(sql);
    await raw`select pg_terminate_backend(pg_backend_pid())`.execute(sql);
  },
} as const;
const NAMES = Object.keys(ENDS) as (keyof typeof ENDS)[];

test.skipIf(missing !== '')(
  `G32, T4: transactions of two providers and of none, interleaved over four connections with errors, canceled statements and lost connections, see their own rows only (seed ${SEED})${missing}`,
  async () => {
    const random = getRandom(SEED);
    const wrong: unknown[] = [];
    const seen = new Map<number, Set<TenantId | null>>();
    const ends = new Map<string, number>();
    let left = REQUESTS;
    const request = async (): Promise<void> => {
      const tenant = [...tenants, null][random.below(3)] ?? null;
      const end = random.below(4) === 0 ? (NAMES[random.below(NAMES.length)] ?? null) : null;
      let attempts = 0;
      const work = async (sql: Transaction): Promise<void> => {
        attempts += 1;
        const { owners, jobs, pid } = await look(sql);
        seen.set(pid, (seen.get(pid) ?? new Set()).add(tenant));
        const expected = tenant === null ? [0] : [2, tenant];
        if (JSON.stringify([jobs, ...owners]) !== JSON.stringify(expected))
          wrong.push({ tenant, jobs, owners });
        // After a lost connection it is tried again, and ends well.
        if (end !== null && attempts === 1) await ENDS[end](sql);
      };
      const outcome = await (
        tenant === null
          ? store.system((sql) => work(sql))
          : store.tenant(tenant, ({ sql }) => work(sql))
      ).then(
        () => 'done',
        () => 'failed',
      );
      if (end !== null) ends.set(`${end} ${outcome}`, (ends.get(`${end} ${outcome}`) ?? 0) + 1);
      else if (outcome !== 'done') wrong.push({ tenant, outcome });
    };
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (left-- > 0) await request();
      }),
    );
    expect(wrong).toEqual([]);
    expect([...ends.keys()].toSorted()).toEqual([
      'canceled failed',
      'ended done',
      'refused failed',
      'thrown failed',
    ]);
    // It proves something only if connections changed hands.
    expect([...seen.values()].some((one) => one.size === 3)).toBe(true);
  },
  600_000,
);
