import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { NewEvent } from '#contract/events.ts';
import type { TenantId } from '#contract/ids.ts';
import { historyQuery } from '#server/features/daily-checks/execution.ts';
import { lastBeforeQuery } from '#server/features/evidence/evidence-log.ts';
import { evidenceHandlers } from '#server/features/evidence/handlers.ts';
import { lastBefore } from '#server/features/providers/event-log.ts';
import type { Store } from '#server/platform/db/store.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft } from '../db/drafts.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anAsk } from '../ingest/fixtures.ts';

const STEP = 12 * 3_600_000;
/** The time of an event by its number, from 1. */
const at = (seq: number): number => byClock.at + seq * STEP;

const noted = (entity: string, content: string): NewEvent => ({
  company: 1,
  entity,
  event: { type: 'problem.noted@1', data: { problems: [1], content } },
});
const calibrated = (value: number): NewEvent => ({
  company: 1,
  entity: 'job:1',
  event: { type: 'job.calibrated@1', data: { n: 1, measure: 'bytes', value } },
});

/** Actions on one problem, alone, in bulk and by its job, after it opened. */
const LOG: readonly NewEvent[] = [
  companyDraft(1),
  jobDraft(1),
  runDraft({ n: 1, problem: 1 }),
  problemDraft(1, 1, 1),
  ...Array.from({ length: 9 }, (_, index) => [
    noted('problem:*', `in bulk ${index}`),
    noted('problem:1', `alone ${index}`),
    calibrated(index),
  ]).flat(),
];
/** Among the actions; the next events are one on the job and one in bulk. */
const CUT = 9;
const FROM = at(CUT) + 1;
const TO = at(LOG.length) + 1;

let fixture: Fixture;

async function readLater(store: Store, tenant: TenantId) {
  const evidence = await evidenceHandlers(fixture.context).listEvidence(
    { from: FROM, to: TO, before: undefined },
    anAsk({ ...fixture, at: () => undefined }, tenant),
  );
  if (!evidence.ok) throw new Error(evidence.failure.message);
  return await store.tenant(
    tenant,
    async (tx) => {
      const { seq: head } = await tx.head();
      const positions: unknown[] = [];
      for (let seq = CUT + 1; seq <= LOG.length; seq++)
        positions.push([
          await lastBefore(tx, at(seq), head),
          (await lastBeforeQuery(tenant, at(seq), head).execute(tx.sql)).rows[0]?.low,
        ]);
      const { rows: history } = await historyQuery(tenant, 1, 1).execute(tx.sql);
      return {
        positions,
        history: history.filter((record) => record.at >= FROM).map(({ data }) => data),
        evidence: evidence.value.rows.map((row) => [row.at, row.what, row.comment, row.state]),
      };
    },
    { readOnly: true },
  );
}

eachDatabase((name, open) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
    fixture = await makeFixture({}, store);
  });

  test(`EVID-1, PANEL-6: what happened to a problem since a time is found alike if the log begins only then (${name})`, async () => {
    const tenant = await aTenant(store);
    for (const [index, draft] of LOG.entries())
      await store.tenant(tenant, (tx) => tx.append([draft], { ...byClock, at: at(index + 1) }));
    const whole = await readLater(store, tenant);
    const seqs = Array.from({ length: LOG.length - CUT }, (_, index) => CUT + index);
    expect(whole.positions).toEqual(seqs.map((seq) => [seq, seq]));
    // A third of the actions are the job's, which its history doesn't have.
    expect([whole.history.length, whole.evidence.length]).toEqual([14, LOG.length - CUT]);
    await store.system(async (db) => {
      await sql`reset role`.execute(db);
      await sql`select set_config('app.tenant_id', ${tenant}, true)`.execute(db);
      await sql`delete from event where tenant_id = ${tenant}::uuid and seq <= ${CUT}`.execute(db);
    });
    expect(await readLater(store, tenant)).toEqual(whole);
  });
});
