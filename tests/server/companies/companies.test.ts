import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import type { Bootstrap, EventsPage } from '#contract/sync/calls.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { companyHandlers } from '#server/features/companies/handlers.ts';
import { vacCompanies } from '#server/features/companies/vspc-companies.ts';
import { rebuild } from '#server/platform/events/rebuild.ts';
import { ask, makeFixture } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { anAsk } from '../ingest/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { failure } from '../sync/fixtures.ts';
import type { Asker } from '../sync/fixtures.ts';
import { idIn, said, thePeople } from '../users/fixtures.ts';

let fixture: Fixture;
const TODAY = '2026-03-02';
const NOT_FOUND = [404, 'not-found', MESSAGES.notFound];
const all = async (who: Asker): Promise<CompanyListed[]> =>
  (await who<CompanyListed[]>('GET', 'companies')).body.data;
const named = async (who: Asker, name: string): Promise<string> =>
  idIn((await all(who)).find((one) => one.name === name));
const booted = async (me: Asker): Promise<Bootstrap> =>
  (await me<Bootstrap>('GET', 'sync/bootstrap')).body.data;
const rowsOn = async (me: Asker, day: string): Promise<string> =>
  (await me('GET', `sync/runs/${day}`)).headers.get('etag') ?? '';

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('COMP-1: a company is created and changed with all its settings, and its name is unique in any case', async () => {
    const { root, idOf: loadId, logged, tenant } = await thePeople(fixture);
    const rootId = await loadId('root');
    const made = await root<CompanyListed>('POST', 'companies', {
      name: ' Elm & Co ',
      veeamId: 'v-1',
      notify: [rootId],
    });
    expect(made.body.data).toMatchObject({
      name: 'Elm & Co',
      n: 3,
      veeamId: 'v-1',
      notify: [{ _id: rootId, username: 'root' }],
      applications: { vac: { id: null }, office365: { enabled: false, organizations: [] } },
    });
    const applications = {
      vac: { id: 'u-7' },
      vcd: { id: null },
      zerto: { id: 'z' },
      office365: { enabled: true, organizations: [{ id: 'o-1' }] },
    };
    expect(
      (await root<CompanyListed>('PUT', `companies/${idIn(made.body.data)}`, { applications })).body
        .data,
    ).toMatchObject({ name: 'Elm & Co', veeamId: 'v-1', applications });
    for (const name of ['elm & co', 'Calloway Freight']) {
      expect(said(await root('POST', 'companies', { name }))).toEqual([
        409,
        'conflict',
        MESSAGES.companyNameTaken,
      ]);
      if (name !== 'elm & co')
        expect(said(await root('PUT', `companies/${idIn(made.body.data)}`, { name }))[0]).toBe(409);
    }
    expect(
      (await root('PUT', `companies/${idIn(made.body.data)}`, { name: 'ELM & CO' })).status,
    ).toBe(200);
    expect(said(await root('POST', 'companies', { name: 'New', notify: [randomUUID()] }))).toEqual(
      NOT_FOUND,
    );
    for (const body of [
      { name: '' },
      { name: 'x', n: 9 },
      { name: 'x', applications: { vac: { id: 'x' } } },
      { name: 'x', deletedAt: 1 },
    ])
      expect((await root('POST', 'companies', body)).status).toBe(400);
    expect((await logged()).filter((type) => type.startsWith('company.'))).toEqual([
      'company.created@1',
      'company.created@1',
      'company.created@1',
      'company.updated@1',
      'company.updated@1',
      'company.updated@1',
    ]);
    expect((await rebuild(fixture.context.store, { only: [tenant] }))[0]?.differences).toEqual([]);
  });

  test("COMP-2, T2: companies of another provider, and those outside the user's, don't exist", async () => {
    const here = await thePeople(fixture);
    const there = await thePeople(fixture);
    const foreign = await named(there.root, 'Calloway Freight');
    const outside = await named(here.root, 'Drummond & Pike');
    const part = await here.as('part', ['admin'], [1]);
    for (const [who, id] of [
      [here.root, foreign],
      [part, outside],
      [here.root, 'none'],
    ] as const) {
      for (const [method, body] of [['GET'], ['PUT', { name: 'Mine' }]] as const) {
        const none = await who(method, `companies/${randomUUID()}`, body);
        expect((await who(method, `companies/${id}`, body)).text).toBe(none.text);
        expect(none.status).toBe(404);
      }
    }
    expect(said(await here.root('DELETE', `companies/${foreign}`))).toEqual(NOT_FOUND);
    expect((await all(part)).map(({ name }) => name)).toEqual(['Calloway Freight']);
    for (const [method, path, body] of [
      ['POST', 'companies', { name: 'Mine' }],
      ['DELETE', `companies/${await named(part, 'Calloway Freight')}`],
      ['GET', 'companies/vac'],
    ] as const)
      expect((await part(method, path, body)).status).toBe(403);
  });

  test('COMP-3: what is deleted with a company is shown first: jobs, results, users and keys', async () => {
    const { root, as, post } = await thePeople(fixture);
    await as('own', ['operator'], [1]);
    await post(1, [
      failure('files', `${TODAY}T02:00:00Z`),
      failure('sql', `${TODAY}T03:00:00Z`),
      failure('sql', `${TODAY}T04:00:00Z`),
    ]);
    const one = await root<OutputOf<'getCompany'>>(
      'GET',
      `companies/${await named(root, 'Calloway Freight')}`,
    );
    expect(one.body.data.counts).toEqual({ jobs: 2, runs: 3, users: 1, keys: 1 });
    expect([one.body.data.jobs, one.body.data.keys]).toEqual([2, 1]);
    expect(one.body.data.users.map(({ username }) => username)).toEqual(['own']);
  });

  test('COMP-4, SYNC-6: a deleted company is out of scope for everybody immediately: rows, days, events, problems, keys and pages; its log stays', async () => {
    const people = await thePeople(fixture);
    const { root, as, post, tenant, host, app } = people;
    const wide = await as('wide', ['operator', 'read-only']);
    const part = await as('part', ['operator'], [1, 2]);
    const made = await root<{ secret: string; key: { id: string } }>('POST', 'monitoring/sources', {
      name: 'More',
      companyN: 1,
      tool: 'api',
    });
    await post(1, [failure('files', `${TODAY}T02:00:00Z`), failure('old', '2026-02-27T02:00:00Z')]);
    await post(2, [failure('sql', `${TODAY}T03:00:00Z`)]);
    const [before, partBefore] = [await booted(wide), await booted(part)];
    const gone = before.problems
      .filter(({ company }) => company === 1)
      .map(({ lastRun }) => lastRun);
    const tags = { today: await rowsOn(wide, TODAY), old: await rowsOn(wide, '2026-02-27') };
    expect([before.days.map(({ rows }) => rows), partBefore.days.map(({ rows }) => rows)]).toEqual([
      [2, 1],
      [2, 1],
    ]);

    const id = await named(root, 'Calloway Freight');
    expect((await root('DELETE', `companies/${id}`)).status).toBe(200);
    for (const who of [wide, part]) {
      const now = await booted(who);
      expect([
        now.companies.map(({ n }) => n),
        now.jobs.map(({ company }) => company),
        now.problems.map(({ company }) => company),
        now.days.map(({ day, rows }) => [day, rows]),
      ]).toEqual([[2], [2], [2], [[TODAY, 1]]]);
      const start = who === wide ? before : partBefore;
      const { events, epoch } = (
        await who<EventsPage>(
          'GET',
          `sync/events?protocol=2&after=${start.cursor}&epoch=${start.epoch}`,
        )
      ).body.data;
      // Who was named for it has other companies by now, and by another epoch learns to load
      // everything again.
      expect([events.map(({ event }) => event.type), epoch === start.epoch]).toEqual(
        who === wide ? [['company.deleted@1'], true] : [[], false],
      );
      const old = (
        await who<EventsPage>('GET', `sync/events?protocol=2&after=0&epoch=${now.epoch}`)
      ).body.data.events;
      expect(old.length).toBeGreaterThan(0);
      expect(
        old.filter(({ company, event }) => company === 1 && event.type !== 'company.deleted@1'),
      ).toEqual([]);
      for (const run of gone)
        expect(said(await who('GET', `monitoring/backoffice/jobExecutions/${run}`))).toEqual(
          NOT_FOUND,
        );
      expect(
        (
          await who('PUT', `monitoring/backoffice/jobExecutions/${gone[0] ?? 0}`, {
            change: { kind: 'review', comment: null },
          })
        ).status,
      ).toBe(404);
    }
    expect(await rowsOn(wide, TODAY)).not.toBe(tags.today);
    expect(await rowsOn(wide, '2026-02-27')).not.toBe(tags.old);
    expect(await rowsOn(wide, TODAY)).toBe((await booted(wide)).days[0]?.tag);
    expect(
      (await root<{ companyN: number }[]>('GET', 'monitoring/sources')).body.data.map(
        ({ companyN }) => companyN,
      ),
    ).toEqual([2]);
    expect(
      (await root('POST', 'monitoring/sources', { name: 'Again', companyN: 1, tool: 'api' }))
        .status,
    ).toBe(404);
    expect(
      (
        await ask(app, '/api/v1/ingest/executions', {
          method: 'POST',
          host,
          token: made.body.data.secret,
          body: [failure('late', `${TODAY}T05:00:00Z`)],
        })
      ).status,
    ).toBe(401);
    await expect(post(1, [failure('late', `${TODAY}T05:00:00Z`)])).rejects.toThrow('signed-out');
    for (const [method, path] of [
      ['GET', `companies/${id}`],
      ['DELETE', `companies/${id}`],
    ] as const)
      expect(said(await root(method, path))).toEqual(NOT_FOUND);
    expect((await all(root)).map(({ name }) => name)).toEqual(['Drummond & Pike']);
    // Who keeps what is left still keeps those who have left the company with it.
    const rest = await as('rest', ['admin'], [2]);
    expect(
      (await rest<OutputOf<'listUsers'>>('GET', 'monitoring/reporting/users')).body.data.rows.map(
        ({ username }) => username,
      ),
    ).toEqual(['part', 'rest']);
    expect((await root('POST', 'companies', { name: 'Calloway Freight' })).status).toBe(200);
    expect((await people.logged()).filter((type) => type === 'key.revoked@1')).toHaveLength(2);
    expect((await rebuild(fixture.context.store, { only: [tenant] }))[0]?.differences).toEqual([]);
    expect((await people.recorded()).map(({ what }) => what)).toContain('company.deleted');
  });

  test('COMP-4, SYNC-6: nobody sees the record and the computers of a deleted company', async () => {
    const { root, as, post } = await thePeople(fixture);
    const wide = await as('wide', ['operator', 'read-only']);
    await post(1, [failure('files', `${TODAY}T02:00:00Z`)]);
    await post(2, [failure('sql', `${TODAY}T03:00:00Z`)]);
    for (const { lastRun } of (await booted(wide)).problems)
      await wide('PUT', `monitoring/backoffice/jobExecutions/${lastRun}`, {
        change: { kind: 'note', content: 'seen' },
      });
    const evidence = async (): Promise<number> =>
      (
        await wide<OutputOf<'listEvidence'>>(
          'GET',
          `monitoring/reporting/evidence?from=${new Date(fixture.context.clock.now() - 86_400_000).toISOString()}&to=${new Date(fixture.context.clock.now() + 86_400_000).toISOString()}`,
        )
      ).body.data.rows.length;
    expect(await evidence()).toBe(2);
    await root('DELETE', `companies/${await named(root, 'Calloway Freight')}`);
    expect(await evidence()).toBe(1);
  });

  test('COMP-4, G44: deleting a company needs a recent factor', async () => {
    const { root } = await thePeople(fixture);
    fixture.pass(6 * 60_000);
    expect(
      said(await root('DELETE', `companies/${await named(root, 'Calloway Freight')}`)),
    ).toEqual([403, 'reauth_required', MESSAGES.reauth]);
  });

  test('COMP-5: the companies of Veeam Service Provider Console are listed by page with their links; its key is in no address', async () => {
    const people = await thePeople(fixture);
    const { root, tenant } = people;
    expect((await root<OutputOf<'listVacCompanies'>>('GET', 'companies/vac')).body.data).toEqual({
      configured: false,
      companies: [],
    });
    await fixture.context.store.tenant(tenant, async (tx) => {
      await tx.sql
        .updateTable('provider')
        .set({
          settings: JSON.stringify({
            sso: { vac: { url: 'https://vac.example:1280/' }, vcd: null, zerto: null },
          }),
        })
        .where('tenant_id', '=', tenant)
        .execute();
      await storeSecret(tx, fixture.context, 'vac', 'k-secret');
    });
    const linked = await root<CompanyListed>('POST', 'companies', {
      name: 'Linked',
      applications: {
        vac: { id: 'id-120' },
        vcd: { id: null },
        zerto: { id: null },
        office365: { enabled: false, organizations: [] },
      },
    });
    const request: string[] = [];
    const rows = Array.from({ length: 230 }, (_, index) => ({
      instanceUid: `id-${index}`,
      name: `Company ${index}`,
      status: 'Active',
    }));
    const handlers = companyHandlers(fixture.context, (url, { authorization }) => {
      request.push(url);
      const offset = Number(new URL(url).searchParams.get('offset'));
      expect(authorization).toBe('Bearer k-secret');
      return Promise.resolve({
        status: 200,
        text: JSON.stringify({
          meta: { pagingInfo: { total: rows.length, count: 100, offset } },
          data: rows.slice(offset, offset + 100),
        }),
      });
    });
    const listed = await handlers.listVacCompanies(
      {},
      anAsk({ ...fixture, at: () => undefined }, tenant),
    );
    if (!listed.ok) throw new Error(listed.failure.message);
    expect(listed.value.companies).toHaveLength(230);
    expect(listed.value.companies.filter(({ companyId }) => companyId !== null)).toEqual([
      { id: 'id-120', name: 'Company 120', companyId: idIn(linked.body.data) },
    ]);
    expect(request).toEqual(
      [0, 100, 200].map(
        (offset) =>
          `https://vac.example:1280/api/v3/organizations/companies?limit=500&offset=${offset}`,
      ),
    );
    for (const answer of [
      { status: 500, text: '' },
      { status: 200, text: '<html>' },
      { status: 200, text: '{"data":[{"name":1}]}' },
    ])
      expect(
        await vacCompanies('https://vac.example', 'k', () => Promise.resolve(answer)),
      ).toBeNull();
    expect(
      await vacCompanies('https://vac.example', 'k', () =>
        Promise.reject(new OutboundError('refused', 'no')),
      ),
    ).toBeNull();
    await expect(
      vacCompanies('https://vac.example', 'k', () => Promise.reject(new TypeError('a bug'))),
    ).rejects.toThrow('a bug');
    // Really asked: a private address is not reached.
    const refused: Answer = await root('GET', 'companies/vac');
    expect([refused.status, refused.body.error.kind]).toEqual([503, 'busy']);
  });

  test("COMP-6: the users to notify of a company are found by its Veeam number or its own; those who can't see it any more are left out", async () => {
    const { root, as, idOf: loadId } = await thePeople(fixture);
    await as('own', ['operator'], [1]);
    await as('leaver', ['operator'], [1]);
    const id = await named(root, 'Calloway Freight');
    const notify = [await loadId('own'), await loadId('leaver')];
    await root('PUT', `companies/${id}`, { veeamId: 'v 1/2', notify });
    const loadUsersToNotify = async (of: string): Promise<(readonly [string, string | null])[]> =>
      (
        await root<OutputOf<'listUsersToNotify'>>(
          'GET',
          `companies/${encodeURIComponent(of)}/users-to-notify`,
        )
      ).body.data.users.map(({ username, email }) => [username, email]);
    expect(await loadUsersToNotify('v 1/2')).toEqual([
      ['leaver', 'kate@example.com'],
      ['own', 'kate@example.com'],
    ]);
    await root('PUT', `users/${await loadId('leaver')}`, { companies: [2] });
    expect(await loadUsersToNotify(id)).toEqual([['own', 'kate@example.com']]);
    expect(said(await root('GET', 'companies/none/users-to-notify'))).toEqual(NOT_FOUND);
    // Who sets up backup jobs adds them to a job's recipients, of the own companies only.
    const path = `companies/${id}/users-to-notify`;
    const suite = await as('suite', ['o365_admin'], [1]);
    expect((await suite('GET', path)).status).toBe(200);
    const elsewhere = await as('elsewhere', ['o365_admin'], [2]);
    expect(said(await elsewhere('GET', path))).toEqual(NOT_FOUND);
    for (const role of ['read-only', 'operator', 'super-admin', 'sub-sp'] as const)
      expect([role, (await (await as(role, [role]))('GET', path)).status]).toEqual([role, 403]);
  });

  test('COMP-7: companies come in pages of ten, searched and sorted; their file has no formulas', async () => {
    const { root } = await thePeople(fixture);
    for (let n = 1; n <= 11; n += 1)
      await root('POST', 'companies', { name: n === 2 ? '=Elm' : `Elm ${n}` });
    const page = (
      await root<OutputOf<'reportCompanies'>>(
        'GET',
        'monitoring/reporting/companies?search=elm&sort=-name&page=2',
      )
    ).body.data;
    expect([page.count, page.rows.map(({ name }) => name)]).toEqual([11, ['=Elm']]);
    const file = await root('POST', 'companies/export', { search: 'ELM' });
    expect(file.headers.get('content-disposition')).toMatch(/filename="Companies_/);
    expect(file.text).toContain("\r\n'=Elm,");
    expect(file.text.split('\r\n')).toHaveLength(13);
  });

  test('COMP-6, USER-4: only users one may manage, and oneself, are added to or removed from those notified; others stay untouched', async () => {
    const { root, as, idOf: loadId } = await thePeople(fixture);
    const id = await named(root, 'Calloway Freight');
    const rootId = await loadId('root');
    const ada = await as('ada', ['admin']);
    const part = await as('part', ['admin'], [1]);
    const adaId = await loadId('ada');
    const partId = await loadId('part');
    await as('olga', ['operator'], [1]);
    const olga = await loadId('olga');
    const put = async (who: Asker, notify: readonly string[]): Promise<number> =>
      (await who('PUT', `companies/${id}`, { notify })).status;
    expect([
      await put(ada, [rootId]),
      await put(part, [adaId]),
      await put(part, [randomUUID()]),
    ]).toEqual([403, 404, 404]);
    expect([
      await put(root, [rootId, adaId]),
      await put(ada, [rootId, adaId, olga]),
      await put(ada, [adaId, olga]),
    ]).toEqual([200, 200, 403]);
    expect([await put(part, [rootId, adaId, partId]), await put(part, [rootId, partId])]).toEqual([
      200, 404,
    ]);
    expect(await put(root, [])).toBe(200);
  });
});
