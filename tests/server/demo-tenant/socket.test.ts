import { expect, test } from 'vitest';
import { serveTenant } from '../../fakes/tenant-server.ts';
import { NOON } from './fixtures.ts';

test('GRAPH-2, GRAPH-6: the tenant is the same over a socket, with links that lead there', async () => {
  const { tenant, origin } = await serveTenant({
    file: null,
    seed: 7,
    now: () => NOON,
    size: { people: 6, minMails: 5, maxMails: 8, minFiles: 3, maxFiles: 4, maxFileBytes: 50_000 },
  });
  const { appId, secret } = tenant.admin.registerApplication('Backup', [
    'User.Read.All',
    'Files.ReadWrite.All',
  ]);
  const signIn = await fetch(
    `${origin('login.microsoftonline.com')}/${tenant.id}/oauth2/v2.0/token`,
    {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: appId,
        client_secret: secret,
        scope: 'https://graph.microsoft.com/.default',
      }),
    },
  );
  const { access_token: token } = await signIn.json();
  const graph = async (path: string, init: RequestInit = {}) => {
    const url = path.startsWith('http') ? path : `${origin('graph.microsoft.com')}/v1.0${path}`;
    const response = await fetch(url, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });
    return response.json();
  };
  const first = await graph('/users?$top=4');
  expect(first['@odata.nextLink']).toMatch(
    /^http:\/\/127\.0\.0\.1:\d+\/graph\.microsoft\.com\/v1\.0\/users\?/,
  );
  const second = await graph(first['@odata.nextLink']);
  expect([...first.value, ...second.value]).toHaveLength(6);
  const user = tenant.admin.listUsers().find(({ hasDrive }) => hasDrive)?.id ?? '';
  const { value: items } = await graph(`/users/${user}/drive/root/delta`);
  const file = items.find(({ file }: { file?: object }) => file);
  const url: string = file['@microsoft.graph.downloadUrl'];
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(whole).toHaveLength(file.size);
  const part = await fetch(url, { headers: { range: 'bytes=10-99' } });
  expect(part.status).toBe(206);
  expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(10, 100))).toBe(true);
  const session = await graph(`/users/${user}/drive/root:/a.bin:/createUploadSession`, {
    method: 'POST',
    body: '{}',
  });
  const uploaded = await fetch(session.uploadUrl, {
    method: 'PUT',
    headers: { 'content-range': 'bytes 0-2/3' },
    body: 'abc',
  });
  expect(uploaded.status).toBe(201);
});
