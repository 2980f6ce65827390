import { createHash } from 'node:crypto';
import { assert, asyncProperty, nat } from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '#server/platform/clock.ts';
import { migration0102 } from '#server/platform/db/migrations/0102_chain_ends.ts';
import { checkEachNight } from '#server/platform/events/check-each-night.ts';
import { checkLogs, isSound, sealLogs, verify } from '#server/platform/events/verify.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft } from '../db/drafts.ts';

/** Flips and as many cuts, of each of four columns on each database: `PROOF=13` makes 1,040. */
const DAMAGES = 5 * Number(process.env['PROOF'] ?? 1);

/** Nine events in three batches: 1 to 3, 4, 5 to 9. The last one is by a user. */
const BATCHES = [
  [companyDraft(1), jobDraft(1), problemDraft(1, 1, 1)],
  [runDraft({ n: 1, problem: 1, message: 'ü "quoted" \\ 💾' })],
  [2, 3, 4, 5, 6].map((n) => runDraft({ n })),
];
const byUser = {
  actor: { kind: 'user', id: '20000000-0000-4000-8000-000000000001', impersonation: 'i' },
  subject: '20000000-0000-4000-8000-000000000002',
  commandId: '20000000-0000-4000-8000-000000000003',
  at: byClock.at + 5,
} as const;

async function makeLog(store: Store): Promise<TenantId> {
  const tenant = await aTenant(store);
  const [first = [], second = [], third = []] = BATCHES;
  await store.tenant(tenant, (tx) => tx.append(first, byClock));
  await store.tenant(tenant, (tx) => tx.append(second, byUser));
  await store.tenant(tenant, (tx) =>
    tx.append(
      third,
      third.map((_, index) => (index === 4 ? byUser : byClock)),
    ),
  );
  return tenant;
}

/** Runs a statement as the tables' owner: what the database's administrator or a failing disk may do. */
const damage = (store: Store, tenant: TenantId, statement: string): Promise<void> =>
  store.system(async (db) => {
    await sql`reset role`.execute(db);
    await sql`select set_config('app.tenant_id', ${tenant}, true)`.execute(db);
    await sql.raw(statement).execute(db);
  });

const verifyOne = async (store: Store, tenant: TenantId) => {
  const [one] = await verify(store, { only: [tenant] });
  if (one === undefined) throw new Error('Nothing was verified.');
  return one;
};
const listRows = ({ rebuilt }: Awaited<ReturnType<typeof verifyOne>>): string[] | null =>
  rebuilt && rebuilt.differences.map(({ table, id }) => `${table} ${id}`);

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const sorted = (value: object): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );

const getText = (event: Record<string, unknown>): string =>
  `${JSON.stringify([
    event['seq'],
    event['type'],
    event['at'],
    sorted(event['actor'] as object),
    event['subject'],
    event['company'],
    event['entity'],
    event['command_id'],
  ])}\n${JSON.stringify(event['data'])}\n`;

