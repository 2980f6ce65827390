import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { RulesOut, RuleTested } from '#contract/rules/calls.ts';
import {
  ANYTHING,
  NOTHING_DONE,
  type RuleFields,
  type RuleDoes,
  type RuleWhen,
} from '#contract/rules/rules.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { HERE } from '../outbound/outside.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker, Office } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';
import { missedRunTicks } from '../jobs/ticks.ts';

const HOUR = 3_600_000;
let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const iso = (ms: number): string => new Date(ms).toISOString();
const PATH = 'monitoring/backoffice/rules';

const aRule = (
  when: Partial<RuleWhen>,
  does: Partial<RuleDoes>,
  more: Partial<RuleFields> = {},
): RuleFields => ({
  name: 'Known warnings',
  enabled: true,
  from: null,
  to: null,
  when: { ...ANYTHING, ...when },
  does: { ...NOTHING_DONE, ...does },
  ...more,
});
async function made(who: Asker, rule: RuleFields): Promise<string> {
  const answer = await who<{ _id: string }>('POST', PATH, { rule });
  if (answer.status !== 200 && answer.status !== 201) throw new Error(answer.text);
  const { _id: id } = answer.body.data;
  return id;
}
const listed = async (who: Asker): Promise<RulesOut> =>
  (await who<RulesOut>('GET', PATH)).body.data;
