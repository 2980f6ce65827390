import { beforeAll, expect, test } from 'vitest';
import { connection } from '#server/features/connections/connection-job.ts';
import { collectorHandlers } from '#server/features/connections/handlers.ts';
import { companyHandlers } from '#server/features/companies/handlers.ts';
import { keyHandlers } from '#server/features/ingest/ingest-keys.ts';
import type { Store } from '#server/platform/db/store.ts';
import { MESSAGES } from '#contract/messages.ts';
import { anyStore } from '../db/databases.ts';
import { anAsk, HOUR, NOON } from '../ingest/fixtures.ts';
import { aConsole, aField, type Field, getId } from './fakes/fixtures.ts';
import { fill } from './fakes/vspc-estate.ts';
import { KEY, uid, USER } from './fakes/vspc.ts';

let store: Store;
beforeAll(async () => {
  store = await anyStore();
});
const CONNECTION = {
  kind: 'vspc',
  name: 'Console',
  address: 'https://vspc.example:1280/anything',
  companyN: null,
  everySec: 300,
  enabled: true,
  certificate: null,
  credentials: { kind: 'key', secret: KEY },
} as const;
const { kind: _kind, credentials: _credentials, ...FIELDS } = CONNECTION;
const as = (field: Field, companies: readonly number[] | null = null) =>
  anAsk({ ...field.place.ground, context: field.context }, field.tenant, companies);
const getKind = (result: { ok: boolean; failure?: { kind: string } }): string =>
  result.ok ? 'ok' : (result.failure?.kind ?? '');

test('COLLECT-1: a connection is stored with its secret encrypted, and no answer contains it', async () => {
  const field = await aField(store);
  const handlers = collectorHandlers(field.context);
  const made = await handlers.createConnection(
    { ...CONNECTION, credentials: { kind: 'password', ...USER } },
    as(field),
  );
  if (!made.ok) throw new Error(made.failure.message);
  const rows = await store.tenant(
    field.tenant,
    ({ sql }) => sql.selectFrom('connection').selectAll().execute(),
    { readOnly: true },
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    address: 'https://vspc.example:1280',
    username: 'collector',
    sign_in: 'password',
  });
  const listed = await field.listConnections();
  expect(listed).toMatchObject({
    ok: true,
    value: [{ name: 'Console', user: 'collector', signIn: 'password' }],
  });
  expect(JSON.stringify([rows, listed, field.place.ground.lines])).not.toContain(USER.secret);
  expect(
    await handlers.editConnection({ id: getId(made.value), ...FIELDS, name: 'Renamed' }, as(field)),
  ).toMatchObject({ ok: true });
  await field.collectors.stop();
});

test('COLLECT-1: a secret is sent only to the address it was entered for', async () => {
  const field = await aField(store);
  const handlers = collectorHandlers(field.context);
  const vspc = await aConsole();
  const id = await field.connect('https://vspc.example:1280');
  const elsewhere = {
    ok: false,
    failure: {
      kind: 'bad-input',
      issues: [{ path: 'credentials', message: MESSAGES.connectionSecretAgain }],
    },
  };
  expect(
    await handlers.editConnection({ id, ...FIELDS, address: vspc.outside.url }, as(field)),
  ).toMatchObject(elsewhere);
  expect(
    await handlers.testConnection(
      { id, kind: 'vspc', address: vspc.outside.url, certificate: null },
      as(field),
    ),
  ).toMatchObject(elsewhere);
  expect(
    await handlers.testConnection(
      { kind: 'vspc', address: vspc.outside.url, certificate: null },
      as(field),
    ),
  ).toMatchObject(elsewhere);
  expect(vspc.outside.asked).toEqual([]);
  await field.collectors.stop();
});

test('COLLECT-1: a connection is tested before it is stored: the number of companies, or the reason', async () => {
  const field = await aField(store);
  const handlers = collectorHandlers(field.context);
  const vspc = await aConsole();
  fill(vspc.console, 3, 0, NOON);
  const tried = (
    credentials: Parameters<typeof handlers.testConnection>[0]['credentials'],
    address = vspc.outside.url,
  ) =>
    handlers.testConnection({ kind: 'vspc', address, certificate: null, credentials }, as(field));
  expect(await tried({ kind: 'key', secret: KEY })).toEqual({
    ok: true,
    value: {
      ok: true,
      message: 'Veeam Service Provider Console responded: 3 companies.',
      seen: null,
    },
  });
  expect(await tried({ kind: 'key', secret: 'wrong' })).toMatchObject({
    ok: true,
    value: {
      ok: false,
      message: `${new URL(vspc.outside.url).host} didn't accept the credentials.`,
    },
  });
  expect(await tried({ kind: 'key', secret: KEY }, 'http://10.0.0.1:1280')).toMatchObject({
    ok: true,
    value: {
      ok: false,
      message:
        "10.0.0.1 is in a private network, which the operator of this server hasn't allowed.",
    },
  });
  const stored = await field.connect(vspc.outside.url);
  expect(
    await handlers.testConnection(
      { id: stored, kind: 'vspc', address: vspc.outside.url, certificate: null },
      as(field),
    ),
  ).toMatchObject({ ok: true, value: { ok: true } });
  await field.collectors.stop();
});