eachDatabase((name, open) => {
  test(`LOG-11, G22: each batch has the hash of the batch before and its own, as an independent reader calculates it (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    const { events, hashes } = await store.tenant(tenant, async (tx) => ({
      events: (await sql<Record<string, unknown>>`select * from event order by seq`.execute(tx.sql))
        .rows,
      hashes: (
        await sql<{
          seq: number;
          hash: string;
        }>`select seq, hash from log_hash order by seq`.execute(tx.sql)
      ).rows,
    }));
    let hash = '';
    const expected = [
      [1, 3],
      [4, 4],
      [5, 9],
    ].map(([first = 0, last = 0]) => {
      hash = sha(
        hash +
          sha(
            events
              .slice(first - 1, last)
              .map(getText)
              .join(''),
          ),
      );
      return { seq: last, hash };
    });
    expect(hashes).toEqual(expected);
    const verified = await verifyOne(store, tenant);
    expect(verified).toMatchObject({ head: 9, sealed: 9, damages: [] });
    expect(isSound(verified)).toBe(true);
  });

  test(`LOG-11: the application can't change a hash (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    for (const statement of ['update log_hash set hash = seq::text', 'truncate log_hash'])
      await expect(
        store.tenant(tenant, (tx) => sql.raw(statement).execute(tx.sql)),
      ).rejects.toThrow(/permission denied/);
  });

  test.for([
    ['a time', `update event set at = at # 4096 where seq = 2`, ['changed 1–3']],
    ['a type', `update event set type = 'job.found@2' where seq = 2`, ['changed 1–3']],
    ['a user', `update event set subject = null where seq = 4`, ['changed 4–4']],
    ['an entity', `update event set entity = 'run:3' where seq = 5`, ['changed 5–9']],
    [
      'the order of two events',
      `update event as e set data = o.data from event as o where e.tenant_id = o.tenant_id and (e.seq, o.seq) in ((6, 7), (7, 6))`,
      ['changed 5–9'],
    ],
    ['a lost event', `delete from event where seq = 4`, ['missing 4–4']],
    ['a lost end', `delete from event where seq > 7`, ['missing 8–9']],
    [
      'a lost batch and its hash',
      `with gone as (delete from log_hash where seq = 4) delete from event where seq = 4`,
      ['missing 4–4'],
    ],
    ['a lost hash', `delete from log_hash where seq = 4`, ['changed 4–9']],
    [
      'events after the end',
      `update head set seq = 4; delete from log_hash where seq > 4`,
      ['surplus 5–5', 'surplus 6–6', 'surplus 7–7', 'surplus 8–8', 'surplus 9–9', 'unsealed 5–9'],
    ],
    ['a lost end of the chain', `delete from log_hash where seq = 9`, ['unsealed 5–9']],
    ['the whole chain', `delete from log_hash`, ['unsealed 1–9']],
    ['a chain beyond its end', `update head set sealed_seq = 4`, ['changed 5–9']],
    [
      'the hash of its end',
      `update log_hash set hash = repeat('0', 64) where seq = 9`,
      ['changed 5–9'],
    ],
    ['the end in the head row', `update head set sealed_hash = ''`, ['changed 5–9']],
  ] as const)(
    `LOG-11, G22: damage of the log is named: %s (${name})`,
    async ([, statement, expected]) => {
      const store = await open();
      const tenant = await makeLog(store);
      for (const one of statement.split('; ')) await damage(store, tenant, one);
      const verified = await verifyOne(store, tenant);
      expect(verified.damages.map(({ kind, first, last }) => `${kind} ${first}–${last}`)).toEqual(
        expected,
      );
    },
  );

  test(`LOG-12, G22: a log that lost its end, hashes and head included, contradicts the rows (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    for (const statement of [
      'delete from event where seq > 4',
      'delete from log_hash where seq > 4',
      `update head set seq = 4, sealed_seq = 4, sealed_hash = (select hash from log_hash as l where l.seq = 4 and l.tenant_id = head.tenant_id) where tenant_id = current_setting('app.tenant_id')::uuid`,
    ])
      await damage(store, tenant, statement);
    const verified = await verifyOne(store, tenant);
    expect([verified.damages, isSound(verified)]).toEqual([[], false]);
    expect(listRows(verified)).toEqual([
      'stat 1',
      ...[2, 3, 4, 5, 6].map((n) => `run ${n}`),
      'run_day 2026-09-21',
    ]);
  });

  test(`LOG-12, G22: rows that differ from the log are named, though the log is whole (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    await damage(store, tenant, `update run set status = 'Failed' where n = 3`);
    await damage(store, tenant, `delete from problem where n = 1`);
    const verified = await verifyOne(store, tenant);
    expect([verified.damages, listRows(verified)]).toEqual([[], ['run 3', 'problem 1']]);
  });

  test(`LOG-11: a log that is older than the chain is sealed by the first check or backup, and appends continue it (${name})`, async () => {
    const store = await open();
    const append = (tenant: TenantId, n: number) =>
      store.tenant(tenant, (tx) => tx.append([runDraft({ n })], byClock));
    for (const seal of [
      async (tenant: TenantId) => void (await verifyOne(store, tenant)),
      async () => await sealLogs(store, { info: () => undefined }),
    ]) {
      const tenant = await makeLog(store);
      await damage(store, tenant, 'delete from log_hash');
      await damage(store, tenant, `update head set sealed_seq = 0, sealed_hash = ''`);
      await append(tenant, 7);
      expect(
        await store.tenant(tenant, ({ sql: db }) =>
          db.selectFrom('log_hash').selectAll().execute(),
        ),
      ).toEqual([]);
      await seal(tenant);
      await append(tenant, 8);
      const verified = await verifyOne(store, tenant);
      expect(verified).toMatchObject({ head: 11, sealed: 11, damages: [] });
      expect(isSound(verified)).toBe(true);
      await damage(store, tenant, `update event set at = at + 1 where seq = 5`);
      expect((await verifyOne(store, tenant)).damages).toEqual([
        { kind: 'changed', first: 1, last: 10 },
      ]);
    }
  });

  test.for([
    ['the end of the chain', 'delete from log_hash where seq = 9', 5],
    ['the whole chain', 'delete from log_hash', 1],
  ] as const)(
    `LOG-11, G22: neither a check nor a backup gives hashes to events that lost theirs, and later ones still have them: %s (${name})`,
    async ([, statement, first]) => {
      const store = await open();
      const tenant = await makeLog(store);
      await damage(store, tenant, statement);
      await damage(
        store,
        tenant,
        'update event set at = at - 86400000, subject = null where seq = 7',
      );
      await store.tenant(tenant, (tx) => tx.append([runDraft({ n: 7 })], byClock));
      const logged: unknown[] = [];
      for (let time = 0; time < 2; time += 1) {
        const verified = await verifyOne(store, tenant);
        expect([isSound(verified), verified.damages[0]?.first]).toEqual([false, first]);
        await sealLogs(store, { info: (_, fields) => void logged.push(fields?.['tenant']) });
        const [checked] = await checkLogs(store, { only: [tenant] });
        expect(checked?.damages).toEqual(verified.damages);
      }
      expect(logged).not.toContain(tenant);
      const { rows } = await store.tenant(tenant, (tx) =>
        sql<{ seq: number }>`select seq from log_hash where seq > 9`.execute(tx.sql),
      );
      expect(rows).toEqual([{ seq: 10 }]);
    },
  );

  test(`LOG-11: a log whose chain began before the head row had its end keeps its chain (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    await damage(store, tenant, `update head set sealed_seq = 0, sealed_hash = ''`);
    for (const statement of migration0102.statements.slice(1))
      await damage(store, tenant, statement);
    await store.tenant(tenant, (tx) => tx.append([runDraft({ n: 7 })], byClock));
    const verified = await verifyOne(store, tenant);
    expect([verified.head, verified.sealed, isSound(verified)]).toEqual([10, 10, true]);
  });

  test(`LOG-11: each log is checked once a night; the server's log and the overview have what was found (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    const lines: unknown[] = [];
    const note = (what: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      void lines.push([what, fields['tenant'], fields['damagedParts']]);
    const context = { store, clock: systemClock, log: { info: note, warn: note, error: note } };
    const NIGHT = Date.UTC(2026, 10, 28, 3);
    const run = async (now: number) => ({
      next: await checkEachNight(context)({
        tenant,
        payload: null,
        now,
        signal: new AbortController().signal,
      }),
      head: await store.tenant(tenant, ({ sql: db }) =>
        db
          .selectFrom('head')
          .select(['checked_at', 'damaged_parts'])
          .where('tenant_id', '=', tenant)
          .executeTakeFirst(),
      ),
    });
    const whole = await run(NIGHT);
    expect(whole.head).toEqual({ checked_at: NIGHT, damaged_parts: 0 });
    expect(whole.next).toBeGreaterThan(NIGHT);
    expect(whole.next).toBeLessThanOrEqual(NIGHT + 86_400_000);
    await damage(store, tenant, 'delete from log_hash where seq = 9');
    expect((await run(NIGHT + 1)).head).toEqual({ checked_at: NIGHT + 1, damaged_parts: 1 });
    expect(lines).toEqual([
      ['the log was checked', tenant, 0],
      ['the log is damaged: run npm run verify', tenant, 1],
    ]);
  });

  test(`LOG-11: more events than one statement takes have a hash for each statement (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    const many = Array.from({ length: 5_001 }, (_, index) => runDraft({ n: index + 10 }));
    await store.tenant(tenant, (tx) => tx.append(many, byClock));
    const verified = await verifyOne(store, tenant);
    expect(verified).toMatchObject({ head: 5_010, sealed: 5_010, damages: [] });
    expect(isSound(verified)).toBe(true);
  });

  // The columns are text meanwhile: the database itself would refuse most of the damaged ones.
  test(`LOG-11, LOG-12, G22: every flipped bit in the data of an event or in a row, and every cut, is found and named (${name})`, async () => {
    const store = await open();
    const tenant = await makeLog(store);
    let damaged = 0;
    const harm = async (table: string, column: string, key: string, at: number, how: Harm) => {
      const { rows } = await store.tenant(tenant, (tx) =>
        sql<{ id: number; text: string }>`select ${sql.ref(key)} as id, ${sql.ref(column)} as text
          from ${sql.table(table)} order by 1`.execute(tx.sql),
      );
      const row = rows[at % rows.length];
      if (row === undefined) throw new Error(`No rows in ${table}.`);
      const write = (text: string): Promise<void> =>
        damage(
          store,
          tenant,
          `update ${table} set ${column} = '${text.replaceAll("'", "''")}' where ${key} = ${row.id}`,
        );
      await write(getHarmed(row.text, Math.floor(at / rows.length), how));
      damaged += 1;
      return { id: row.id, mend: () => write(row.text) };
    };
    const asText = async (
      table: string,
      column: string,
      work: (at: number, how: Harm) => Promise<void>,
    ): Promise<void> => {
      const alter = (type: string): Promise<void> =>
        damage(
          store,
          tenant,
          `alter table ${table} alter column ${column} type ${type} using ${column}::${type}`,
        );
      await alter('text');
      await assert(asyncProperty(nat(), nat(7), work), { numRuns: DAMAGES });
      await assert(
        asyncProperty(nat(), (at) => work(at, 'cut')),
        { numRuns: DAMAGES },
      );
      await alter('json');
    };
    await asText('event', 'data', async (at, how) => {
      const one = await harm('event', 'data', 'seq', at, how);
      const { damages } = await verifyOne(store, tenant);
      expect(damages).toHaveLength(1);
      expect(damages[0]?.first).toBeLessThanOrEqual(one.id);
      expect(damages[0]?.last).toBeGreaterThanOrEqual(one.id);
      await one.mend();
    });
    for (const table of ['job', 'run', 'problem'])
      await asText(table, 'row', async (at, how) => {
        const one = await harm(table, 'row', 'n', at, how);
        const verified = await verifyOne(store, tenant);
        expect([verified.damages, listRows(verified)]).toEqual([[], [`${table} ${one.id}`]]);
        await one.mend();
      });
    expect(damaged).toBe(4 * 2 * DAMAGES);
    expect(isSound(await verifyOne(store, tenant))).toBe(true);
  });

  test(`LOG-11, G22: a log that ends early is found, wherever it was cut off (${name})`, async () => {
    const store = await open();
    for (let last = 0; last < 9; last += 1) {
      const tenant = await makeLog(store);
      await damage(store, tenant, `delete from event where seq > ${last}`);
      const { damages } = await verifyOne(store, tenant);
      expect([last, damages.map(({ kind, first }) => [kind, first])[0]]).toEqual([
        last,
        ['missing', last + 1],
      ]);
    }
  });
});

/** Which bit of a byte is flipped, or that the text ends there. */
type Harm = number | 'cut';

/** Returns the text with one bit flipped at this byte or the next that stays text, or cut there. */
function getHarmed(text: string, at: number, how: Harm): string {
  const bytes = Buffer.from(text);
  for (let moved = 0; moved < 8 * bytes.length; moved += 1) {
    const place = (at + Math.floor(moved / 8)) % bytes.length;
    const harmed = Buffer.from(bytes);
    if (how !== 'cut') harmed[place] = (harmed[place] ?? 0) ^ (1 << ((how + moved) % 8));
    const left = how === 'cut' ? harmed.subarray(0, place) : harmed;
    const found = left.toString();
    if (!found.includes('\u0000') && left.equals(Buffer.from(found))) return found;
  }
  throw new Error('No bit of it can be flipped.');
}
