import { expect, test } from 'vitest';
import { type Answer, aCloud } from './fixtures.ts';

async function aBatch() {
  const cloud = await aCloud({ roles: ['Mail.ReadWrite', 'User.Read.All', 'Files.Read.All'] });
  const user = cloud.tenant.admin.listUsers().find(({ mailbox }) => mailbox === 'user')?.id ?? '';
  const send = (requests: readonly object[]): Promise<Answer> =>
    cloud.call('/$batch', { method: 'POST', body: JSON.stringify({ requests }) });
  return { ...cloud, user, send };
}

interface Part {
  readonly id: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Answer['body'];
}
const get = (id: string, url: string, dependsOn: string[] = []) => ({
  id,
  method: 'GET',
  url,
  dependsOn,
});

const byId = ({ body }: Answer): Record<string, Part> =>
  Object.fromEntries(body.responses.map((part: Part) => [part.id, part]));

test('GRAPH-9: a batch answers each request as if it were alone', async () => {
  const { send, user, tenant, call } = await aBatch();
  const [row] = tenant.admin.listMessages(user, 'inbox');
  const mime = await call(`/users/${user}/messages/${row?.id}/$value`);
  const [file] = tenant.admin.listFiles(user);
  const answer = await send([
    { id: 'a', method: 'GET', url: `/users/${user}?$select=displayName` },
    { id: 'b', method: 'GET', url: `users/${user}/messages/${row?.id}/$value` },
    { id: 'c', method: 'GET', url: '/users/nobody' },
    { id: 'd', method: 'GET', url: '/organization' },
    { id: 'e', method: 'GET', url: `/users/${user}/drive/items/${file?.id}/content` },
    {
      id: 'f',
      method: 'POST',
      url: `/users/${user}/messages`,
      headers: { 'Content-Type': 'application/json' },
      body: { subject: 'in a batch' },
    },
    {
      id: 'g',
      method: 'POST',
      url: `/users/${user}/messages`,
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from(mime.body.toString('base64')).toString('base64'),
    },
  ]);
  expect(answer.status).toBe(200);
  const parts = byId(answer);
  expect(Object.fromEntries(Object.values(parts).map(({ id, status }) => [id, status]))).toEqual({
    a: 200,
    b: 200,
    c: 404,
    d: 200,
    e: 302,
    f: 201,
    g: 201,
  });
  expect(Buffer.from(parts['b']?.body, 'base64').equals(mime.body)).toBe(true);
  expect(parts['c']?.body.error.code).toBe('Request_ResourceNotFound');
  expect(parts['e']?.headers['location']).toContain('demo-my.sharepoint.com');
  expect(parts['f']?.body.subject).toBe('in a batch');
  expect(parts['g']?.body.subject).toBe(
    (await call(`/users/${user}/messages/${row?.id}`)).body.subject,
  );
});

test('GRAPH-9: what depends on a failed request of a batch fails, and a batch has its limits', async () => {
  const { send, user, tenant } = await aBatch();
  const parts = byId(
    await send([
      get('1', '/users/nobody'),
      get('2', `/users/${user}`, ['1']),
      get('3', `/users/${user}`),
    ]),
  );
  expect([parts['1']?.status, parts['2']?.status, parts['3']?.status]).toEqual([404, 424, 200]);
  const many = Array.from({ length: 21 }, (_, at) => get(String(at), `/users/${user}`));
  expect(await send(many)).toMatchObject({ status: 400 });
  expect(await send([get('1', '/users'), get('1', '/users')])).toMatchObject({ status: 400 });
  expect(await send([get('1', '/users', ['2'])])).toMatchObject({ status: 400 });
  tenant.admin.setFailurePlan([
    { path: /\/users\//, at: [2], failure: 'throttled', retryAfterSeconds: 7 },
  ]);
  const throttled = byId(await send([get('1', `/users/${user}`), get('2', `/users/${user}`)]));
  expect(throttled['1']?.status).toBe(200);
  expect(throttled['2']).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
});
