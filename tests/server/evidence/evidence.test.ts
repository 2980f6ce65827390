import * as fc from 'fast-check';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { NewEvent } from '#contract/events.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { EVIDENCE_PAGE, evidenceHandlers } from '#server/features/evidence/handlers.ts';
import { buildRecordsQuery, lastBeforeQuery } from '#server/features/evidence/evidence-log.ts';
import { PROBLEMS_THEN } from '#server/features/evidence/evidence-output.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant, companyDraft, jobDraft, KEY } from '../db/drafts.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { anAsk } from '../ingest/fixtures.ts';
import { analyzeTables, rowsRead } from '../ingest/plan.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TODAY = '2026-03-02';
const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const iso = (ms: number): string => new Date(ms).toISOString();
interface Page {
  readonly rows: readonly Evidence[];
  readonly before: string | null;
}

const page = (who: Asker, more = '', from = now() - DAY, to = now() + DAY): Promise<Answer<Page>> =>
  who<Page>('GET', `monitoring/reporting/evidence?from=${iso(from)}&to=${iso(to)}${more}`);
const loadRows = async (who: Asker, more = ''): Promise<readonly Evidence[]> =>
  (await page(who, more)).body.data.rows;
const jobs = async (who: Asker, more = ''): Promise<string[]> =>
  (await loadRows(who, more)).map(({ job }) => job).sort();
