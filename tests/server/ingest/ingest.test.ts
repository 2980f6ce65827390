import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { keyHandlers } from '#server/features/ingest/ingest-keys.ts';
import { makePerMinuteLimit } from '#server/platform/rate-limit/per-minute.ts';
import { maskSecrets } from '#server/platform/mask-secrets.ts';
import { embedded } from '../db/databases.ts';
import { anAsk, anExecution, aPlace, fixture, HOUR, iso, NOON } from './fixtures.ts';
import type { Place } from './fixtures.ts';

const store = await embedded();
let place: Place;
beforeEach(async () => {
  place = await aPlace(store);
});

test('ING-4: bad records are listed with the reason, and the rest is stored', async () => {
  const { status, data } = await place.post('executions', [
    anExecution({ externalId: '0' }),
    anExecution({ status: 'Fine' }),
    7,
    anExecution({ startTime: 'yesterday' }),
    anExecution({ externalId: '4', job: 'Fourth' }),
    anExecution({ surprise: 1 }),
    anExecution({ endTime: iso(NOON - 2 * HOUR) }),
    anExecution({ startTime: iso(NOON + 48 * HOUR), endTime: null }),
    anExecution({ schedule: { type: 'cron', cron: 'at dawn', tz: 'UTC' } }),
    anExecution({ job: undefined }),
  ]);
  expect(status).toBe(200);
  expect(data).toMatchObject({ accepted: 2, duplicates: 0 });
  expect(data.rejected.map(({ index, error }) => [index, error.split(':')[0]])).toEqual([
    [1, 'status'],
    [2, 'must be Object'],
    [3, 'startTime'],
    [5, 'surprise'],
    [6, 'endTime'],
    [7, 'startTime'],
    [8, 'schedule'],
    [9, 'job'],
  ]);
  expect(await place.all('run')).toHaveLength(2);
});

test('ING-4: a single bad record refuses the request, and so does unreadable input', async () => {
  expect(await place.post('executions', anExecution({ startTime: 'soon' }))).toMatchObject({
    status: 400,
    error: { kind: 'bad-input', issues: [{ path: 'startTime' }] },
  });
  expect(await place.post('executions', '{"job":')).toMatchObject({
    status: 400,
    error: { kind: 'bad-input' },
  });
  expect(
    (
      await place.post(
        'executions',
        Array.from({ length: 1001 }, () => anExecution()),
      )
    ).status,
  ).toBe(400);
  expect((await place.post('executions', [])).data).toEqual({
    accepted: 0,
    duplicates: 0,
    rejected: [],
  });
  // A refused request is an error of the source, and a good one ends it.
  const list = async () => {
    const keys = await keyHandlers(place.ground.context).listKeys(
      {},
      anAsk(place.ground, place.tenant),
    );
    return keys.ok ? keys.value[0] : undefined;
  };
  expect((await list())?.lastError?.message).toContain('startTime');
  place.ground.pass(1_000);
  await place.post('executions', anExecution());
  expect(await list()).toMatchObject({
    lastError: null,
    lastFault: null,
    lastHeardAt: NOON + 1_000,
    firstResultAt: NOON + 1_000,
  });
});

test('ING-4: input is not echoed in the answer', async () => {
  const answer = await place.post('executions', [
    anExecution({ status: 'canary-7731' }),
    anExecution({ startTime: 'canary-7731' }),
  ]);
  expect(JSON.stringify(answer.data)).not.toContain('canary');
});

test('ING-5: a missing, wrong, revoked or replaced key is refused', async () => {
  for (const secret of ['', 'dbk_x', `dbk_${'A'.repeat(43)}`, place.secret.toUpperCase()])
    expect((await place.post('executions', anExecution(), { secret })).status).toBe(401);
  const keys = keyHandlers(place.ground.context);
  const rotated = await keys.rotateKey({ id: place.keyId }, anAsk(place.ground, place.tenant));
  expect((await place.post('executions', anExecution())).status).toBe(401);
  const secret = rotated.ok ? rotated.value.secret : '';
  expect((await place.post('executions', anExecution(), { secret })).status).toBe(200);
  expect((await keys.revokeKey({ id: place.keyId }, anAsk(place.ground, place.tenant))).ok).toBe(
    true,
  );
  expect((await place.post('executions', anExecution(), { secret })).status).toBe(401);
  expect(await place.all('run')).toHaveLength(1);
});

