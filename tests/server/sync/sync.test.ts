import { beforeAll, expect, test } from 'vitest';
import { fold, memoryRows } from '#contract/fold.ts';
import { runAt, viewColumns } from '#contract/runs/columns.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { Bootstrap, EventsPage, LastSync } from '#contract/sync/calls.ts';
import { ask, makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { anOffice, failure } from './fixtures.ts';
import type { Asker } from './fixtures.ts';

const TODAY = '2026-03-02';
const YESTERDAY = '2026-03-01';
let fixture: Fixture;

const loadBytes = async (
  app: { request(path: string, init: object, env: object): Response | Promise<Response> },
  host: string,
  day: string,
  headers: Record<string, string>,
): Promise<Response> =>
  app.request(
    `/api/v1/sync/runs/${day}`,
    { headers: { host, ...headers } },
    { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
  );

function runsIn(body: ArrayBuffer): LeanRun[] {
  const found: LeanRun[] = [];
  for (let at = 0; at < body.byteLength;) {
    const length = new DataView(body).getUint32(at, true);
    const columns = viewColumns(body.slice(at + 4, at + 4 + length));
    for (let row = 0; row < columns.rows; row++) found.push(runAt(columns, row));
    at += 4 + length;
  }
  return found;
}
const today = (more: object): object => failure('files', `${TODAY}T02:00:00Z`, more);
const events = (
  me: Asker,
  { epoch, cursor }: Pick<Bootstrap, 'epoch' | 'cursor'>,
  more = '',
): Promise<Answer<EventsPage>> =>
  me<EventsPage>('GET', `sync/events?protocol=2&after=${cursor}&epoch=${epoch}${more}`);

const loadBootstrap = async (who: Asker): Promise<Bootstrap> =>
  (await who<Bootstrap>('GET', 'sync/bootstrap')).body.data;

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('SYNC-3, SYNC-10: bootstrap has the user, the small tables at a cursor, the window, and its days newest first', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('dana', ['operator']);
    await office.post(1, [
      failure('files', `${YESTERDAY}T02:00:00Z`),
      failure('sql', `${TODAY}T02:00:00Z`),
      failure('mail', `${TODAY}T03:00:00Z`),
    ]);
    const {
      body: { data },
    } = await me<Bootstrap>('GET', 'sync/bootstrap?protocol=1');
    expect(data.me).toMatchObject({
      username: 'dana',
      name: 'DANA',
      roles: ['operator'],
      companies: null,
      serviceProviderId: office.tenant,
    });
    expect(data.days.map(({ day, rows }) => [day, rows])).toEqual([
      [TODAY, 2],
      [YESTERDAY, 1],
    ]);
    expect(data.windowFrom).toBe('2026-02-01');
    expect(data.companies.map(({ name }) => name)).toEqual(['Calloway Freight', 'Drummond & Pike']);
    expect(data.jobs.map(({ name }) => name).sort()).toEqual(['files', 'mail', 'sql']);
    expect(data.problems).toHaveLength(3);
    expect(data.causes).toHaveLength(1);
    expect(data.keys).toEqual([]); // an operator does not see keys
    expect((await events(me, data)).body.data).toMatchObject({
      events: [],
      more: false,
      cursor: data.cursor,
    });
  });

  test('SYNC-1, SYNC-2: small tables at a cursor and the events after it equal a fold of the whole log', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('erin', ['operator', 'admin']);
    await office.post(1, [
      failure('files', `${TODAY}T01:00:00Z`),
      failure('sql', `${TODAY}T02:00:00Z`),
    ]);
    const begun = (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    await office.post(1, [
      failure('files', `${TODAY}T02:30:00Z`, { status: 'Success', message: null }),
      failure('web', `${TODAY}T02:40:00Z`),
    ]);
    const [run] = begun.problems.map(({ lastRun }) => lastRun);
    await me('PUT', `monitoring/backoffice/jobExecutions/${run}`, {
      change: { kind: 'note', content: 'seen' },
    });

    const rows = memoryRows();
    for (const one of begun.jobs) rows.job.set(one.n, one);
    for (const one of begun.problems) rows.problem.set(one.n, one);
    for (const one of begun.causes) rows.cause.set(one.n, one);
    let { cursor } = begun;
    let request = 0;
    for (let more = true; more; request++) {
      const page = (await events(me, { epoch: begun.epoch, cursor }, '&limit=2')).body.data;
      for (const one of page.events) fold(rows, one);
      expect(page.cursor).toBeGreaterThan(cursor);
      ({ cursor, more } = page);
    }
    expect(request).toBeGreaterThan(2);
    const anew = (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    expect(anew.cursor).toBe(cursor);
    expect([...rows.problem.values()]).toEqual(anew.problems);
    expect([...rows.job.values()].sort((a, b) => a.n - b.n)).toEqual(
      [...anew.jobs].sort((a, b) => a.n - b.n),
    );
  });

  test('SYNC-4: a day is sent as columns with a tag that changes with its runs, and a known tag needs no body', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('finn', ['operator']);
    await office.post(1, [
      failure('files', `${YESTERDAY}T02:00:00Z`),
      failure('sql', `${YESTERDAY}T03:00:00Z`),
    ]);
    const token = (await me<{ token: string }>('GET', 'sync/bootstrap')).status;
    expect(token).toBe(200);
    const session = await ask<{ token: string }>(office.app, '/api/v1/auth/login/db', {
      method: 'POST',
      host: office.host,
      body: { username: 'finn', password: 'correct horse battery' },
    });
    const authorization = `Bearer ${session.body.data.token}`;
    const first = await loadBytes(office.app, office.host, YESTERDAY, { authorization });
    const tag = first.headers.get('etag') ?? '';
    const runs = runsIn(await first.arrayBuffer());
    expect(runs.map(({ startSec }) => startSec * 1000)).toEqual([
      Date.parse(`${YESTERDAY}T03:00:00Z`),
      Date.parse(`${YESTERDAY}T02:00:00Z`),
    ]);
    expect(runs[0]?.message).toContain('Unable to connect to host sql.example.net');
    const again = await loadBytes(office.app, office.host, YESTERDAY, {
      authorization,
      'if-none-match': tag,
    });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
    await office.post(1, [failure('late', `${YESTERDAY}T04:00:00Z`)]);
    const later = await loadBytes(office.app, office.host, YESTERDAY, {
      authorization,
      'if-none-match': tag,
    });
    expect(later.status).toBe(200);
    expect(runsIn(await later.arrayBuffer())).toHaveLength(3);
  });

  test('SYNC-11, SYNC-4: a closed day is another page when the kind of one of its jobs has changed, and the same one when only its schedule has', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('karl', ['operator']);
    await office.as('lena', ['operator'], [2]);
    const early = (more: object = {}): object => failure('files', `${YESTERDAY}T02:00:00Z`, more);
    await office.post(1, [early({ managed: true })]);
    await office.post(2, [failure('mail', `${YESTERDAY}T03:00:00Z`)]);
    const loadToken = async (username: string): Promise<string> =>
      (
        await ask<{ token: string }>(office.app, '/api/v1/auth/login/db', {
          method: 'POST',
          host: office.host,
          body: { username, password: 'correct horse battery' },
        })
      ).body.data.token;
    const headers = [
      { authorization: `Bearer ${await loadToken('karl')}` },
      { authorization: `Bearer ${await loadToken('lena')}` },
    ] as const;
    const fetched = async (who: 0 | 1, tag?: string) => {
      const answer = await loadBytes(office.app, office.host, YESTERDAY, {
        ...headers[who],
        ...(tag === undefined ? {} : { 'if-none-match': tag }),
      });
      return {
        status: answer.status,
        tag: answer.headers.get('etag') ?? '',
        kinds:
          answer.status === 304 ? [] : runsIn(await answer.arrayBuffer()).map(({ kind }) => kind),
      };
    };
    const [before, theirs] = [await fetched(0), await fetched(1)];
    // Told with a result of another day: no run of the closed day is touched.
    await office.post(1, [today({ managed: true, schedule: { type: 'every', everySec: 3_600 } })]);
    expect((await fetched(0, before.tag)).status).toBe(304);
    await office.post(1, [today({ managed: false, source: 'restic', externalId: 'second' })]);
    const after = await fetched(0, before.tag);
    expect([after.status, after.tag === before.tag, after.kinds.length]).toEqual([200, false, 2]);
    expect(after.kinds).not.toEqual(before.kinds);
    expect((await fetched(0)).kinds, 'also from what is kept').toEqual(after.kinds);
    expect((await fetched(1, theirs.tag)).status, 'another company has not changed').toBe(304);
    const days = (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data.days;
    expect(days.find(({ day }) => day === YESTERDAY)?.tag).toBe(after.tag);
    await office.post(1, [today({ managed: false, source: 'restic', externalId: 'third' })]);
    expect((await fetched(0, after.tag)).status).toBe(304);
  });

  test("SYNC-6: messages of others' failures and names of others' users are not sent; a cause arrives before its problem", async () => {
    const office = await anOffice(fixture);
    const dana = await office.as('dana', ['operator']);
    const cora = await office.as('cora', ['operator'], [1]);
    for (const [name, companies] of [
      ['both', [1, 2]],
      ['beside', [1]],
      ['zoe', [2]],
    ] as const)
      await office.as(name, ['operator'], companies);
    const words = { message: 'The safe of Zoe Smith could not be opened' };
    await office.post(1, [failure('own-job', `${TODAY}T01:00:00Z`)]);
    await office.post(2, [failure('foreign-job', `${TODAY}T02:00:00Z`, words)]);
    const all = await loadBootstrap(dana);
    const own = await loadBootstrap(cora);
    expect([all.causes.length, own.causes.map(({ n }) => n)]).toEqual([
      2,
      own.problems.map(({ cause }) => cause),
    ]);
    expect(all.people.map(({ name }) => name)).toContain('ZOE');
    expect(own.people.map(({ name }) => name).toSorted()).toEqual([
      'BESIDE',
      'BOTH',
      'CORA',
      'DANA',
      expect.stringMatching(/^KEEPER/),
    ]);
    const whole = await events(cora, { epoch: own.epoch, cursor: 0 });
    expect([JSON.stringify(own), whole.text].join().match(/zoe/gi)).toBeNull();
    // Found at the other company first: its words are known there, and are this one's from here on.
    await office.post(1, [failure('second-job', `${TODAY}T03:00:00Z`, words)]);
    const { events: after, causes } = (await events(cora, own)).body.data;
    const opened = after.flatMap(({ event }) =>
      event.type === 'problem.opened@1' ? [event.data.cause] : [],
    );
    expect(causes?.map(({ n, template }) => [n, template])).toEqual([[opened[0], words.message]]);
    expect((await loadBootstrap(cora)).causes.map(({ n }) => n)).toContain(opened[0]);
    expect((await events(dana, all)).body.data).not.toHaveProperty('causes');
    // Who has dealt with what one sees is named, whatever it sees by now.
    const zack = await office.as('zack', ['operator'], [1]);
    const problem = own.problems[0];
    await zack('PUT', `monitoring/backoffice/jobExecutions/${problem?.lastRun}`, {
      change: { kind: 'note', content: 'Tape is jammed' },
    });
    await office
      .as('mover', ['admin'])
      .then(async (mover) =>
        mover('PUT', `users/${(await loadBootstrap(zack)).me.id}`, { companies: [2] }),
      );
    expect((await loadBootstrap(cora)).people.map(({ name }) => name)).toContain('ZACK');
  });

  test('SYNC-6, T3: a user with one company gets nothing of the other, in no table, day, event or answer', async () => {
    const office = await anOffice(fixture);
    const all = await office.as('gina', ['operator']);
    const one = await office.as('hugo', ['operator', 'admin'], [1]);
    await office.post(1, [failure('own-job', `${TODAY}T01:00:00Z`)]);
    await office.post(2, [failure('foreign-job', `${TODAY}T02:00:00Z`)]);
    const data = (await one<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    expect(data.companies.map(({ n }) => n)).toEqual([1]);
    expect(data.days).toMatchObject([{ day: TODAY, rows: 1 }]);
    const log = await events(one, { epoch: data.epoch, cursor: 0 });
    expect(log.body.data.cursor).toBe(data.cursor);
    const said = JSON.stringify([data.jobs, data.problems, data.companies, data.keys, log.text]);
    expect(said).toContain('own-job');
    expect(said).not.toMatch(/foreign-job|Drummond|Key 2/);

    const foreign = (await all<Bootstrap>('GET', 'sync/bootstrap')).body.data.problems.find(
      ({ company }) => company === 2,
    )?.lastRun;
    const missing = await one('GET', 'monitoring/backoffice/jobExecutions/999999');
    for (const answer of [
      await one('GET', `monitoring/backoffice/jobExecutions/${foreign}`),
      await one('PUT', `monitoring/backoffice/jobExecutions/${foreign}`, {
        change: { kind: 'review', comment: null },
      }),
    ])
      expect([answer.status, answer.text]).toEqual([404, missing.text]);
    const own = (
      await one<{ problem: { elsewhere: unknown[] } }>(
        'GET',
        `monitoring/backoffice/jobExecutions/${data.problems[0]?.lastRun}`,
      )
    ).body.data;
    expect(own.problem.elsewhere).toEqual([]);
    const seen = (
      await all<{ problem: { elsewhere: unknown[] } }>(
        'GET',
        `monitoring/backoffice/jobExecutions/${data.problems[0]?.lastRun}`,
      )
    ).body.data;
    expect(seen.problem.elsewhere).toEqual([{ company: 'Drummond & Pike', jobs: 1 }]);
  });

  test('SYNC-9, LOG-6, G10: the previous protocol is answered, an older one is told to update; another epoch says so and gives no events', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('ines', ['operator']);
    expect((await me('GET', 'sync/bootstrap?protocol=1')).status).toBe(200);
    expect((await me('GET', 'sync/bootstrap?protocol=0')).body.error?.kind).toBe('update-needed');
    const data = (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
    const other = (await events(me, { epoch: 'another', cursor: 1 })).body.data;
    expect(other).toMatchObject({ epoch: data.epoch, events: [] });
    const ahead = (await events(me, { epoch: data.epoch, cursor: data.cursor + 100 })).body.data;
    expect(ahead.cursor).toBe(data.cursor);
  });

  test('SYNC-5, G33: the stream pokes after a commit, signals changed rights, and ends with the session', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('jana', ['operator']);
    const session = await ask<{ token: string; userId: string }>(
      office.app,
      '/api/v1/auth/login/db',
      {
        method: 'POST',
        host: office.host,
        body: { username: 'jana', password: 'correct horse battery' },
      },
    );
    const { token, userId } = session.body.data;
    const stream = await office.app.request(
      '/api/v1/sync/stream',
      { headers: { host: office.host, authorization: `Bearer ${token}` } },
      { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
    );
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async (): Promise<string> => (await reader?.read())?.value ?? 'closed';
    expect(await next()).toMatch(/^sum: [\da-f]{8}\ndata: \{"kind":"head"/);
    await office.post(1, [failure('poked', `${TODAY}T05:00:00Z`)]);
    expect(await next()).toMatch(/^sum: [\da-f]{8}\ndata: \{"kind":"head"/);
    await fixture.context.store.tenant(office.tenant, (tx) =>
      tx.append(
        [
          {
            event: {
              type: 'user.scoped@1',
              data: { id: userId, roles: ['operator'], companies: [2] },
            },
            company: null,
            entity: `user:${userId}`,
          },
        ],
        {
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
          at: fixture.context.clock.now(),
        },
      ),
    );
    let word = await next();
    while (word.includes('"head"')) word = await next();
    expect(word).toContain('"scope"');
    expect(await next()).toBe('closed');
    expect(
      (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data.companies.map(({ n }) => n),
    ).toEqual([2]);
  });

  const failures = ['HEAD requests', 'streams that fail to open', 'streams that clients close'];
  test.each(failures)('SYNC-16: 20 %s take no slot of a stream', async (what) => {
    const office = await anOffice(fixture);
    await office.as('lena', ['operator']);
    const session = await ask<{ token: string }>(office.app, '/api/v1/auth/login/db', {
      method: 'POST',
      host: office.host,
      body: { username: 'lena', password: 'correct horse battery' },
    });
    const headers = { host: office.host, authorization: `Bearer ${session.body.data.token}` };
    const open = (method = 'GET') =>
      office.app.request(
        '/api/v1/sync/stream',
        { method, headers },
        { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
      );
    const before = fixture.lines.length;
    const { store } = fixture.context;
    const tenant = store.tenant.bind(store);
    for (let n = 0; n < 20; n += 1) {
      if (what === 'streams that fail to open')
        store.tenant = (id, work, how) =>
          work.name === 'sourcesMark'
            ? Promise.reject(new Error('no connection'))
            : tenant(id, work, how);
      const answer = await open(what === 'HEAD requests' ? 'HEAD' : 'GET');
      store.tenant = tenant;
      expect(answer.status).toBe(what === 'streams that fail to open' ? 500 : 200);
      if (what === 'streams that clients close') await answer.body?.cancel();
    }
    const last = await open();
    expect(last.status).toBe(200);
    const reader = last.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(fixture.lines.slice(before).filter((line) => line.includes('cannot look'))).toEqual([]);
  });

  test('SYNC-3: the last sync names the sources whose last request failed', async () => {
    const office = await anOffice(fixture);
    const me = await office.as('kurt', ['operator']);
    expect((await me<LastSync>('GET', 'sync/last-sync')).body.data).toMatchObject({
      status: 'NEVER',
      at: null,
      failed: [],
    });
    await office.post(1, [failure('files', `${TODAY}T01:00:00Z`)]);
    expect((await me<LastSync>('GET', 'sync/last-sync')).body.data).toMatchObject({
      status: 'SUCCEEDED',
      failed: [],
    });
    fixture.pass(1_000);
    await expect(office.post(2, [{ job: '', status: 'Broken' }])).rejects.toThrow('rejected');
    expect((await me<LastSync>('GET', 'sync/last-sync')).body.data).toMatchObject({
      status: 'FAILED',
      failed: [{ entity: 'Key 2' }],
    });
    const { sources } = (await me<LastSync>('GET', 'sync/last-sync')).body.data;
    expect(sources).toEqual([{ source: 'api', keys: 2, failed: 1, at: expect.any(Number) }]);
  });
});