test("COLLECT-1: a user with some companies manages their connections, and doesn't see others", async () => {
  const field = await aField(store);
  const handlers = collectorHandlers(field.context);
  const [mine, other] = [await field.company('Mine'), await field.company('Other')];
  const vbr = { ...CONNECTION, kind: 'vbr', credentials: { kind: 'password', ...USER } } as const;
  expect(getKind(await handlers.createConnection(CONNECTION, as(field, [mine])))).toBe('forbidden');
  expect(
    getKind(await handlers.createConnection({ ...vbr, companyN: other }, as(field, [mine]))),
  ).toBe('not-found');
  const own = await handlers.createConnection({ ...vbr, companyN: mine }, as(field, [mine]));
  const foreign = await handlers.createConnection({ ...vbr, companyN: other }, as(field));
  const console = await field.connect('https://vspc.example:1280');
  if (!own.ok || !foreign.ok) throw new Error('not made');
  expect(await handlers.listConnections({}, as(field, [mine]))).toMatchObject({
    ok: true,
    value: [{ _id: getId(own.value) }],
  });
  for (const id of [getId(foreign.value), console, '11111111-1111-4111-8111-111111111111']) {
    expect(
      await Promise.all([
        handlers.editConnection({ id, ...FIELDS, companyN: mine }, as(field, [mine])),
        handlers.deleteConnection({ id }, as(field, [mine])),
        handlers.syncConnection({ id }, as(field, [mine])),
        handlers.listConnectionEntities({ id, entity: 'companies', after: 0 }, as(field, [mine])),
        handlers.testConnection(
          { id, kind: 'vbr', address: vbr.address, certificate: null },
          as(field, [mine]),
        ),
      ]).then((all) => all.map(getKind)),
    ).toEqual(Array.from({ length: 5 }, () => 'not-found'));
  }
  expect(getKind(await handlers.createConnection({ ...vbr, companyN: null }, as(field)))).toBe(
    'bad-input',
  );
  expect(
    getKind(await handlers.createConnection({ ...CONNECTION, companyN: mine }, as(field))),
  ).toBe('bad-input');
  await field.collectors.stop();
});

test('COLLECT-1: deleting a connection deletes its secret, what it found and its sources; its results stay', async () => {
  const field = await aField(store);
  const handlers = collectorHandlers(field.context);
  const vspc = await aConsole();
  await field.company('Ours', uid('company Company 0'));
  fill(vspc.console, 1, 3, NOON - HOUR);
  const id = await field.connect(vspc.outside.url);
  await field.round();
  const keys = (await field.place.all('key')).filter(({ connection }) => connection === id);
  expect(keys.map(({ revokedAt, tool }) => [revokedAt, tool])).toEqual([[null, 'vac']]);
  expect(await keyHandlers(field.context).listKeys({}, as(field))).toMatchObject({
    ok: true,
    value: [{ name: 'Key of api' }],
  });
  expect(
    getKind(await keyHandlers(field.context).rotateKey({ id: keys[0]?.id ?? '' }, as(field))),
  ).toBe('not-found');
  expect(await handlers.deleteConnection({ id }, as(field))).toMatchObject({ ok: true });
  expect(
    (await field.place.all('key'))
      .filter(({ connection }) => connection === id)
      .map(({ revokedAt }) => revokedAt),
  ).toEqual([field.context.clock.now()]);
  for (const table of ['connection', 'collection', 'collected'] as const)
    expect(
      await store.tenant(field.tenant, ({ sql }) => sql.selectFrom(table).selectAll().execute(), {
        readOnly: true,
      }),
    ).toEqual([]);
  expect(await field.runs()).toHaveLength(3);
  await field.round(HOUR);
  await field.collectors.stop();
});

