import { afterAll, beforeAll, expect, test } from 'vitest';
import { allHandlers } from '#server/handlers.ts';
import { listen } from '#server/platform/http/listen.ts';
import type { Listening } from '#server/platform/http/listen.ts';
import { openApi } from '#server/platform/http/openapi.ts';
import { makeCompany } from '#server/features/users/create-user.ts';
import { getApp, login, makeFixture, provider, user } from './fixtures.ts';

let server: Listening;
let base: string;
let token: string;
let admin: string;

beforeAll(async () => {
  const fixture = await makeFixture();
  const app = getApp(fixture.context, allHandlers(fixture.context));
  server = await listen(app, 0, '127.0.0.1');
  base = `http://127.0.0.1:${server.port}/api/v1`;
  const { tenant, host } = await provider(fixture, '127.0.0.1');
  await makeCompany(fixture.context, tenant, 'Calloway Freight');
  admin = await user(fixture, tenant, { roles: ['admin', 'operator'] });
  ({ token } = (await login(app, host)).body.data);
});
afterAll(() => server.stop(0));

interface Sent {
  readonly status: number;
  readonly issues: readonly { path: string; message: string }[] | undefined;
  readonly data: Record<string, unknown>;
}
async function send(method: string, path: string, body?: object): Promise<Sent> {
  const answer = await fetch(`${base}/${path}`, {
    method,
    headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = (await answer.json()) as {
    data: Record<string, unknown>;
    error?: { issues?: { path: string; message: string }[] };
  };
  return { status: answer.status, issues: text.error?.issues, data: text.data };
}

const OTHER = '00000000-0000-4000-8000-000000000000';
const SENTENCE = 'Must equal the value in the address, or be left out.';
const ALARM = {
  name: 'Nightly',
  enabled: true,
  job: null,
  group: { companyIds: [], source: [], type: [], entityGroup: [] },
  maxAgeHours: 26,
  minSuccessPct: null,
  windowDays: 7,
  recipients: [],
};

test('HTTP-24: a body may repeat the ID in the address as id or _id; another ID is refused at its field and changes nothing', async () => {
  const companies = (await send('GET', 'companies')).data as unknown as readonly { _id: string }[];
  const company = companies.map(({ _id: id }) => id)[0] ?? 'none';
  const alarm = String(
    (await send('POST', 'monitoring/reporting/save-sla-alarm', { alarm: ALARM })).data['_id'],
  );
  const calls = [
    ['PUT', `profile/${admin}`, admin, { name: 'Kate Two' }],
    ['PUT', `companies/${company}`, company, { name: 'Calloway Two' }],
    ['PUT', `monitoring/reporting/save-sla-alarm/${alarm}`, alarm, { alarm: ALARM }],
  ] as const;
  for (const [method, path, id, body] of calls) {
    for (const own of [{ id }, { _id: id }, { id, _id: id }]) {
      const { status, issues } = await send(method, path, { ...body, ...own });
      expect([path, Object.keys(own), status, issues]).toEqual([
        path,
        Object.keys(own),
        200,
        undefined,
      ]);
    }
    for (const [field, value] of [
      ['id', OTHER],
      ['_id', OTHER],
      ['_id', null],
      ['id', [id]],
      ['id', `${id} `],
    ] as const) {
      const { status, issues } = await send(method, path, { ...body, name: 'No', [field]: value });
      expect([path, field, status, issues]).toEqual([
        path,
        field,
        400,
        [{ path: field, message: SENTENCE }],
      ]);
    }
  }
  expect((await send('GET', `profile/${admin}`)).data['name']).toBe('Kate Two');
  expect((await send('GET', `companies/${company}`)).data['name']).toBe('Calloway Two');
});

test('HTTP-24: if the address has no ID, a body with one is refused as before', async () => {
  const { status, issues } = await send('POST', 'monitoring/reporting/save-sla-alarm', {
    alarm: ALARM,
    _id: OTHER,
  });
  expect([status, issues]).toEqual([400, [{ path: '_id', message: 'Unknown field.' }]]);
});

test('HTTP-24, HTTP-13: the OpenAPI description says that a body may repeat the ID', () => {
  const { description } = openApi()['info'] as { description: string };
  expect(description).toContain(
    'A body may repeat the ID in the path as `id` or `_id`, but a different ID is refused.',
  );
});
