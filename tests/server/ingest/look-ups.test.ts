import { CompiledQuery } from 'kysely';
import { expect, test } from 'vitest';
import { RUNS_BY_UID } from '#server/features/ingest/load-decision-state.ts';
import { normalizeExecution, type Normal } from '#server/features/ingest/normalize.ts';
import { recordResults } from '#server/features/ingest/pipeline.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { isSound, verify } from '#server/platform/events/verify.ts';
import { eachDatabase } from '../db/databases.ts';
import { collectStatements } from '../db/statements.ts';
import { anExecution, aPlace, DAY, HOUR, iso, NOON } from './fixtures.ts';

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Plans'?: readonly Plan[];
}
const max = (plan: Plan): number =>
  Math.max(plan['Actual Rows'] * plan['Actual Loops'], ...(plan.Plans ?? []).map(max));

const named = (job: string, externalId: string, hour: number, more = {}): unknown =>
  anExecution({
    job,
    externalId,
    startTime: iso(NOON - DAY + hour * HOUR),
    endTime: iso(NOON - DAY + hour * HOUR + 1000),
    ...more,
  });

eachDatabase((name, open) => {
  test(`ING-14: known jobs and causes of a key are not read again when it posts, even before tables are analyzed (${name})`, async () => {
    const place = await aPlace(await open());
    for (const round of [1, 2, 3]) {
      const posted = await place.post(
        'executions',
        Array.from({ length: 300 }, (_, index) => {
          const start = NOON - round * HOUR;
          return anExecution({
            job: `Job ${index}`,
            externalId: `${round}-${index}`,
            startTime: iso(start),
            endTime: iso(start + 1000),
          });
        }),
      );
      expect(posted.data.accepted).toBe(300);
    }
    const plan = await place.ground.context.store.tenant(place.tenant, async (tx) => {
      const { rows } = await tx.sql.executeQuery(
        CompiledQuery.raw(`explain (analyze, format json) ${RUNS_BY_UID}`, [
          place.tenant,
          JSON.stringify([{ uid: '1-5' }, { uid: '2-5' }, { uid: 'none' }]),
          place.keyId,
        ]),
      );
      return (rows as { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }[])[0]?.[
        'QUERY PLAN'
      ][0]?.Plan;
    });
    expect(plan && max(plan)).toBeLessThanOrEqual(3);
  });

  test(`INGEST-1: the ID of a result that begins after all known ones of its job is not looked up, and one that is taken after all is answered as if it had been (${name})`, async () => {
    const store = await open();
    const place = await aPlace(store);
    await place.post('executions', [
      named('A', 'a1', 1),
      named('B', 'b1', 1),
      named('C', 'c1', 1, { status: 'Failed', message: 'Fatal: no' }),
    ]);
    const ids = async (): Promise<string[]> =>
      (await place.all('run')).map(({ uid }) => uid).toSorted();
    const statements = collectStatements();
    try {
      const fresh = await place.post('executions', [named('A', 'a2', 2), named('B', 'b2', 2)]);
      expect(fresh.data).toEqual({ accepted: 2, duplicates: 0, rejected: [] });
      expect(statements.takeRecent()).not.toContain(RUNS_BY_UID);
      // a1 belongs to job A, c1 to a run that began earlier, and the second a3 corrects the first.
      const taken = await place.post('executions', [
        named('A', 'a3', 3),
        named('B', 'a1', 3),
        named('B', 'b3', 4),
        named('C', 'c1', 4),
        named('A', 'a3', 5),
      ]);
      expect(taken.data).toEqual({
        accepted: 4,
        duplicates: 0,
        rejected: [{ index: 1, error: 'externalId: belongs to a run of another job' }],
      });
      expect(statements.takeRecent()).toContain(RUNS_BY_UID);
    } finally {
      statements.stop();
    }
    expect(await ids()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1']);
    const corrected = (await place.all('run')).find(({ uid }) => uid === 'c1');
    expect(corrected).toMatchObject({ status: 'Success', startedAt: NOON - DAY + HOUR });

    // Requests that share a transaction with such a result.
    const answers = await Promise.all(
      [
        [named('A', 'a4', 6)],
        [named('A', 'a5', 7), named('B', 'a2', 7)],
        [named('B', 'b4', 7)],
        [named('A', 'b4', 8)],
        [named('A', 'a6', 9)],
      ].map((body) => place.post('executions', body)),
    );
    expect(
      answers.map(({ status, data }) => [status, data.accepted, data.rejected.length]),
    ).toEqual([
      [200, 1, 0],
      [200, 1, 1],
      [200, 1, 0],
      [200, 0, 1],
      [200, 1, 0],
    ]);
    expect(await ids()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3', 'b4', 'c1']);
    expect(await rebuild(store, { only: [place.tenant] })).toMatchObject([
      { differences: [], quarantined: 0 },
    ]);
  });

  test(`INGEST-2: requests that share a transaction read the usage of a day once, and count for the day of each (${name})`, async () => {
    const place = await aPlace(await open());
    const { context } = place.ground;
    const midnight = Date.parse('2026-03-03T00:00:00Z');
    const key = (await place.all('key'))[0];
    if (key === undefined) throw new Error('There is no key.');
    const at = [-1, -1, 1, -1, 1, 1].map((ms) => midnight + ms);
    const statements = collectStatements();
    const answers = await Promise.all(
      at.map((now, index) =>
        recordResults(
          context,
          place.tenant,
          key,
          [
            normalizeExecution(
              named(`Job ${index}`, `${index}`, 1) as Parameters<typeof normalizeExecution>[0],
              0,
              now,
            ) as Normal,
          ],
          now,
        ),
      ),
    );
    statements.stop();
    expect(answers.map((one) => one.ok && one.value.accepted)).toEqual([1, 1, 1, 1, 1, 1]);
    // The first request is alone; the others wait for it, and share the second transaction.
    const reads = statements
      .takeRecent()
      .filter((text) => text.includes('ingestQuota') && text.includes('ingest_usage'));
    expect(reads.length).toBeLessThanOrEqual(4);
    const { rows } = await context.store.tenant(place.tenant, (tx) =>
      tx.sql.executeQuery(
        CompiledQuery.raw(
          'select day, bytes::int as bytes from ingest_usage where tenant_id = $1 order by day',
          [place.tenant],
        ),
      ),
    );
    expect(rows).toEqual([
      { day: '2026-03-02', bytes: 3_000 },
      { day: '2026-03-03', bytes: 3_000 },
    ]);
  });

  test(`INGEST-3: requests that share a transaction change its head row, hash chain, days, totals, usage and times of sources once (${name})`, async () => {
    const place = await aPlace(await open());
    const { context } = place.ground;
    const { store } = context;
    await place.keyFor('borg');
    const keys = await place.all('key');
    expect(keys.length).toBe(2);
    const requests = [0, 0, 1, 0, 1, 0];
    const statements = collectStatements();
    const answers = await Promise.all(
      requests.map((key, index) =>
        recordResults(
          context,
          place.tenant,
          keys[key] as (typeof keys)[number],
          [
            normalizeExecution(
              named(`Job ${index}`, `${index}`, index % 2) as Parameters<
                typeof normalizeExecution
              >[0],
              0,
              NOON + index,
            ) as Normal,
          ],
          NOON + index,
        ),
      ),
    );
    statements.stop();
    expect(answers.map((one) => one.ok && one.value.accepted)).toEqual([1, 1, 1, 1, 1, 1]);
    const recent = statements.takeRecent();
    const count = (begin: string): number => recent.filter((text) => text.startsWith(begin)).length;
    // The first request is alone; the others wait for it, and share the second transaction.
    const commits = count('insert into log_hash');
    expect(commits).toBe(2);
    const once = [
      'update head set seq',
      'update head set sealed_seq',
      'insert into run_day',
      'insert into run_total',
      'insert into ingest_usage',
    ];
    expect(once.map(count)).toEqual(once.map(() => commits));
    expect(count('insert into source_health')).toBeLessThanOrEqual(commits);
    const [, second] = keys;
    const { rows } = await store.tenant(place.tenant, (tx) =>
      tx.sql.executeQuery(
        CompiledQuery.raw(
          `select u.bytes::int as bytes, h.last_heard_at::text as heard from ingest_usage as u
            join source_health as h on h.tenant_id = u.tenant_id and h.key_id = u.key_id
            where u.tenant_id = $1 and u.key_id = $2`,
          [place.tenant, second?.id],
        ),
      ),
    );
    // The embedded database stores the time once a second.
    expect(rows).toEqual([
      { bytes: 2_000, heard: String(NOON + (store.kind === 'pglite' ? 2 : 4)) },
    ]);
    const [verified] = await verify(store, { only: [place.tenant] });
    expect(verified && isSound(verified)).toBe(true);
  });
});