test('COLLECT-4: a requested sync runs immediately, and a disabled connection sends no request', async () => {
  const field = await aField(store);
  const handlers = collectorHandlers(field.context);
  const vspc = await aConsole();
  const id = await field.connect(vspc.outside.url);
  await field.round();
  const before = vspc.outside.asked.length;
  await field.round(1000);
  expect(vspc.outside.asked).toHaveLength(before);
  expect(await handlers.syncConnection({ id, entity: 'alarms' }, as(field))).toMatchObject({
    ok: true,
  });
  await field.round();
  expect(vspc.outside.asked.slice(before).map(({ path }) => path.split('?')[0])).toEqual([
    '/api/v3/alarms/active',
  ]);
  expect(
    await handlers.editConnection(
      { id, ...FIELDS, address: vspc.outside.url, enabled: false },
      as(field),
    ),
  ).toMatchObject({ ok: true });
  await field.round(HOUR);
  expect(vspc.outside.asked).toHaveLength(before + 1);
  expect(getKind(await handlers.syncConnection({ id }, as(field)))).toBe('conflict');
  await field.collectors.stop();
});

test('COLLECT-2: companies that a connection found can be imported, without another setting', async () => {
  const field = await aField(store);
  const vspc = await aConsole();
  const companies = companyHandlers(field.context);
  expect(await companies.listVacCompanies({}, as(field))).toEqual({
    ok: true,
    value: { configured: false, companies: [] },
  });
  fill(vspc.console, 2, 0, NOON);
  const n = await field.company('Linked', uid('company Company 1'));
  await field.connect(vspc.outside.url);
  await field.round();
  const linked = (await field.place.all('company')).find((one) => one.n === n)?.id;
  expect(await companies.listVacCompanies({}, as(field))).toEqual({
    ok: true,
    value: {
      configured: true,
      companies: [
        { id: uid('company Company 0'), name: 'Company 0', companyId: null },
        { id: uid('company Company 1'), name: 'Company 1', companyId: linked },
      ],
    },
  });
  await field.collectors.stop();
});

test('COLLECT-4, JOB-11: who takes a connection over reads it at once, and who had it before stores nothing more', async () => {
  const field = await aField(store);
  const vspc = await aConsole();
  const id = await field.connect(vspc.outside.url);
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  vspc.console.fault = async () => {
    waiting += 1;
    // The first request is answered last, with an error.
    if (waiting > 1) return null;
    await gate.promise;
    return { status: 500 };
  };
  // The lease of the first has ended, or its server, before it has an answer.
  const run = (lease: string) =>
    connection(field.context)({
      tenant: field.tenant,
      payload: { connection: id },
      now: field.context.clock.now(),
      lease,
      signal: new AbortController().signal,
    });
  const first = run('first');
  await expect.poll(() => waiting, { timeout: 60_000 }).toBe(1);
  await run('second');
  const read = () =>
    store.tenant(
      field.tenant,
      async ({ sql }) => ({
        connections: await sql.selectFrom('connection').select(['id', 'held_by']).execute(),
        entities: await sql
          .selectFrom('collection')
          .select(['entity', 'status', 'fails', 'next_at'])
          .orderBy('entity')
          .execute(),
      }),
      { readOnly: true },
    );
  const after = await read();
  expect(after.connections).toEqual([{ id, held_by: null }]);
  expect(after.entities.length).toBeGreaterThan(3);
  expect(new Set(after.entities.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  gate.resolve();
  await first;
  expect(await read()).toEqual(after);
});

test("COLLECT-1: credentials that this server can't decrypt any more are asked for again, with a message", async () => {
  const field = await aField(store);
  const handlers = collectorHandlers(field.context);
  const vspc = await aConsole();
  const id = await field.connect(vspc.outside.url);
  await store.tenant(field.tenant, ({ sql }) =>
    sql
      .updateTable('connection')
      .set({ sealed: 'v1:v1:AAAA:AAAAAAAAAAAAAAAAAAAAAAAA' })
      .where('id', '=', id)
      .execute(),
  );
  const says = "This server can't decrypt the stored credentials. Enter them again.";
  expect(
    await handlers.testConnection(
      { id, kind: 'vspc', address: vspc.outside.url, certificate: null },
      as(field),
    ),
  ).toEqual({ ok: true, value: { ok: false, message: says, seen: null } });
  await field.round();
  const listed = await field.listConnections();
  expect(listed.ok && new Set(listed.value[0]?.collections.map(({ error }) => error))).toEqual(
    new Set([says]),
  );
  expect(vspc.outside.asked).toEqual([]);
  await field.collectors.stop();
});