const booted = async (who: Asker): Promise<Bootstrap> =>
  (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;
const change = (who: Asker, run: number | undefined, one: object): Promise<Answer> =>
  who('PUT', `monitoring/backoffice/jobExecutions/${run}`, { change: one });

const nth = (index: number, k: number, problems: number): number =>
  ((index * 7 + k) % problems) + 1;

/**
 * A log of a provider's actions, appended as commands would append them. `actions`: how many problems
 * each is about.
 */
async function aLog(
  store: Store,
  problems: number,
  actions: readonly number[],
  at: (index: number) => number,
): Promise<string> {
  const tenant = await aTenant(store);
  const startedAt = at(0) - HOUR;
  await store.tenant(tenant, async (tx) => {
    const numbers = { company: 1, job: problems, cause: 1, run: problems, problem: problems };
    const drafts: NewEvent[] = [
      companyDraft(1),
      {
        company: null,
        entity: 'cause:1',
        event: { type: 'cause.found@1', data: { n: 1, template: 'No route', kind: 'connection' } },
      },
    ];
    for (let n = 1; n <= problems; n++) drafts.push(...aProblem(n, startedAt));
    await tx.append(
      drafts,
      { actor: { kind: 'source', id: KEY }, subject: null, commandId: null, at: startedAt },
      numbers,
    );
  });
  for (const [index, count] of actions.entries()) {
    await store.tenant(tenant, (tx) =>
      tx.append(
        [
          action(
            index,
            Array.from({ length: count }, (_, k) => nth(index, k, problems)),
          ),
        ],
        { actor: { kind: 'clock' }, subject: null, commandId: null, at: at(index) },
      ),
    );
  }
  return tenant;
}

/** A job of its own, so that a line tells which problem it is. */
const aProblem = (n: number, startedAt: number): NewEvent[] => [
  jobDraft(n),
  {
    company: 1,
    entity: `problem:${n}`,
    event: {
      type: 'problem.opened@1',
      data: { n, job: n, company: 1, cause: 1, state: 'Failed', run: n, startedAt },
    },
  },
  {
    company: 1,
    entity: `run:${n}`,
    event: {
      type: 'run.finished@1',
      data: {
        n,
        job: n,
        company: 1,
        key: KEY,
        uid: `run-${n}`,
        startedAt,
        status: 'Failed',
        endedAt: startedAt,
        durationSec: null,
        bytes: null,
        bytesProcessed: null,
        files: null,
        filesFailed: null,
        message: 'No route',
        exitCode: 1,
        anomaly: [],
        problem: n,
        hasLog: false,
        detail: {},
      },
    },
  },
];

/** The comment names the action and its problem, so that a line can be recognized. */
function action(index: number, problems: readonly number[]): NewEvent {
  const list = [...problems];
  const event: NewEvent['event'] =
    index % 3 === 0
      ? { type: 'problem.noted@1', data: { problems: list, content: `${index}` } }
      : index % 3 === 1
        ? { type: 'problem.reviewed@1', data: { problems: list, comment: `${index}` } }
        : { type: 'problem.ticketSet@1', data: { problems: list, ticket: `${index}` } };
  return { company: 1, entity: list.length === 1 ? `problem:${list[0]}` : 'problem:*', event };
}

/** All lines of a log, page by page, and the sizes of the pages. */
async function leaf(
  tenant: string,
  from: number,
  to: number,
  between: () => Promise<void> = async () => undefined,
): Promise<{ readonly lines: string[]; readonly sizes: number[] }> {
  const handlers = evidenceHandlers(fixture.context);
  const lines: string[] = [];
  const sizes: number[] = [];
  let before: string | undefined;
  for (;;) {
    const result = await handlers.listEvidence(
      { from, to, before },
      anAsk({ ...fixture, at: () => undefined }, tenant),
    );
    if (!result.ok) throw new Error(result.failure.message);
    lines.push(
      ...result.value.rows.map(
        ({ at, what, comment, job }) => `${at} ${what} ${comment ?? ''} ${job}`,
      ),
    );
    sizes.push(result.value.rows.length);
    if (result.value.before === null) return { lines, sizes };
    before = result.value.before;
    await between();
  }
}

eachDatabase((name, open) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
    fixture = await makeFixture({}, store);
  });
  afterEach(() => fixture.pass(1_000));

  test('EVID-1: each action on each problem is a line, newest first, with its user, its job and what was wrong at the time', async () => {
    const office = await anOffice(fixture);
    const [dana, max] = [
      await office.as('dana', ['operator']),
      await office.as('max', ['operator']),
    ];
    await office.post(1, [
      failure('files', `${TODAY}T02:00:00Z`, { source: 'restic' }),
      failure('sql', `${TODAY}T02:01:00Z`),
    ]);
    const [files, sql] = (await booted(dana)).problems.map(({ lastRun }) => lastRun);
    const until = now() + HOUR;
    const actions: readonly (readonly [Asker, object])[] = [
      [dana, { kind: 'note', content: 'disk 3' }],
      [max, { kind: 'snooze', until, reason: 'new rack' }],
      [dana, { kind: 'unsnooze' }],
      [dana, { kind: 'ticket', ticket: 'INC-1' }],
      [max, { kind: 'review', comment: null }],
      [max, { kind: 'reopen' }],
    ];
    for (const [who, one] of actions) {
      fixture.pass(1_000);
      expect((await change(who, files, one)).status).toBe(200);
    }
    await office.post(1, [failure('files', `${TODAY}T03:00:00Z`)]);
    await dana('POST', 'monitoring/backoffice/jobExecutions/bulk', {
      ids: [sql, files],
      change: { kind: 'review', comment: 'one cause' },
    });
    const rows = await loadRows(dana);
    expect(
      rows.map(({ who, what, job, comment, runs: many, until: end }) => [
        who,
        what,
        job,
        comment,
        many,
        end,
      ]),
    ).toEqual([
      ['DANA', 'reviewed', 'sql', 'one cause', 1, null],
      ['DANA', 'reviewed', 'files', 'one cause', 2, null],
      ['MAX', 'reopened', 'files', null, 2, null],
      ['MAX', 'reviewed', 'files', null, 2, null],
      ['DANA', 'ticketLinked', 'files', 'INC-1', 2, null],
      ['DANA', 'unsnoozed', 'files', null, 2, null],
      ['MAX', 'snoozed', 'files', 'new rack', 2, until],
      ['DANA', 'noted', 'files', 'disk 3', 2, null],
    ]);
    expect(rows.at(-1)).toEqual({
      at: now() - 5_000,
      who: 'DANA',
      what: 'noted',
      company: 'Calloway Freight',
      job: 'files',
      computer: 'files-pc',
      source: 'restic',
      type: 'Backup',
      state: 'Failed',
      cause: expect.stringContaining('Unable to connect'),
      runs: 2,
      comment: 'disk 3',
      until: null,
    });
  });

  test('EVID-1: values marked as normal and ignored jobs appear with the problem that they were about', async () => {
    const office = await anOffice(fixture);
    const dana = await office.as('dana', ['operator']);
    const ran = (at: number, bytes: number, more: object = {}): object => ({
      job: 'files',
      computer: 'pc',
      status: 'Success',
      startTime: iso(at),
      endTime: iso(at + 60_000),
      bytesTransferred: bytes,
      ...more,
    });
    await office.post(
      1,
      Array.from({ length: 10 }, (_, index) => ran(now() - (20 - index) * HOUR, 1_000_000_000)),
    );
    await office.post(1, [ran(now() - 5 * HOUR, 90_000_000_000)]);
    const {
      problems: [problem],
      jobs: [job],
    } = await booted(dana);
    expect((await change(dana, problem?.lastRun, { kind: 'not-anomaly' })).status).toBe(200);
    fixture.pass(1_000);
    const path = (what: string): string => `monitoring/backoffice/jobs/${what}/${job?.uid}/ignore`;
    await dana('POST', path('didnt-run'), { ignoredUntil: iso(now() + HOUR) });
    await dana('DELETE', path('didnt-run'));
    await office.post(1, [ran(now() - 4 * HOUR, 1_000_000_000, { enabled: false })]);
    await dana('POST', path('disabled'), {});
    const rows = await loadRows(dana);
    expect(
      rows.map(({ what, state, cause, runs: many, until }) => [what, state, cause, many, until]),
    ).toEqual([
      ['ignored', 'Disabled', '', 0, null],
      ['unignored', '', '', 0, null],
      ['ignored', '', '', 0, now() + HOUR],
      ['reviewed', 'Anomaly', 'Transferred more than usual', 1, null],
      ['markedNormal', 'Anomaly', 'Transferred more than usual', 1, null],
    ]);
    expect(new Set(rows.map(({ job: title }) => title))).toEqual(new Set(['files']));
  });

  test('EVID-3: the lines are about companies that the user sees, for at most twelve months', async () => {
    const office = await anOffice(fixture);
    const [dana, cora, rita] = [
      await office.as('dana', ['operator']),
      await office.as('cora', ['operator'], [1]),
      await office.as('rita', ['read-only']),
    ];
    await office.post(1, [failure('files', `${TODAY}T02:00:00Z`)]);
    await office.post(2, [failure('sql', `${TODAY}T02:00:00Z`)]);
    const ids = (await booted(dana)).problems.map(({ lastRun }) => lastRun);
    await dana('POST', 'monitoring/backoffice/jobExecutions/bulk', {
      ids,
      change: { kind: 'note', content: 'x' },
    });
    expect([await jobs(dana), await jobs(rita), await jobs(cora)]).toEqual([
      ['files', 'sql'],
      ['files', 'sql'],
      ['files'],
    ]);
    expect([
      await jobs(dana, '&company=2'),
      await jobs(cora, '&company=1'),
      await jobs(cora, '&company=2'),
      await jobs(dana, '&company=77'),
    ]).toEqual([['sql'], ['files'], [], []]);
    expect(await jobs(await office.as('nora', ['operator'], []))).toEqual([]);
    const loadPage = async (from: number, to: number): Promise<readonly unknown[]> => {
      const { status, body } = await page(dana, '', from, to);
      return [status, body.message ?? body.data.rows.length];
    };
    expect(await loadPage(now() - 365 * DAY, now() + DAY)).toEqual([200, 2]);
    expect(await loadPage(now() - 366 * DAY, now() + DAY)).toEqual([400, MESSAGES.evidenceTooLong]);
    expect(await loadPage(now(), now())).toEqual([400, MESSAGES.evidenceEmpty]);
    expect([
      await loadPage(now(), now() + 1),
      await loadPage(now() - DAY, now()),
      await loadPage(now() + 1, now() + DAY),
    ]).toEqual([
      [200, 2],
      [200, 0],
      [200, 0],
    ]);
    for (const more of ['&before=x', '&before=1.', '&company=-1'])
      expect((await page(dana, more)).status).toBe(400);
  });

  test(`EVID-2: pages join without a missing or duplicate line, however actions are split, and while others add more (${name})`, async () => {
    const sizes = fc.array(
      fc.oneof(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 1_300 }),
        fc.constantFrom(EVIDENCE_PAGE - 1, EVIDENCE_PAGE, EVIDENCE_PAGE + 1, 2 * EVIDENCE_PAGE),
      ),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(sizes, fc.boolean(), async (actions, more) => {
        const begun = now();
        const at = (index: number): number => begun + index * 1_000;
        const tenant = await aLog(store, 1_300, actions, at);
        let late = actions.length;
        const between = async (): Promise<void> => {
          const by = {
            actor: { kind: 'clock' },
            subject: null,
            commandId: null,
            at: at(late),
          } as const;
          if (more) await store.tenant(tenant, (tx) => tx.append([action(late++, [1, 2])], by));
        };
        const found = await leaf(tenant, begun, begun + DAY, between);
        const words = ['noted', 'reviewed', 'ticketLinked'];
        const expected = actions
          .map((count, index) =>
            Array.from(
              { length: count },
              (_, k) => `${at(index)} ${words[index % 3]} ${index} Job ${nth(index, k, 1_300)}`,
            ),
          )
          .toReversed()
          .flat();
        expect(found.lines).toEqual(expected);
        expect(found.sizes.slice(0, -1).every((size) => size === EVIDENCE_PAGE)).toBe(true);
      }),
      runs(name === 'postgres' ? 8 : 12),
    );
  });

  test(`EVID-2: the lines of one action have its order, and a page can begin within them (${name})`, async () => {
    const begun = now();
    const tenant = await aLog(store, 1_300, [1_300], () => begun);
    const all = await leaf(tenant, begun, begun + 1);
    expect(all.lines).toEqual(
      Array.from({ length: 1_300 }, (_, k) => `${begun} noted 0 Job ${k + 1}`),
    );
    expect(all.sizes).toEqual([500, 500, 300]);
    expect((await leaf(tenant, begun + 1, begun + 2)).sizes).toEqual([0]);
  });

  test(`EVID-4: from a long log, only the actions of the period are read, by their type (${name})`, async () => {
    const begun = now() - 300 * DAY;
    const count = 3_000;
    const tenant = await aLog(store, 20, [], () => begun);
    // A year with many results between two actions, inserted together.
    await store.tenant(tenant, async (tx) => {
      const many = 60_000;
      const { seq } = await tx.head();
      await tx.sql.executeQuery(
        CompiledQuery.raw(
          `insert into event (tenant_id, seq, type, at, actor, subject, company, entity, command_id, data)
        select h.tenant_id, $2::bigint + i, case when i % 20 = 0 then 'problem.noted@1' else 'run.finished@1' end, $3::bigint + i * $4::bigint, '{"is":"clock"}'::jsonb, null, 1,
          case when i % 20 = 0 then 'problem:1' else 'run:' || i end, null, '{"problems":[1],"content":"x"}'::json from head as h, generate_series(1, ${many}) as i
        where h.tenant_id = $1`,
          [tenant, seq, begun, Math.floor((300 * DAY) / many)],
        ),
      );
      await tx.sql
        .updateTable('head')
        .set({ seq: seq + many })
        .where('tenant_id', '=', tenant)
        .execute();
    });
    const [looks, actions] = await store.tenant(
      tenant,
      async (tx) => [
        await rowsRead(tx, lastBeforeQuery(tenant, begun + 299 * DAY, (await tx.head()).seq), [
          'event_pkey',
        ]),
        await rowsRead(
          tx,
          buildRecordsQuery(
            tenant,
            {
              next: 1e9,
              after: 59_000,
              from: begun + 299 * DAY,
              to: begun + 300 * DAY,
              companies: null,
            },
            100,
          ),
          ['event_by_type'],
        ),
      ],
      { readOnly: true },
    );
    expect(looks).toBeLessThanOrEqual(17);
    expect(actions).toBeLessThan(120);
    const all = await leaf(tenant, begun, begun + 366 * DAY);
    expect(all.lines).toHaveLength(count);
    // A week in the middle, without reading what came after it.
    const week = await leaf(tenant, begun + 100 * DAY, begun + 107 * DAY);
    expect(week.lines.length).toBeGreaterThanOrEqual(69);
    expect(week.lines.length).toBeLessThanOrEqual(71);
  });

  test(`EVID-4: the problem of a job is found without reading those of other jobs (${name})`, async () => {
    const begun = now() - 300 * DAY;
    const tenant = await aLog(store, 2_000, [], () => begun);
    const read = await store.tenant(
      tenant,
      async (tx) => {
        const request = [1, 2, 3].map((job, i) => ({ i, job, seq: 1e9, at: now(), missed: false }));
        await analyzeTables(tx, 'problem', 'event');
        const question = CompiledQuery.raw(PROBLEMS_THEN, [tenant, JSON.stringify(request)]);
        return rowsRead(tx, { compile: () => question }, ['problem_of_job', 'event_entity']);
      },
      { readOnly: true },
    );
    expect(read).toBeLessThanOrEqual(6);
  });
});
