import { expect, test } from 'vitest';
import { ok } from '#contract/result.ts';
import { makeWire } from '#workers/sync/wire.ts';

const clock = { now: () => 0, after: () => () => {} };
const wireThat = (answers: (request: Request) => Response) =>
  makeWire({
    fetch: async (input, init) => answers(new Request(input, init)),
    origin: 'https://portal.test',
    clock,
    tokens: { get: () => Promise.resolve(ok('token')) },
  });

test('SYNC-8: a file of the server is saved under its name, requested with the token and all parameters', async () => {
  let query: Request | null = null;
  const wire = wireThat((request) => {
    query = request.clone();
    return new Response('a,b\r\n', {
      headers: {
        'content-type': 'text/csv',
        'content-disposition': 'attachment; filename="Users_2026-11-20_074609.csv"',
      },
    });
  });
  const answer = await wire.file('exportUsers', { search: 'dana' });
  if (!answer.ok) throw new Error(answer.failure.message);
  expect(answer.value.name).toBe('Users_2026-11-20_074609.csv');
  expect(await answer.value.file.text()).toBe('a,b\r\n');
  const request = query as unknown as Request;
  expect([
    request.method,
    request.url,
    request.headers.get('authorization'),
    await request.json(),
  ]).toEqual([
    'POST',
    'https://portal.test/api/v1/monitoring/reporting/users/export',
    'Bearer token',
    { search: 'dana' },
  ]);
});

test.each([
  [
    'a page of a proxy',
    new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }),
    'no-answer',
  ],
  ['a gateway that is away', new Response('<h1>Bad gateway</h1>', { status: 502 }), 'busy'],
  [
    'a refusal of ours',
    Response.json(
      { success: false, message: 'No.', error: { kind: 'forbidden' } },
      { status: 403 },
    ),
    'forbidden',
  ],
  [
    'a name that leads elsewhere',
    new Response('x', { headers: { 'content-disposition': 'attachment; filename="../../x.csv"' } }),
    'no-answer',
  ],
])('SYNC-8: %s is no file', async (_what, response, kind) => {
  const answer = await wireThat(() => response).file('exportUserLogs', {});
  expect(answer.ok ? 'a file' : answer.failure.kind).toBe(kind);
});
