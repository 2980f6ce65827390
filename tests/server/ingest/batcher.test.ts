import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { keyHandlers } from '#server/features/ingest/ingest-keys.ts';
import { type Normal, normalizeExecution } from '#server/features/ingest/normalize.ts';
import { recordResults } from '#server/features/ingest/pipeline.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { anAsk, anExecution, aPlace, HOUR, iso, NOON, type Place } from './fixtures.ts';

/** The store, and how many of a tenant's transactions that write were opened. */
function counted(store: Store): { readonly store: Store; readonly opened: () => number } {
  let opened = 0;
  const tenant: Store['tenant'] = (id, work, how) => {
    if (how?.readOnly !== true) opened += 1;
    return store.tenant(id, work, how);
  };
  return { store: { ...store, tenant }, opened: () => opened };
}

/**
 * Five nights of three jobs, some of which fail, with and without names of their own; the last
 * night twice.
 */
const night = (slot: number): Record<string, unknown>[] =>
  ['A', 'B', 'C'].map((job, index) =>
    anExecution({
      job,
      startTime: iso(NOON - (30 - slot) * HOUR),
      endTime: iso(NOON - (30 - slot) * HOUR + HOUR / 2),
      status: (slot + index) % 3 === 0 ? 'Failed' : 'Success',
      ...((slot + index) % 3 === 0 ? { message: `disk ${index} is full` } : {}),
      ...(index === 0 ? { externalId: `${job}-${slot}` } : {}),
      ...(index === 1 ? { log: `log of ${slot}` } : {}),
    }),
  );
const NIGHTS = [0, 1, 2, 3, 4, 4].map(night);

async function loadRows(place: Place): Promise<unknown> {
  const { ground: fixture, tenant } = place;
  const names = new Map(
    (await place.all('job')).map(({ n, uid, key }) => [n, `${key.length} ${uid}`]),
  );
  const runs = (await place.all('run')).map(
    ({ uid, job, status, startedAt, message, problem, hasLog }) =>
      [
        names.get(job),
        uid.replace(/^job:\d+/, 'job'),
        status,
        startedAt,
        message,
        problem !== null,
        hasLog,
      ].join(' '),
  );
  const problems = (await place.all('problem')).map(({ job, state, runs: many, closedAt }) =>
    [names.get(job), state, many, closedAt !== null].join(' '),
  );
  const logs = await fixture.context.store.tenant(
    tenant,
    async ({ sql }) =>
      (
        await sql.selectFrom('run_log').select('body').where('tenant_id', '=', tenant).execute()
      ).map(({ body }) => body),
    { readOnly: true },
  );
  return [runs, problems, logs].map((list) => list.sort());
}

const good = (slot: number): Normal[] =>
  night(slot).map(
    (input, index) =>
      normalizeExecution(input as Parameters<typeof normalizeExecution>[0], index, NOON) as Normal,
  );

eachDatabase((name, open) => {
  test(`ING-15, STORE-7: concurrent posts have the same result as sequential ones, in fewer transactions, each with its own answer (${name})`, async () => {
    const store = await open();
    const one = await aPlace(store);
    for (const secret of [one.secret, (await one.keyFor('restic')).secret])
      for (const body of NIGHTS) await one.post('executions', body, { secret });
    const { store: own, opened } = counted(store);
    const many = await aPlace(own);
    const other = await many.keyFor('restic');
    const secrets = [many.secret, other.secret];
    // Keys that were heard before are not looked up again: what is posted after that stays in its
    // order.
    for (const secret of secrets) await many.post('executions', NIGHTS[0], { secret });
    const before = opened();
    const answers = await Promise.all(
      secrets.flatMap((secret) =>
        NIGHTS.slice(1).map((body) => many.post('executions', body, { secret })),
      ),
    );
    expect(
      answers.map(({ status, data }) => [status, data.accepted, data.duplicates].join()),
    ).toEqual([1, 2].flatMap(() => ['200,3,0', '200,3,0', '200,3,0', '200,3,0', '200,0,3']));
    expect(await loadRows(many)).toEqual(await loadRows(one));
    expect(opened() - before).toBeLessThan(answers.length / 2);
    expect(await rebuild(await open(), { only: [many.tenant] })).toMatchObject([
      { differences: [], quarantined: 0 },
    ]);
  });

  test(`ING-15, ING-13: a record that can't be stored and a revoked key don't affect the others in their batch (${name})`, async () => {
    const place = await aPlace(await open());
    const { context } = place.ground;
    const over = await place.keyFor('borg');
    const rows = new Map((await place.all('key')).map((row) => [row.id, row]));
    await keyHandlers(context).revokeKey({ id: over.id }, anAsk(place.ground, place.tenant));
    const own = rows.get(place.keyId) as IngestKeyRow;
    const bad = good(3).map((normal) => ({ ...normal, exitCode: Number.NaN }));
    const request: readonly (readonly [IngestKeyRow, Normal[]])[] = [
      [own, good(0)],
      [own, good(1)],
      [own, bad],
      [rows.get(over.id) as IngestKeyRow, good(2)],
      [own, good(4)],
    ];
    const answers = await Promise.allSettled(
      request.map(([key, executions]) =>
        recordResults(context, place.tenant, key, executions, NOON),
      ),
    );
    expect(
      answers.map((one) =>
        one.status === 'fulfilled'
          ? one.value.ok
            ? one.value.value.accepted
            : 'over'
          : String(one.reason).slice(0, 40),
      ),
    ).toEqual([3, 3, 'BadDraft: Not an event of the contract: ', 'over', 3]);
    expect((await place.all('run')).length).toBe(9);
  });

  test(`LOG-3: a statement that nobody awaited fails the transaction with its own reason, and leaves nothing (${name})`, async () => {
    const place = await aPlace(await open());
    const { store } = place.ground.context;
    const wrong = CompiledQuery.raw(
      'insert into run_log (tenant_id, run_n, body) values ($1, 1, null)',
      [place.tenant],
    );
    const stored = CompiledQuery.raw(
      `insert into run_log (tenant_id, run_n, body) values ($1, 2, 'kept')`,
      [place.tenant],
    );
    for (const then of [() => undefined, (tx: { head(): Promise<unknown> }) => tx.head()]) {
      await expect(
        store.tenant(place.tenant, async (tx) => {
          tx.send(stored);
          tx.send(wrong);
          await then(tx);
        }),
      ).rejects.toMatchObject({ code: '23502' });
    }
    await expect(
      store.tenant(place.tenant, (tx) => {
        tx.send(stored);
        return Promise.reject(new Error('late'));
      }),
    ).rejects.toThrow('late');
    expect(await place.log(2)).toBeNull();
    const after: Promise<unknown>[] = [];
    await store.tenant(place.tenant, async ({ sql }) => {
      await sql.selectFrom('head').select('seq').execute();
      setTimeout(
        () => void after.push(sql.selectFrom('head').select('seq').execute().catch(String)),
      );
    });
    await new Promise((resolve) => void setTimeout(resolve, 20));
    expect(await Promise.all(after)).toEqual(['Error: The transaction is over.']);
  });
});