const said = ({ status, body }: Answer): readonly unknown[] => [status, body.message];
const booted = async (who: Asker): Promise<Bootstrap> =>
  (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;
/** The problem that is open at a job. */
async function openAt(who: Asker, job: string): Promise<ProblemRow | undefined> {
  const { jobs, problems } = await booted(who);
  const open = jobs.find(({ name }) => name === job)?.problem;
  return problems.find(({ n }) => n === open);
}
const execution = async (who: Asker, run: number | undefined): Promise<Execution> =>
  (await who<Execution>('GET', `monitoring/backoffice/jobExecutions/${run}`)).body.data;

async function begin(): Promise<{ office: Office; dana: Asker; cora: Asker; rita: Asker }> {
  const office = await anOffice(fixture);
  return {
    office,
    dana: await person(office, 'dana', 'operator'),
    cora: await person(office, 'cora', 'operator', [1]),
    rita: await person(office, 'rita', 'read-only'),
  };
}
const warns = (
  office: Office,
  job = 'Files',
  more: object = {},
  company: 1 | 2 = 1,
): Promise<void> => {
  fixture.pass(HOUR);
  return office.post(company, [
    {
      ...failure(job, iso(now() - 60_000)),
      status: 'Warning',
      message: 'Locked files were passed over',
      ...more,
    },
  ]);
};

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({ secretKey: HERE.secretKey }, await open());
  });

  test('RULES-3: the next equal result is an exception: counted as OK, with the rule in its history; the rule shows what it did', async () => {
    const { office, dana } = await begin();
    await warns(office);
    const before = await openAt(dana, 'Files');
    expect([before?.exception, (await execution(dana, before?.lastRun)).state]).toEqual([
      undefined,
      'pending',
    ]);
    const id = await made(
      dana,
      aRule({ states: ['Warning'], text: 'passed over' }, { exception: true }),
    );
    await warns(office);
    const after = await openAt(dana, 'Files');
    expect(after).toMatchObject({
      n: before?.n,
      runs: 2,
      review: null,
      exception: { rule: id, name: 'Known warnings', at: now() },
    });
    const run = await execution(dana, after?.lastRun);
    expect([run.state, run.status, run.history[0]?.who, run.history[0]?.what]).toEqual([
      'cleared',
      'Warning',
      'Rule “Known warnings”',
      'Exception',
    ]);
    expect((await listed(dana)).rules).toMatchObject([
      { _id: id, madeBy: 'DANA', did: { problems: 1, last: now() } },
    ]);
    // One that fails in another way is none, and comes to be checked.
    await warns(office, 'Files', { status: 'Failed', message: 'No space left on device' });
    expect((await execution(dana, (await openAt(dana, 'Files'))?.lastRun)).state).toBe('pending');
  });

  test("RULES-3: an exception counts while the newest result matches, ends with its rule, and doesn't return after a person removed it", async () => {
    const { office, dana } = await begin();
    const id = await made(
      dana,
      aRule({ text: 'passed over', duration: { min: null, max: 600 } }, { exception: true }),
    );
    const late = { startTime: iso(now()), endTime: iso(now()) };
    await warns(office, 'Files', { ...late, durationSec: 60 });
    expect((await openAt(dana, 'Files'))?.exception?.rule).toBe(id);
    await warns(office, 'Files', { durationSec: 900 });
    expect((await openAt(dana, 'Files'))?.exception).toBeNull();
    await warns(office, 'Files', { durationSec: 60 });
    const problem = await openAt(dana, 'Files');
    expect(problem?.exception?.rule).toBe(id);
    await dana('PUT', `monitoring/backoffice/jobExecutions/${problem?.lastRun}`, {
      change: { kind: 'reopen' },
    });
    expect((await execution(dana, problem?.lastRun)).state).toBe('pending');
    await warns(office, 'Files', { durationSec: 60 });
    expect((await openAt(dana, 'Files'))?.exception).toBeNull();
    await warns(office, 'Mail', { durationSec: 60 });
    expect((await openAt(dana, 'Mail'))?.exception?.rule).toBe(id);
    expect((await dana('DELETE', `${PATH}/${id}`)).status).toBe(200);
    expect([(await listed(dana)).rules, (await dana('DELETE', `${PATH}/${id}`)).status]).toEqual([
      [],
      404,
    ]);
    await warns(office, 'Mail', { durationSec: 60 });
    expect((await openAt(dana, 'Mail'))?.exception).toBeNull();
  });

  test('RULES-3: rules apply from the top, once per problem; of two that set the same, the upper one wins, and their order can be changed', async () => {
    const { office, dana } = await begin();
    const first = await made(
      dana,
      aRule({ job: 'fil*' }, { note: 'The first', snoozeHours: 5 }, { name: 'First' }),
    );
    const second = await made(
      dana,
      aRule(
        { states: ['Warning'] },
        { note: 'The second', ticket: 'T-2', hint: 'Close the files' },
        { name: 'Second' },
      ),
    );
    await warns(office);
    const problem = await openAt(dana, 'Files');
    expect(problem).toMatchObject({
      note: { by: 'rule:First', content: 'The first' },
      ticket: 'T-2',
      snooze: { by: 'rule:First', until: now() + 5 * HOUR },
      ruled: [{ rule: first }, { rule: second, hint: 'Close the files' }],
    });
    // What a person takes away stays away.
    await dana('PUT', `monitoring/backoffice/jobExecutions/${problem?.lastRun}`, {
      change: { kind: 'note', content: null },
    });
    await warns(office);
    expect(await openAt(dana, 'Files')).toMatchObject({ note: null, runs: 2 });
    expect((await dana('PUT', PATH, { order: [second, first] })).status).toBe(200);
    expect((await listed(dana)).rules.map(({ name }) => name)).toEqual(['Second', 'First']);
    await warns(office, 'Files 2');
    expect((await openAt(dana, 'Files 2'))?.note?.content).toBe('The second');
    expect(said(await dana('PUT', PATH, { order: [second] }))).toEqual([
      409,
      MESSAGES.rulesChanged,
    ]);
    // Switched off it does nothing, and outside its dates neither.
    for (const more of [{ enabled: false }, { to: now() }, { from: now() + 24 * HOUR }]) {
      expect(
        (
          await dana('PUT', PATH, {
            id: second,
            rule: aRule(
              { states: ['Warning'] },
              { note: 'The second' },
              { name: 'Second', ...more },
            ),
          })
        ).status,
      ).toBe(200);
      const job = `Files ${randomUUID()}`;
      await warns(office, job);
      expect((await openAt(dana, job))?.note?.content).toBe('The first');
    }
  });

  test('RULES-3: many results in one request and consecutive results are distinguished; rules match missed runs as well', async () => {
    const { office, dana } = await begin();
    await made(dana, aRule({ streak: { min: 3, max: null } }, { ticket: 'THIRD' }));
    fixture.pass(HOUR);
    await office.post(
      1,
      [40, 30, 20].map((minutes) => failure('Third', iso(now() - minutes * 60_000))),
    );
    await office.post(
      1,
      [40, 30].map((minutes) => failure('Second', iso(now() - minutes * 60_000))),
    );
    expect([(await openAt(dana, 'Third'))?.ticket, (await openAt(dana, 'Second'))?.ticket]).toEqual(
      ['THIRD', null],
    );
    await made(dana, aRule({ states: ['Missed'] }, { exception: true }, { name: 'Laptops' }));
    await office.post(1, [
      {
        job: 'Laptop',
        schedule: { type: 'every', everySec: 3_600 },
        computer: 'lap',
        status: 'Success',
        startTime: iso(now() - 60_000),
        endTime: iso(now()),
      },
    ]);
    const clock = missedRunTicks(fixture.context);
    fixture.pass(20 * HOUR);
    await clock.tick(now());
    await clock.stop();
    expect(await openAt(dana, 'Laptop')).toMatchObject({
      state: 'Missed',
      exception: { name: 'Laptops' },
    });
  });

  test('RULES-7: rules do nothing while they are off, neither for results nor for missed runs, and apply to new results once they are on again', async () => {
    const { office, dana } = await begin();
    const turn = (on: boolean): Promise<unknown> =>
      fixture.context.store.tenant(office.tenant, ({ sql: db }) =>
        sql`update provider set branding = jsonb_set(branding::jsonb, '{features,rules}', ${String(on)}::jsonb) where tenant_id = ${office.tenant}`.execute(
          db,
        ),
      );
    await made(
      dana,
      aRule(
        { states: ['Warning'] },
        { exception: true, note: 'Known', snoozeHours: 5, ticket: 'T-1' },
      ),
    );
    await made(dana, aRule({ states: ['Missed'] }, { exception: true }, { name: 'Laptops' }));
    await warns(office);
    expect(await openAt(dana, 'Files')).toMatchObject({
      exception: { name: 'Known warnings' },
      note: { content: 'Known' },
    });
    await office.post(1, [
      {
        job: 'Laptop',
        schedule: { type: 'every', everySec: 3_600 },
        computer: 'lap',
        status: 'Success',
        startTime: iso(now() - 60_000),
        endTime: iso(now()),
      },
    ]);

    await turn(false);
    expect((await dana('GET', PATH)).status).toBe(403);
    await warns(office, 'Mail');
    const mail = await openAt(dana, 'Mail');
    expect([
      mail?.exception ?? null,
      mail?.note,
      mail?.snooze,
      mail?.ticket,
      mail?.ruled ?? [],
    ]).toEqual([null, null, null, null, []]);
    expect((await execution(dana, mail?.lastRun)).state).toBe('pending');
    // Nothing that nobody can see counts a result as OK.
    await warns(office);
    expect(await openAt(dana, 'Files')).toMatchObject({ runs: 2, exception: null });
    const clock = missedRunTicks(fixture.context);
    fixture.pass(20 * HOUR);
    await clock.tick(now());
    await clock.stop();
    const laptop = await openAt(dana, 'Laptop');
    expect([laptop?.state, laptop?.exception ?? null]).toEqual(['Missed', null]);

    await turn(true);
    expect((await openAt(dana, 'Mail'))?.exception ?? null).toBeNull();
    await warns(office, 'Mail');
    await warns(office);
    expect(await openAt(dana, 'Mail')).toMatchObject({
      runs: 2,
      exception: { name: 'Known warnings' },
      note: { content: 'Known' },
      ticket: 'T-1',
    });
    expect(await openAt(dana, 'Files')).toMatchObject({ exception: { name: 'Known warnings' } });
  });

  test('RULES-3: users who may see it are notified with one email per request', async () => {
    const { office, dana } = await begin();
    const outgoing = (): Promise<number> =>
      fixture.context.store.tenant(
        office.tenant,
        async ({ sql }) =>
          (
            await sql
              .selectFrom('outgoing')
              .select('id')
              .where('tenant_id', '=', office.tenant)
              .execute()
          ).length,
        { readOnly: true },
      );
    const { people } = await listed(dana);
    const getId = (name: string): string => people.find((one) => one.name === name)?.id ?? '';
    await made(dana, aRule({ states: ['Failed'] }, { notify: [getId('DANA'), getId('CORA')] }));
    fixture.pass(HOUR);
    await office.post(
      1,
      ['A', 'B'].map((job) => failure(job, iso(now()))),
    );
    expect(await outgoing()).toBe(2);
    await office.post(2, [failure('C', iso(now()))]);
    expect(await outgoing()).toBe(3);
    // The same problem again says nothing new.
    await office.post(2, [failure('C', iso(now() + 60_000))]);
    expect(await outgoing()).toBe(3);
  });

  test('RULES-4: a rule is tested on past results: how many match, the newest of them, and which other rules match the same', async () => {
    const { office, dana, cora } = await begin();
    for (const job of ['Files', 'Mail']) await warns(office, job);
    await warns(office, 'Books', {}, 2);
    await warns(office, 'Files');
    const other = await made(
      dana,
      aRule({ job: 'files' }, { note: 'Other', exception: true }, { name: 'Other' }),
    );
    const off = await made(
      dana,
      aRule({ job: 'files' }, { note: 'Off' }, { name: 'Off', enabled: false }),
    );
    const tried = async (
      who: Asker,
      when: Partial<RuleWhen>,
      more: object = {},
    ): Promise<RuleTested> => {
      const { when: request, does } = aRule(when, { exception: true });
      return (await who<RuleTested>('POST', `${PATH}/test`, { when: request, does, ...more })).body
        .data;
    };
    const found = await tried(dana, { text: 'passed over' });
    expect(found).toMatchObject({
      count: 4,
      looked: 4,
      all: true,
      conflicts: [{ _id: other, name: 'Other', count: 2, above: true, same: ['exception'] }],
    });
    expect(found.rows.map(({ job, company }) => [job, company])).toEqual([
      ['Files', 'Calloway Freight'],
      ['Books', 'Drummond & Pike'],
      ['Mail', 'Calloway Freight'],
      ['Files', 'Calloway Freight'],
    ]);
    expect((await tried(dana, { streak: { min: 2, max: null } })).rows).toHaveLength(1);
    expect((await tried(dana, { job: 'files' }, { id: other })).conflicts).toEqual([]);
    expect((await tried(dana, { job: 'files' }, { id: off })).conflicts).toMatchObject([
      { _id: other, above: true },
    ]);
    expect((await tried(cora, { text: 'passed over' })).count).toBe(3);
    expect(
      said(await dana('POST', `${PATH}/test`, { when: ANYTHING, does: NOTHING_DONE })),
    ).toEqual([400, MESSAGES.ruleAsksNothing]);
    // Trying does nothing.
    expect((await openAt(dana, 'Books'))?.exception).toBeUndefined();
  });

  test('RULES-5: rules belong to a provider and to users who may manage them; users with some companies manage rules of these only', async () => {
    const [{ office, dana, cora, rita }, elsewhere] = [await begin(), await begin()];
    const id = await made(dana, aRule({ states: ['Warning'] }, { exception: true }));
    const hers = await made(cora, aRule({ companies: [1] }, { note: 'Hers' }, { name: 'Hers' }));
    for (const [method, path, body] of [
      ['GET', PATH, undefined],
      ['POST', PATH, { rule: aRule({ job: 'x' }, { exception: true }) }],
      ['DELETE', `${PATH}/${id}`, undefined],
    ] as const) {
      expect((await rita(method, path, body)).status).toBe(403);
    }
    expect([
      (await listed(dana)).rules.length,
      (await listed(cora)).rules.map(({ name }) => name),
      (await listed(elsewhere.dana)).rules,
    ]).toEqual([2, ['Hers'], []]);
    const wide = aRule({ states: ['Warning'] }, { exception: true });
    for (const who of [cora, elsewhere.dana]) {
      expect([
        (await who('DELETE', `${PATH}/${id}`)).status,
        (await who('PUT', PATH, { id, rule: wide })).status,
      ]).toEqual([404, 404]);
    }
    expect(said(await cora('POST', PATH, { rule: wide }))).toEqual([403, MESSAGES.ruleNotYours]);
    expect(
      (await cora('PUT', PATH, { id: hers, rule: aRule({ companies: [1, 2] }, { note: 'Hers' }) }))
        .status,
    ).toBe(403);
    await warns(elsewhere.office);
    expect((await openAt(elsewhere.dana, 'Files'))?.exception).toBeUndefined();
    await warns(office);
    expect((await openAt(dana, 'Files'))?.exception?.rule).toBe(id);
    // Of another provider's users nobody is told, and no company of theirs is named.
    const stranger = (await listed(elsewhere.dana)).people[0]?.id;
    expect([
      (await dana('POST', PATH, { rule: aRule({ job: 'x' }, { notify: [stranger ?? ''] }) }))
        .status,
      (await dana('POST', PATH, { rule: aRule({ companies: [9] }, { exception: true }) })).status,
    ]).toEqual([400, 400]);
    for (const rule of [
      aRule({}, { exception: true }),
      aRule({ job: 'x' }, {}),
      aRule({ job: 'x' }, { exception: true }, { from: 5, to: 5 }),
      { ...wide, more: 1 },
    ])
      expect((await dana('POST', PATH, { rule })).status).toBe(400);
    // Devices learn what was done to problems, not the rules.
    const { cursor, epoch } = await booted(dana);
    await dana('PUT', PATH, { id, rule: { ...wide, name: 'Renamed' } });
    await warns(office, 'Mail');
    const events = (
      await dana<EventsPage>('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}`)
    ).body.data.events;
    expect(
      events.map(({ event }) => event.type).filter((type) => /^rule|excepted/.test(type)),
    ).toEqual(['problem.excepted@1']);
  });

  test('RULES-2: rules and their actions follow from the log: rows rebuilt from the events are the same', async () => {
    const { office, dana } = await begin();
    const first = await made(
      dana,
      aRule({ states: ['Warning'] }, { exception: true, hint: 'Known' }),
    );
    const second = await made(dana, aRule({ job: 'x' }, { note: 'x' }));
    await dana('PUT', PATH, { order: [second, first] });
    await dana('DELETE', `${PATH}/${second}`);
    await warns(office);
    expect(await rebuild(fixture.context.store, { only: [office.tenant] })).toMatchObject([
      { differences: [] },
    ]);
    const rows = await fixture.context.store.tenant(office.tenant, (tx) => tx.all('rule'), {
      readOnly: true,
    });
    expect(
      new Set(rows.map(({ id, rank, removedAt }) => `${id} ${rank} ${removedAt !== null}`)),
    ).toEqual(new Set([`${first} 1 false`, `${second} 0 true`]));
  });
});
