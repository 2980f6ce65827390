import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Logged, NewEvent } from '#contract/events.ts';
import type { TenantId } from '#contract/ids.ts';
import { FILL_JOB_KINDS } from '#server/platform/db/migrations/0088_job_kinds.ts';
import type { Store } from '#server/platform/db/store.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { loadDays } from '#server/platform/sync/days.ts';
import type { SyncScope } from '#server/platform/sync/scope.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant, byClock, jobChange, jobDraft, runDraft } from '../db/drafts.ts';
import { getRandom } from '../http/hostile.ts';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
const STEPS = 40 * Number(process.env['PROOF'] ?? 1);
const ALL: SyncScope = {
  companies: null,
  deleted: new Set<number>(),
  reads: new Set(),
  self: null,
  own: '',
};

/** The jobs 1 and 2 of company 1, and 3 of company 2. */
const COMPANIES = [1, 1, 2] as const;
const foundJobs = (): NewEvent[] =>
  COMPANIES.map((company, index) => {
    const { event } = jobDraft(index + 1);
    return {
      company,
      entity: `job:${index + 1}`,
      event: { ...event, data: { ...event.data, company } } as NewEvent['event'],
    };
  });

interface Kind {
  readonly managed: boolean | null;
  readonly source: 'restic' | 'borg';
  readonly type: 'Backup' | 'Replication';
}
function changed(job: number, kind: Partial<Kind>, name = 'Files'): NewEvent {
  const { event } = jobChange(job, name);
  return {
    company: COMPANIES[job - 1] ?? 1,
    entity: `job:${job}`,
    event: { ...event, data: { ...event.data, ...kind } } as NewEvent['event'],
  };
}

const append = (store: Store, tenant: TenantId, drafts: readonly NewEvent[]): Promise<unknown> =>
  store.tenant(tenant, (tx) => tx.append(drafts, byClock));

const listKinds = (store: Store, tenant: TenantId): Promise<unknown> =>
  store.tenant(tenant, async (tx) =>
    (
      await tx.sql
        .selectFrom('job_kind')
        .select(['company_n', 'seq'])
        .where('tenant_id', '=', tenant)
        .orderBy('company_n')
        .execute()
    ).map(({ company_n: company, seq }) => [company, seq]),
  );

/** Runs a statement as the tables' owner, as the migrator does. */
const asOwner = (store: Store, tenant: TenantId, statement: string): Promise<void> =>
  store.system(async (db) => {
    await sql`reset role`.execute(db);
    await sql`select set_config('app.tenant_id', ${tenant}, true)`.execute(db);
    await sql.raw(statement).execute(db);
  });

/** The same from the log, with the state of each job before each change. */
function findChanges(events: readonly Logged[]): unknown {
  const states = new Map<number, string>();
  const last = new Map<number, number>();
  for (const { seq, event } of events) {
    if (event.type !== 'job.found@1' && event.type !== 'job.updated@1') continue;
    const { n, managed, source, type } = event.data;
    const state = JSON.stringify([managed, source, type]);
    if (states.has(n) && states.get(n) !== state) last.set(COMPANIES[n - 1] ?? 0, seq);
    states.set(n, state);
  }
  return [...last].sort(([one], [other]) => one - other);
}

eachDatabase((name, open) => {
  test(`SYNC-11: the tags of a day have the last change of a job's kind in the companies of their user (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    await append(store, tenant, [...foundJobs(), runDraft({ n: 1 })]);
    const loadTags = (scope: SyncScope): Promise<readonly string[]> =>
      store.tenant(
        tenant,
        async (tx) =>
          (await loadDays(tx, scope, '2026-01-01', await tx.head())).map(
            ({ tag }) => tag.split('-')[4]?.replace('"', '') ?? '',
          ),
        { readOnly: true },
      );
    const seen: unknown[] = [];
    for (const draft of [
      changed(1, {}, 'Another name'),
      changed(1, { managed: true }),
      changed(1, { managed: true }, 'A third name'),
      changed(3, { source: 'borg' }),
      changed(2, { type: 'Replication' }),
    ]) {
      await append(store, tenant, [draft]);
      seen.push([
        ...(await loadTags(ALL)),
        ...(await loadTags({ ...ALL, companies: new Set([1]) })),
        ...(await loadTags({ ...ALL, deleted: new Set([1]) })),
      ]);
    }
    // The run is the event 4. A user without company 1 has no day.
    expect(seen).toEqual([
      ['4', '4'],
      ['6', '6'],
      ['6', '6'],
      ['8', '6'],
      ['9', '9'],
    ]);
  });

  test(`SYNC-11, LOG-5: the last changes of jobs' kinds are those of the log, also where an earlier version stored it (${name}, seed ${SEED})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    const random = getRandom(SEED);
    await append(store, tenant, foundJobs());
    for (let step = 0; step < STEPS; step++)
      await append(
        store,
        tenant,
        Array.from({ length: random.of([1, 1, 3]) }, () =>
          changed(random.of([1, 2, 3]), {
            managed: random.of([null, false, true]),
            source: random.of(['restic', 'restic', 'borg']),
            type: random.of(['Backup', 'Backup', 'Replication']),
          }),
        ),
      );
    const events = await store.tenant(tenant, (tx) => tx.eventsAfter(0, 1_000_000));
    const expected = findChanges(events);
    expect(await listKinds(store, tenant)).toEqual(expected);
    for (const type of ['job.updated@1', 'job.changed@1']) {
      await asOwner(
        store,
        tenant,
        `update event set type = '${type}' where tenant_id = '${tenant}' and type in ('job.updated@1', 'job.changed@1')`,
      );
      await asOwner(store, tenant, `delete from job_kind where tenant_id = '${tenant}'`);
      await asOwner(store, tenant, FILL_JOB_KINDS);
      expect([type, await listKinds(store, tenant)]).toEqual([type, expected]);
    }
    expect(await rebuild(store, { only: [tenant] })).toMatchObject([{ differences: [] }]);
  });

  test(`SYNC-11, LOG-5, LOG-12: a wrong last change is named, and a rebuild corrects it (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    await append(store, tenant, [...foundJobs(), changed(1, { managed: true })]);
    await store.tenant(tenant, ({ sql: db }) =>
      db.updateTable('job_kind').set({ seq: 2 }).where('tenant_id', '=', tenant).execute(),
    );
    const only = [tenant];
    const wrong = [{ table: 'job_kind', id: 1, stored: '2', folded: '4' }];
    expect(await rebuild(store, { only })).toMatchObject([{ differences: wrong }]);
    await rebuild(store, { only, write: true });
    expect(await rebuild(store, { only })).toMatchObject([{ differences: [] }]);
    expect(await listKinds(store, tenant)).toEqual([[1, 4]]);
  });
});
