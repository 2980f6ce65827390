import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { makeFixture } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { HERE, outside } from '../outbound/outside.ts';
import { anyDatabase } from '../db/databases.ts';
import { anOffice } from '../sync/fixtures.ts';
import { person } from '../ingest/people.ts';
import { fails } from './fixtures.ts';
import { history, HOOKS, listed, made, webhooksOn } from './webhook-fixtures.ts';
import { notificationTicks, slaTicks } from '../jobs/ticks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let fixture: Fixture;
const { begin, now, turn, verified } = webhooksOn(() => fixture);

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture(HERE, await open());
  });

  test('NOTIFY-4, NOTIFY-1: new facts are delivered once, signed so that the other side can verify them, and earlier ones are not', async () => {
    const { office, ada } = await begin();
    const receiver = await outside(() => ({ status: 204 }));
    const { _id: id, secret } = await made(ada, `${receiver.url}/hook`);
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    await fails(fixture, office, 1, 'Files');
    await fails(fixture, office, 2, 'Mail');
    await fails(fixture, office, 2, 'Web', { status: 'Warning' });
    const notify = notificationTicks(fixture.context);
    await notify.tick();
    await notify.tick();
    await notify.stop();
    expect(receiver.asked).toHaveLength(1);
    const [request] = receiver.asked;
    if (!request) throw new Error('nothing was delivered');
    expect([
      request.method,
      request.path,
      request.headers['content-type'],
      verified(request, secret),
      verified({ ...request, body: `${request.body} ` }, secret),
      verified(request, `whsec_${Buffer.alloc(32).toString('base64')}`),
    ]).toEqual(['POST', '/hook', 'application/json', true, false, false]);
    expect(JSON.parse(request.body)).toMatchObject({
      type: 'job.failed',
      timestamp: new Date(now()).toISOString(),
      data: {
        items: [
          {
            job: { name: 'Files' },
            company: { n: 1, name: 'Calloway Freight' },
            state: 'Failed',
            url: expect.stringMatching(
              /^https:\/\/.+\/monitoring\/daily-checks\?.*run=1$/,
            ) as string,
          },
          { job: { name: 'Mail' } },
        ],
      },
    });
    expect(await history(ada, id)).toMatchObject([
      {
        category: 'failed',
        facts: 2,
        state: 'sent',
        tries: 1,
        code: 204,
        nextAt: null,
        error: null,
        body: request.body,
      },
    ]);
    expect(await listed(ada)).toMatchObject([
      { _id: id, lastState: 'sent', lastCode: 204, waiting: 0, failingSince: null },
    ]);
    // The same failure again is no news; another failure is.
    await fails(fixture, office, 1, 'Files');
    await turn(office);
    expect(receiver.asked).toHaveLength(1);
    await fails(fixture, office, 1, 'Files', { message: 'Disk is full' });
    await turn(office);
    expect(receiver.asked.map(({ headers }) => headers['webhook-id'])).toHaveLength(2);
  });

  test('NOTIFY-1: facts after an address was created are delivered, also before the first poll', async () => {
    const office = await anOffice(fixture);
    const ada = await person(office, 'ada', 'admin');
    const receiver = await outside(() => ({ status: 200 }));
    await fails(fixture, office, 1, 'Before');
    await made(ada, receiver.url);
    await fails(fixture, office, 1, 'After');
    await turn(office);
    expect(
      receiver.asked.map(({ body }) => [body.includes('Before'), body.includes('After')]),
    ).toEqual([[false, true]]);
  });

  test('NOTIFY-8: an address of some companies gets only theirs, however facts are batched; an older one, and one of all, gets everything', async () => {
    const { office, ada } = await begin();
    const receiver = await outside(() => ({ status: 200 }));
    const all = ['failed', 'missed', 'sla', 'source', 'repository'];
    const { _id: one } = await made(ada, `${receiver.url}/one`, {
      companies: [1],
      categories: all,
    });
    await made(ada, `${receiver.url}/two`, { companies: [2], categories: all });
    await made(ada, `${receiver.url}/both`, { companies: [1, 2], categories: all });
    const { _id: before } = await made(ada, `${receiver.url}/before`, { categories: all });
    // As it was kept before companies could be chosen.
    await fixture.context.store.tenant(office.tenant, async ({ sql, tenant }) => {
      const fields = {
        name: 'Before',
        url: `${receiver.url}/before`,
        enabled: true,
        categories: ['failed'],
      };
      await sql
        .updateTable('webhook')
        .set({ fields: JSON.stringify(fields) })
        .where('tenant_id', '=', tenant)
        .where('id', '=', before)
        .execute();
    });
    expect(
      Object.fromEntries(
        (await listed(ada)).map(({ url, companies }) => [new URL(url).pathname, companies]),
      ),
    ).toEqual({ '/before': null, '/both': [1, 2], '/one': [1], '/two': [2] });
    await fails(fixture, office, 1, 'Files');
    await fails(fixture, office, 2, 'Mail');
    const heard = (path: string): readonly string[] =>
      receiver.asked
        .filter((request) => request.path === path)
        .flatMap(({ body }) =>
          ['Files', 'Mail', 'Daily', 'Mine'].filter((name) => body.includes(`"${name}"`)),
        );
    await turn(office);
    expect([heard('/one'), heard('/two'), heard('/both'), heard('/before')]).toEqual([
      ['Files'],
      ['Mail'],
      ['Files', 'Mail'],
      ['Files', 'Mail'],
    ]);
    expect(
      receiver.asked
        .filter(({ path }) => path === '/one')
        .map(({ body }) => /Drummond|"n":2/.test(body)),
    ).toEqual([false]);
    // An alarm of all companies goes to who is told of all, one of the first company also to those
    // that have it.
    const dana = await person(office, 'dana', 'operator');
    for (const [name, companyIds] of [
      ['Daily', []],
      ['Mine', [1]],
    ] as const) {
      const stored = await dana('POST', 'monitoring/reporting/save-sla-alarm', {
        alarm: {
          name,
          enabled: true,
          job: null,
          group: { companyIds: [...companyIds], source: [], type: [], entityGroup: [] },
          maxAgeHours: 1,
          minSuccessPct: null,
          windowDays: 7,
          recipients: [],
        },
      });
      expect(stored.status).toBe(200);
    }
    expect(
      (
        await ada('PUT', `${HOOKS}/${before}`, {
          webhook: {
            name: 'Before',
            url: `${receiver.url}/before`,
            enabled: true,
            categories: all,
          },
        })
      ).status,
    ).toBe(200);
    fixture.pass(2 * HOUR);
    const sla = slaTicks(fixture.context);
    await sla.tick(now());
    await sla.stop();
    await turn(office);
    expect(
      ['/one', '/two', '/both', '/before'].map((path) =>
        heard(path).filter((name) => name === 'Daily' || name === 'Mine'),
      ),
    ).toEqual([['Mine'], [], ['Mine'], ['Daily', 'Mine']]);
    // Not named, the companies stay; one that is not there, none and one twice are refused.
    const change = async (more: object): Promise<readonly unknown[]> => {
      const answer = await ada('PUT', `${HOOKS}/${one}`, {
        webhook: {
          name: 'One',
          url: `${receiver.url}/one`,
          enabled: true,
          categories: ['failed'],
          ...more,
        },
      });
      return [answer.status, (await listed(ada)).find(({ _id }) => _id === one)?.companies];
    };
    expect([
      await change({}),
      await change({ companies: [9] }),
      await change({ companies: [] }),
      await change({ companies: [1, 1] }),
      await change({ companies: null }),
      await change({ companies: [2] }),
    ]).toEqual([
      [200, [1]],
      [400, [1]],
      [400, [1]],
      [400, [1]],
      [200, null],
      [200, [2]],
    ]);
    expect(
      (
        await ada('POST', HOOKS, {
          webhook: {
            name: 'No',
            url: receiver.url,
            enabled: true,
            categories: ['failed'],
            companies: [1, 9],
          },
        })
      ).body.error?.issues,
    ).toEqual([{ path: 'webhook.companies', message: MESSAGES.webhookCompany }]);
  });

  test('NOTIFY-4: its secret is encrypted and shown once; a new one is valid next to the former for a day', async () => {
    const { office, ada } = await begin();
    const receiver = await outside(() => ({ status: 200 }));
    const { _id: id, secret } = await made(ada, receiver.url);
    const rows = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql.selectFrom('webhook').selectAll().where('tenant_id', '=', tenant).execute(),
    );
    expect(JSON.stringify([rows, await listed(ada), fixture.lines])).not.toContain(secret.slice(6));
    const fresh = (await ada<{ secret: string }>('POST', `${HOOKS}/${id}/secret`, {})).body.data
      .secret;
    expect(
      (await ada<{ ok: boolean; code: number }>('POST', `${HOOKS}/${id}/test`, {})).body.data,
    ).toEqual({ ok: true, code: 200, message: '' });
    expect(
      receiver.asked.map((one) => [
        JSON.parse(one.body) as unknown,
        verified(one, secret),
        verified(one, fresh),
      ]),
    ).toEqual([
      [{ type: 'test', timestamp: new Date(now()).toISOString(), data: { items: [] } }, true, true],
    ]);
    fixture.pass(DAY + 1);
    await ada('POST', `${HOOKS}/${id}/test`, {});
    expect(
      receiver.asked.slice(1).map((one) => [verified(one, secret), verified(one, fresh)]),
    ).toEqual([[false, true]]);
    expect(
      (await history(ada, id)).map(({ category, state, code }) => [category, state, code]),
    ).toEqual([
      ['test', 'sent', 200],
      ['test', 'sent', 200],
    ]);
    const { _id: inside } = await made(ada, 'https://10.0.0.1/x');
    expect(
      (await ada<{ ok: boolean; message: string }>('POST', `${HOOKS}/${inside}/test`, {})).body
        .data,
    ).toMatchObject({
      ok: false,
      code: null,
      message: expect.stringContaining('private network') as string,
    });
  });

  test('NOTIFY-4: users who see every company and may connect sources manage them; for anybody else, and another provider, there are none', async () => {
    const { office, ada } = await begin();
    const receiver = await outside(() => ({ status: 200 }));
    const { _id: id } = await made(ada, receiver.url);
    const some = await person(office, 'some', 'admin', [1]);
    const dana = await person(office, 'dana', 'operator');
    const stranger = await begin();
    expect([
      await listed(some),
      await listed(stranger.ada),
      (await dana('GET', HOOKS)).status,
    ]).toEqual([[], [], 403]);
    for (const who of [some, stranger.ada]) {
      const webhook = { name: 'Mine', url: receiver.url, enabled: true, categories: ['failed'] };
      expect([
        (await who('PUT', `${HOOKS}/${id}`, { webhook })).status,
        (await who('DELETE', `${HOOKS}/${id}`)).status,
        (await who('POST', `${HOOKS}/${id}/secret`, {})).status,
        (await who('POST', `${HOOKS}/${id}/test`, {})).status,
        (await who('GET', `${HOOKS}/${id}/deliveries`)).status,
      ]).toEqual([404, 404, 404, 404, 404]);
    }
    expect(
      (
        await some('POST', HOOKS, {
          webhook: { name: 'Mine', url: receiver.url, enabled: true, categories: ['failed'] },
        })
      ).body.message,
    ).toBe(MESSAGES.webhookNotYours);
    await fails(fixture, stranger.office, 1, 'Foreign');
    await turn(stranger.office);
    await turn(office);
    expect(receiver.asked).toEqual([]);
    expect([(await ada('DELETE', `${HOOKS}/${id}`)).status, await listed(ada)]).toEqual([200, []]);
  });
});