test('ING-5: a key is 32 random bytes, shown once, stored as a hash, bound to a company, and hidden from others', async () => {
  const keys = keyHandlers(place.ground.context);
  expect(place.secret).toMatch(/^dbk_[\w-]{43}$/);
  const dump = await store.tenant(place.tenant, async (tx) =>
    JSON.stringify([
      await tx.all('key'),
      await tx.eventsAfter(0, 100),
      await tx.sql.selectFrom('key_index').selectAll().execute(),
    ]),
  );
  expect(dump).not.toContain(place.secret.slice(4));
  expect(dump).toContain(`"hint":"${place.secret.slice(-4)}"`);
  const other = anAsk(place.ground, place.tenant, [99]);
  expect(await keys.listKeys({}, other)).toEqual({ ok: true, value: [] });
  for (const answer of [
    await keys.rotateKey({ id: place.keyId }, other),
    await keys.revokeKey({ id: place.keyId }, other),
    await keys.revokeKey({ id: 'none' }, anAsk(place.ground, place.tenant)),
  ]) {
    expect(answer).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
  }
  expect(
    await keys.createKey(
      { name: 'x', companyN: 99, tool: 'api' },
      anAsk(place.ground, place.tenant),
    ),
  ).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
  const stranger = await aPlace(store);
  expect(
    await keys.rotateKey({ id: place.keyId }, anAsk(stranger.ground, stranger.tenant)),
  ).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
  await stranger.post('executions', anExecution());
  expect(await place.all('run')).toHaveLength(0);
});

test('ING-5: no key reaches the log', async () => {
  await place.post('executions', anExecution());
  await place.ping('/job/start');
  await place.ping('');
  await place.app.request(`/api/v1/ingest/events?access_token=${place.secret}`, {
    method: 'POST',
    headers: { host: place.host },
    body: '{}',
  });
  expect(place.ground.lines.length).toBeGreaterThanOrEqual(4);
  expect(place.ground.lines.join('\n')).not.toContain(place.secret.slice(4, 20));
});

test('ING-6: more than 60 requests a minute of a key are refused until the minute is over', async () => {
  const post = () => place.post('executions', []);
  for (let n = 0; n < 60; n += 1) expect((await post()).status).toBe(200);
  place.ground.pass(20_000);
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after'), refused.error?.kind]).toEqual([
    429,
    '40',
    'too-many',
  ]);
  const other = await place.keyFor('restic');
  expect((await place.post('executions', [], { secret: other.secret })).status).toBe(200);
  place.ground.pass(40_000);
  expect((await post()).status).toBe(200);
});

test('ING-6: the memory used for requests is limited', () => {
  const rate = makePerMinuteLimit(1, 10);
  for (let n = 0; n < 1_000; n += 1) expect(rate.ask(`key ${n}`, n)).toBeNull();
  expect(rate.size).toBe(10);
  expect(rate.ask('key 999', 1_000)).toBe(59_999);
});

const packed = (body: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(gzipSync(JSON.stringify(body)));

test('ING-7: a body may be compressed; one that is too large, compressed or not, is refused', async () => {
  const headers = { 'content-encoding': 'gzip' };
  expect(
    (await place.post('executions', null, { raw: packed(anExecution()), headers })).data,
  ).toMatchObject({ accepted: 1 });
  expect(
    (await place.post('executions', null, { raw: packed(' '.repeat(30_000_000)), headers })).status,
  ).toBe(413);
  expect((await place.post('executions', null, { raw: 'x'.repeat(1_100_000) })).status).toBe(413);
  expect((await place.post('executions', null, { raw: 'not gzip', headers })).status).toBe(400);
  expect(
    (await place.post('executions', null, { raw: '{}', headers: { 'content-encoding': 'br' } }))
      .status,
  ).toBe(400);
});

test('ING-6: a compressed body counts as a request for each MB of its content', async () => {
  const raw = new Uint8Array(gzipSync(`[${' '.repeat(4_000_000)}]`));
  const post = (secret?: string) =>
    place.post('executions', null, {
      raw,
      headers: { 'content-encoding': 'gzip' },
      ...(secret === undefined ? {} : { secret }),
    });
  for (let n = 0; n < 15; n += 1) expect((await post()).status).toBe(200);
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after'), refused.error?.kind]).toEqual([
    429,
    '60',
    'too-many',
  ]);
  const other = await place.keyFor('restic');
  expect((await post(other.secret)).status).toBe(200);
  place.ground.pass(60_000);
  expect((await post()).status).toBe(200);
});

