import { assert, asyncProperty, constantFrom, integer, record, subarray } from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { TicketWhole } from '#contract/tickets/calls.ts';
import { getDay } from '#contract/time/day.ts';
import { soughtIn } from '#contract/search/search.ts';
import type { FoundOut } from '#contract/search/calls.ts';
import { ANYTHING, NOTHING_DONE } from '#contract/rules/rules.ts';
import { sumUpDays } from '#server/platform/queries/sum-days.ts';
import { ask, makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { anDemo, DAY as DEMO_DAY, NOW } from '../reports/results/fixtures.ts';
import type { Demo } from '../reports/results/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';

const TRIES = 25 * Number(process.env['PROOF'] ?? 1);
const DAY = 86_400_000;
const searchPath = (text: string, more = ''): string =>
  `monitoring/search?text=${encodeURIComponent(text)}${more}`;
const search = async (who: Asker, text: string, more = ''): Promise<FoundOut> =>
  (await who<FoundOut>('GET', searchPath(text, more))).body.data;
/** What was found, in a word each. */
const said = (found: FoundOut): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(found).flatMap(([kind, part]) =>
      part === null
        ? []
        : [
            [
              kind,
              part.rows.map((row) =>
                'jobName' in row
                  ? `${row.jobName} ${new Date(row.startedAt).toISOString().slice(0, 10)} ${row.state}`
                  : 'subject' in row
                    ? `${row.number} ${row.subject}`
                    : row.name,
              ),
            ],
          ],
    ),
  );