test('ING-8: a tool posts its own output; the same output again is a duplicate', async () => {
  const { data } = await place.post(
    'restic?job=data&host=pc-1&exit=3&every=24h',
    fixture('restic-unreadable.txt'),
  );
  expect(data).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
  place.ground.pass(5_000);
  expect(
    (
      await place.post(
        'restic?job=data&host=pc-1&exit=3&every=24h',
        fixture('restic-unreadable.txt'),
      )
    ).data,
  ).toMatchObject({ accepted: 0, duplicates: 1 });
  expect(await place.all('run')).toMatchObject([
    {
      status: 'Warning',
      bytes: 52_117,
      filesFailed: 1,
      exitCode: 3,
      endedAt: NOON,
      uid: 'dd86edd3',
    },
  ]);
  expect(await place.all('job')).toMatchObject([
    {
      name: 'data',
      computer: 'pc-1',
      source: 'restic',
      schedule: { type: 'every', everySec: 86_400 },
    },
  ]);
  expect(await place.post('restic?job=data', '')).toMatchObject({
    status: 400,
    error: { kind: 'bad-input' },
  });
  expect(await place.post('restic?exit=900', fixture('restic-good.txt'))).toMatchObject({
    status: 400,
    error: { issues: [{ path: 'exit' }] },
  });
  const bacula = await place.post('bacula?tz=UTC', fixture('bacula.json'));
  expect(bacula.data).toMatchObject({ accepted: 5, rejected: [] });
});

const event = (more: object = {}): Record<string, unknown> => ({
  specversion: '1.0',
  id: 'e1',
  source: '/pc-1/own',
  type: 'io.daybook.backup.execution.finished.v1',
  subject: 'Files',
  time: iso(NOON - 60_000),
  datacontenttype: 'application/json',
  data: {
    status: 'Success',
    startTime: iso(NOON - HOUR),
    endTime: iso(NOON - 60_000),
    bytesTransferred: 5,
  },
  ...more,
});

test('ING-9: CloudEvents in their three modes are the same run; the same source and ID is a duplicate', async () => {
  const structured = { headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' } };
  expect((await place.post('events', event(), structured)).data).toEqual({
    accepted: 1,
    duplicates: 0,
    rejected: [],
  });
  expect((await place.post('events', event(), structured)).data).toMatchObject({ duplicates: 1 });
  const { data, specversion, id, source, type, subject } = event() as Record<string, string>;
  const binary = {
    headers: {
      'content-type': 'application/json',
      'ce-specversion': specversion ?? '',
      'ce-id': id ?? '',
      'ce-source': source ?? '',
      'ce-type': type ?? '',
      'ce-subject': subject ?? '',
    },
  };
  expect((await place.post('events', data, binary)).data).toMatchObject({ duplicates: 1 });
  const batch = await place.post(
    'events',
    [
      event({
        id: 'e2',
        type: 'io.daybook.backup.execution.started.v1',
        data: { startTime: iso(NOON - 30_000) },
      }),
      event(),
      event({ id: 'e3', specversion: '0.3' }),
      event({ id: 'e4', type: 'io.daybook.backup.restored.v1' }),
      event({ id: 'e5', source: '' }),
      1,
      event({
        id: 'e6',
        type: 'io.daybook.backup.repository.sampled.v1',
        subject: 'vault',
        data: { capacityBytes: 100, freeBytes: 40 },
      }),
      event({
        id: 'e7',
        subject: 'Nameless start',
        data: { status: 'Failed', message: 'no space' },
      }),
    ],
    { headers: { 'content-type': 'application/cloudevents-batch+json' } },
  );
  expect(batch.data).toMatchObject({ accepted: 3, duplicates: 1 });
  expect(batch.data.rejected.map(({ index }) => index)).toEqual([2, 3, 4, 5]);
  expect(await place.all('repository')).toMatchObject([
    { name: 'vault', capacityBytes: 100, freeBytes: 40 },
  ]);
  expect((await place.all('run')).map(({ status }) => status)).toEqual([
    'Success',
    'Failed',
    'Running',
  ]);
  expect((await place.all('job')).map(({ computer }) => computer)).toEqual(['pc-1', 'pc-1']);
});

test('ING-9: an event without a start is identified by its source and ID; the address may contain a key', async () => {
  const nameless = event({ id: 'z', data: { status: 'Failed', message: 'no space' } });
  const post = (path: string) =>
    place.app.request(`/api/v1/ingest/${path}?access_token=${place.secret}`, {
      method: 'POST',
      headers: { 'host': place.host, 'content-type': 'application/cloudevents+json' },
      body: JSON.stringify(nameless),
    });
  expect(await (await post('events')).json()).toMatchObject({ data: { accepted: 1 } });
  expect(await (await post('events')).json()).toMatchObject({ data: { duplicates: 1 } });
  // Only there: an address is written into logs on its way.
  expect((await post('executions')).status).toBe(401);
});

test('ING-9: the handshake of webhooks is answered', async () => {
  const answer = await place.app.request('/api/v1/ingest/events', {
    method: 'OPTIONS',
    headers: {
      'host': place.host,
      'webhook-request-origin': 'tool.example',
      'webhook-request-rate': '120',
    },
  });
  expect([
    answer.status,
    answer.headers.get('webhook-allowed-origin'),
    answer.headers.get('webhook-allowed-rate'),
  ]).toEqual([200, 'tool.example', '60']);
});

test('ING-10: repositories and computers are stored once per time', async () => {
  const sample = {
    name: 'vault',
    hostName: 'nas',
    capacityBytes: 1000,
    freeBytes: 10,
    at: iso(NOON - HOUR),
  };
  expect(
    (await place.post('repositories', [sample, sample, { ...sample, at: iso(NOON) }, { name: '' }]))
      .data,
  ).toEqual({
    accepted: 2,
    duplicates: 1,
    rejected: [{ index: 3, error: expect.stringContaining('name') as string }],
  });
  expect((await place.post('repositories', sample)).data).toMatchObject({ duplicates: 1 });
  expect(await place.all('repository')).toMatchObject([{ uid: 'vault@nas', sampledAt: NOON }]);
  const computer = { hostName: 'PC-1', os: 'Debian 12', ipAddresses: ['192.0.2.1'] };
  expect(
    (
      await place.post('computers', [
        computer,
        { hostName: 'pc-1', os: 'Debian 12', ipAddresses: ['192.0.2.1'] },
      ])
    ).data,
  ).toMatchObject({ accepted: 2 });
  place.ground.pass(2 * HOUR);
  expect((await place.post('computers', { ...computer, hostName: 'pc-1' })).data).toMatchObject({
    accepted: 1,
  });
  expect((await place.post('computers', { ...computer, hostName: 'pc-1' })).data).toMatchObject({
    duplicates: 1,
  });
  expect(await place.all('computer')).toMatchObject([
    { firstSeenAt: NOON, seenAt: NOON + 2 * HOUR },
  ]);
});

test('ING-2: secrets are masked, and words that only mention secrets stay', () => {
  for (const [text, masked] of [
    ['sftp://me:pa55@nas/x failed', 'sftp://me:***@nas/x failed'],
    ['rclone --sftp-pass hunter2 copy', 'rclone --sftp-pass *** copy'].map((one) =>
      one.replace('--sftp-pass', '--sftp-password'),
    ),
    ['RESTIC_PASSWORD=hunter2 restic', 'RESTIC_PASSWORD=*** restic'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: Bearer ***'],
    ['{"token":"abc"}', '{"token": ***}'],
    ['key dbk_0123456789abcdefghijklmnop', 'key dbk_***'],
    [
      'with dbu_0123456789abcdefghij and whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/a==',
      'with dbu_*** and whsec_***',
    ],
    ['wrong password or no key found', 'wrong password or no key found'],
    ['password: no such file', 'password: no such file'],
    ['invalid token: unexpected end', 'invalid token: unexpected end'],
    ['https://host/path?sig=a1b2&x=1', 'https://host/path?sig=***&x=1'],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl, and a word', 'jwt ***, and a word'],
    [
      'my-long-session.x-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0. or eyJa.b.c',
      'my-long-session.x-*** or eyJa.b.c',
    ],
  ] as const)
    expect(maskSecrets(text ?? '')).toBe(masked);
  const begin = process.cpuUsage();
  for (const hurt of [
    'a://b:',
    'password=',
    '--password ',
    '"token": ',
    'token: ',
    'bearer ',
    'eyJ',
    'eyJ-',
    '-eyJaaaaaaaaaa',
    'eyJaaaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    '@',
    'x'.repeat(50),
  ])
    maskSecrets(hurt.repeat(400_000 / hurt.length));
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(2_000);
});