eachDatabase((name, open) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });
  const bad = (job: string, back: number, more: object = {}) =>
    failure(job, at(back), { ...more, externalId: `${job} ${at(back)}` });
  const good = (job: string, back: number) => bad(job, back, { status: 'Success', message: null });
  const at = (back: number): string => new Date(fixture.context.clock.now() - back).toISOString();

  test('SEEK-1: each kind is found by users who may open it, within their companies', async () => {
    const office = await anOffice(fixture);
    const { app, host } = office;
    const admin = await person(office, 'ann', 'admin');
    const operator = await person(office, 'dana', 'operator');
    const some = await person(office, 'cora', 'operator', [2]);
    const keeper = await person(office, 'kim', 'admin', [2]);
    await office.post(1, [failure('Harbour files', at(60_000))]);
    await office.post(2, [failure('Harbour mail', at(60_000))]);
    for (const [company, hostName] of [
      [1, 'harbour-pc-1'],
      [2, 'harbour-pc-2'],
    ] as const) {
      const { secret } = (
        await admin<{ secret: string }>('POST', 'monitoring/sources', {
          name: 'Inventory',
          companyN: company,
          tool: 'api',
        })
      ).body.data;
      await ask(app, '/api/v1/ingest/computers', {
        method: 'POST',
        host,
        token: secret,
        body: [{ hostName }],
      });
      await ask(app, '/api/v1/ingest/repositories', {
        method: 'POST',
        host,
        token: secret,
        body: [{ uid: `r${company}`, name: `Harbour store ${company}`, hostName: 'nas' }],
      });
    }
    const problems = await fixture.context.store.tenant(office.tenant, (tx) => tx.all('problem'));
    for (const { n, company } of problems)
      await operator<TicketWhole>('POST', 'monitoring/backoffice/tickets', {
        problems: [n],
        subject: `Harbour of company ${company}`,
      });
    for (const companies of [[], [2]]) {
      const rule = {
        name: `Harbour rule ${companies.length}`,
        enabled: true,
        from: null,
        to: null,
        when: { ...ANYTHING, companies, text: 'in use' },
        does: { ...NOTHING_DONE, note: 'n' },
      };
      expect((await operator('POST', 'monitoring/backoffice/rules', { rule })).status).toBe(200);
    }
    for (const inside of [false, true]) {
      const hint = {
        name: `Harbour hint ${inside ? 'inside' : 'for all'}`,
        when: { text: 'timed out', kinds: [], sources: [] },
        summary: 'Look at the quay.',
        steps: [],
        links: [],
        inside,
      };
      expect((await admin('POST', 'monitoring/backoffice/hints', { hint })).status).toBe(200);
    }
    expect(said(await search(operator, 'HARBOUR'))).toEqual({
      companies: [],
      jobs: ['Harbour files', 'Harbour mail'],
      computers: ['harbour-pc-1', 'harbour-pc-2'],
      repositories: ['Harbour store 1', 'Harbour store 2'],
      tickets: ['D-2 Harbour of company 2', 'D-1 Harbour of company 1'],
      rules: ['Harbour rule 0', 'Harbour rule 1'],
      results: [],
    });
    expect(said(await search(some, 'harbour'))).toEqual({
      companies: [],
      jobs: ['Harbour mail'],
      computers: ['harbour-pc-2'],
      repositories: ['Harbour store 2'],
      tickets: ['D-2 Harbour of company 2'],
      rules: ['Harbour rule 1'],
      results: [],
    });
    expect(said(await search(admin, 'harbour'))).toEqual({
      companies: [],
      users: [],
      hints: ['Harbour hint for all', 'Harbour hint inside'],
    });
    expect(said(await search(keeper, 'harbour hint'))['hints']).toEqual(['Harbour hint for all']);
    // The company's name counts for what is its own; a number for its ticket.
    expect(said(await search(operator, 'drummond mail', '&kinds=jobs,companies'))).toEqual({
      jobs: ['Harbour mail'],
      companies: [],
    });
    expect(said(await search(operator, 'd-1', '&kinds=tickets'))).toEqual({
      tickets: ['D-1 Harbour of company 1'],
    });
    expect(said(await search(admin, 'pike', '&kinds=companies'))).toEqual({
      companies: ['Drummond & Pike'],
    });
    // Users are found by who keeps them.
    expect(said(await search(admin, 'dana@', '&kinds=users'))['users']).toEqual([]);
    expect(said(await search(admin, 'cora'))['users']).toEqual(['CORA']);
    expect(said(await search(keeper, 'cora'))['users']).toEqual(['CORA']);
    expect(said(await search(keeper, 'dana'))['users']).toEqual([]);
    expect((await search(operator, 'cora')).users).toBeNull();
    expect((await search(operator, 'harbour', '&limit=1')).jobs).toMatchObject({
      more: true,
      rows: [{ name: 'Harbour files' }],
    });
    // No role that opens nothing finds anything; a stranger is told to sign in; signs of a pattern
    // are signs.
    expect(said(await search(await person(office, 'sup', 'super-admin'), 'harbour'))).toEqual({});
    expect((await ask(app, `/api/v1/${searchPath('harbour')}`, { host })).status).toBe(401);
    for (const text of ['%', '_', '\\', "'", 'harbour%', 'harbour\u0000%', 'é(', 'ü.*'])
      expect(said(await search(operator, text, '&kinds=jobs,tickets'))).toEqual({
        jobs: [],
        tickets: [],
      });
    expect((await operator('GET', 'monitoring/search?text=')).status).toBe(400);
    expect((await operator('GET', searchPath('x', '&kinds=cars'))).status).toBe(400);
    expect((await operator('GET', searchPath('x', '&from=2026-03-02&to=2026-03-01'))).status).toBe(
      400,
    );
    expect((await operator('GET', searchPath('x', '&from=2020-01-01'))).status).toBe(400);
    // What was deleted is not found.
    const { _id: id = '' } = (await search(admin, 'pike')).companies?.rows[0] ?? {};
    expect((await admin('DELETE', `companies/${id}`)).status).toBe(200);
    expect(
      said(await search(operator, 'harbour', '&kinds=jobs,computers,repositories,tickets')),
    ).toEqual({
      jobs: ['Harbour files'],
      computers: ['harbour-pc-1'],
      repositories: ['Harbour store 1'],
      tickets: ['D-1 Harbour of company 1'],
    });
    expect(said(await search(operator, 'pike'))['companies']).toEqual([]);
  });

  test('SEEK-3: older results are found by job and cause, and by day; those that devices store are not repeated', async () => {
    const office = await anOffice(fixture);
    const first = fixture.context.clock.now();
    await office.post(1, [
      good('Files', 3 * DAY),
      bad('Files', 2 * DAY, { message: 'no space left on device' }),
      good('Files', DAY),
    ]);
    await office.post(2, [
      bad('Mail', 2 * DAY),
      bad('Mail', DAY),
      bad('Sql', 60_000, { message: 'no space left on device' }),
    ]);
    fixture.pass(60 * DAY);
    const operator = await person(office, 'dana', 'operator');
    const some = await person(office, 'cora', 'operator', [2]);
    const day = (back: number): string => new Date(first - back).toISOString().slice(0, 10);
    await office.post(1, [bad('Files', DAY, { message: 'no space left on device' })]);
    for (const summed of [false, true]) {
      if (summed) await sumUpDays(fixture.context, office.tenant, fixture.context.clock.now());
      const results = async (who: Asker, text: string, more = '') =>
        said(await search(who, text, `&kinds=results${more}`))['results'];
      expect(await results(operator, 'space left')).toEqual([
        `Sql ${day(60_000)} Failed`,
        `Files ${day(2 * DAY)} Failed`,
      ]);
      expect(await results(operator, 'files space')).toEqual([`Files ${day(2 * DAY)} Failed`]);
      // Of a job that is named whole also what went well, below, once its days are summed up; of a
      // problem the last of its results first.
      expect(await results(operator, 'files')).toEqual([
        `Files ${day(2 * DAY)} Failed`,
        ...(summed ? [`Files ${day(DAY)} Success`, `Files ${day(3 * DAY)} Success`] : []),
      ]);
      expect(await results(operator, 'mail')).toEqual([
        `Mail ${day(DAY)} Failed`,
        ...(summed ? [`Mail ${day(2 * DAY)} Failed`] : []),
      ]);
      expect(await results(operator, 'mail', '&limit=1')).toEqual([`Mail ${day(DAY)} Failed`]);
      expect(await results(some, 'space')).toEqual([`Sql ${day(60_000)} Failed`]);
      expect(await results(some, 'files')).toEqual([]);
      expect(await results(operator, `mail ${day(2 * DAY)}`)).toEqual([
        `Mail ${day(2 * DAY)} Failed`,
      ]);
      expect(await results(operator, day(2 * DAY))).toEqual(
        [`Mail ${day(2 * DAY)} Failed`, `Files ${day(2 * DAY)} Failed`].toSorted((a, b) =>
          a < b ? 1 : -1,
        ),
      );
      expect(await results(operator, 'path')).toEqual([]);
      expect(
        await results(
          operator,
          `files ${new Date(fixture.context.clock.now() - DAY).toISOString().slice(0, 10)}`,
        ),
      ).toHaveLength(1);
      expect(await results(operator, 'nothing of the kind')).toEqual([]);
    }
  });

  test(`SEEK-1, SEEK-3: what is found equals a scan of all rows, and never exceeds what the user sees (${name})`, async () => {
    const demoData: Demo = await anDemo(
      await open(),
      5,
      { timeZone: 'Europe/Berlin', dayBeginsHour: 6 },
      { jobs: 24, runs: 2_000, days: 80 },
    );
    const { store, tenant, wall } = demoData;
    await sumUpDays(demoData.context, tenant, NOW - 20 * DEMO_DAY);
    // Every other problem was over before; each problem's last result is one of its own, where it
    // has any.
    await store.tenant(tenant, (tx) =>
      sql`update problem set row = (row::jsonb || '{"lastRun":0}')::json where tenant_id = ${tenant}`.execute(
        tx.sql,
      ),
    );
    await store.tenant(tenant, (tx) =>
      sql`update run set problem_n = null, row = (row::jsonb || '{"problem":null}')::json where tenant_id = ${tenant} and problem_n % 2 = 0 and started_at > ${NOW - 40 * DEMO_DAY}`.execute(
        tx.sql,
      ),
    );
    await store.tenant(tenant, (tx) =>
      sql`update problem set last_at = last.at, row = jsonb_set(jsonb_set(problem.row::jsonb, '{lastRun}', last.n::text::jsonb), '{lastAt}', last.at::text::jsonb)::json from (
      select distinct on (problem_n) problem_n, n, started_at as at from run where tenant_id = ${tenant} and problem_n is not null order by problem_n, started_at desc, n desc) as last where problem.tenant_id = ${tenant} and last.problem_n = problem.n`.execute(
        tx.sql,
      ),
    );
    const rows = await store.tenant(
      tenant,
      async (tx) => ({
        run: await tx.all('run'),
        job: await tx.all('job'),
        problem: await tx.all('problem'),
        cause: await tx.all('cause'),
        company: await tx.all('company'),
      }),
      { readOnly: true },
    );
    const [jobs, problems, causes, companies] = [
      new Map(rows.job.map((one) => [one.n, one])),
      new Map(rows.problem.map((one) => [one.n, one])),
      new Map(rows.cause.map((one) => [one.n, one])),
      new Map(rows.company.map((one) => [one.n, one.name])),
    ];
    const reaches = [null, [1], [2, 3], []] as const;
    const readers = await Promise.all(
      reaches.map((reach, i) => demoData.as(`reader-${i}`, ['operator'], reach)),
    );
    const key = (run: (typeof rows.run)[number]): string => {
      const job = jobs.get(run.job);
      const problem = run.problem === null ? undefined : problems.get(run.problem);
      return [
        job?.name,
        job?.computer,
        companies.get(run.company),
        problem && causes.get(problem.cause)?.template.replaceAll(/‹[a-z]+›/g, ' '),
      ]
        .join('\n')
        .toLowerCase();
    };
    const words = constantFrom(
      'files',
      'sql',
      'mail',
      'pc-1',
      'srv',
      'calloway',
      'cause',
      '2',
      'boreas',
      'é',
      'pike',
    );
    const seen = { days: 0, lasts: 0, long: 0 };
    await assert(
      asyncProperty(
        record({
          who: integer({ min: 0, max: 3 }),
          words: subarray(
            [
              'files',
              'sql',
              'mail',
              'pc-1',
              'srv',
              'calloway',
              'cause',
              '2',
              'boreas',
              'ä',
              'pike',
            ],
            { maxLength: 3 },
          ),
          word: words,
          back: integer({ min: 0, max: 82 }),
          month: constantFrom(false, true),
        }),
        async ({ who, words: some, word, back, month }) => {
          const reach = reaches[who];
          const get = readers[who];
          if (reach === undefined || get === undefined) throw new RangeError('no such reader');
          const iso = new Date(NOW - back * DEMO_DAY).toISOString().slice(0, month ? 7 : 10);
          const text = [...some, word, iso].join(' ');
          const sought = soughtIn(text);
          const visible = rows.run.filter(
            ({ company }) => reach === null || (reach as readonly number[]).includes(company),
          );
          const found = (await get<FoundOut>(`../search?text=${encodeURIComponent(text)}&limit=50`))
            .body.data;
          const of = visible
            .filter((run) => {
              const day = getDay(
                Math.floor(run.startedAt / 1000) * 1000,
                wall.timeZone,
                wall.dayBeginsHour,
              );
              return (
                sought.days !== null &&
                day >= sought.days.from &&
                day <= sought.days.to &&
                sought.words.every((one) => key(run).includes(one))
              );
            })
            .toSorted(
              (a, b) =>
                getDay(b.startedAt, wall.timeZone, wall.dayBeginsHour) -
                  getDay(a.startedAt, wall.timeZone, wall.dayBeginsHour) ||
                Number(a.problem === null) - Number(b.problem === null) ||
                b.startedAt - a.startedAt ||
                b.n - a.n,
            );
          expect(found.results?.rows.map(({ n }) => n)).toEqual(of.slice(0, 50).map(({ n }) => n));
          expect(found.results?.more).toBe(of.length > 50);
          // Without a day: what is there is right and the asker's own; nothing that is kept by
          // devices.
          const long = (
            await get<FoundOut>(
              `../search?text=${encodeURIComponent([...some, word].join(' '))}&limit=50`,
            )
          ).body.data;
          const own = new Map(visible.map((run) => [run.n, run]));
          for (const { n, startedAt, company, companyName } of long.results?.rows ?? []) {
            const run = own.get(n);
            expect([startedAt, company, companyName]).toEqual([
              run?.startedAt,
              run?.company,
              companies.get(company),
            ]);
            expect(run && [...some, word].every((one) => key(run).includes(one))).toBe(true);
            expect(startedAt).toBeLessThan(NOW - 28 * DEMO_DAY);
          }
          const lasts = rows.problem.filter((problem) => {
            const run = own.get(problem.lastRun);
            return (
              run &&
              run.problem === problem.n &&
              run.startedAt <
                Date.parse(new Date(NOW - 29 * DEMO_DAY).toISOString().slice(0, 10)) &&
              [...some, word].every((one) => key(run).includes(one))
            );
          });
          expect((long.results?.rows ?? []).map(({ n }) => n)).toEqual(
            expect.arrayContaining(lasts.map(({ lastRun }) => lastRun).slice(0, 50)),
          );
          seen.days += of.length;
          seen.lasts += lasts.length;
          seen.long += long.results?.rows.length ?? 0;
          const named = rows.job.filter(
            ({ name: of, computer, company }) =>
              (reach === null || (reach as readonly number[]).includes(company)) &&
              [...some, word].every((one) =>
                [of, computer, companies.get(company)].join('\n').toLowerCase().includes(one),
              ),
          );
          expect(long.jobs?.rows.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(
            named.map(({ n }) => n),
          );
        },
      ),
      {
        numRuns: TRIES,
        examples: [
          [{ who: 0, words: [], word: 'files', back: 60, month: true }],
          [{ who: 2, words: ['pike'], word: 'cause', back: 1, month: false }],
        ],
      },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });
});
