import { expect, test } from 'vitest';
import { checkEntity } from '../../fakes/graph-schema.ts';
import { type Answer, aCloud } from './fixtures.ts';

async function aDrive(roles = ['Files.ReadWrite.All', 'User.Read.All']) {
  const cloud = await aCloud({ roles });
  const user = cloud.tenant.admin.listUsers().find(({ hasDrive }) => hasDrive)?.id ?? '';
  const { body: drive } = await cloud.call(`/users/${user}/drive`);
  const send = (
    method: string,
    path: string,
    body?: BodyInit | object,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    cloud.call(`/drives/${drive.id}/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: isBytes(body) ? body : JSON.stringify(body) }),
    });
  const download = async (id: string): Promise<Buffer> => {
    const { headers } = await cloud.call(`/drives/${drive.id}/items/${id}/content`);
    const response = await cloud.tenant.fetch(new Request(headers.get('location') ?? ''));
    return Buffer.from(await response.arrayBuffer());
  };
  return { ...cloud, user, drive, send, download };
}

const isBytes = (body: BodyInit | object): body is BodyInit =>
  body instanceof Uint8Array || typeof body === 'string';
const getBytes = (size: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: size }, (_, at) => (at * 31 + (at >> 8)) & 255);

test('GRAPH-8: small content is created and replaced, with a version each time', async () => {
  const { send, download, all, drive } = await aDrive();
  const created = await send('PUT', 'root:/New%20file.txt:/content', 'one');
  expect(created).toMatchObject({ status: 201, body: { name: 'New file.txt', size: 3 } });
  expect(checkEntity('driveItem', created.body)).toEqual([]);
  const replaced = await send('PUT', `items/${created.body.id}/content`, 'two!');
  expect(replaced).toMatchObject({ status: 200, body: { id: created.body.id, size: 4 } });
  expect((await download(created.body.id)).toString()).toBe('two!');
  expect(
    await all('driveItemVersion', `/drives/${drive.id}/items/${created.body.id}/versions`),
  ).toHaveLength(2);
  expect(
    await send('PUT', 'root:/New%20file.txt:/content?@microsoft.graph.conflictBehavior=fail', 'x'),
  ).toMatchObject({
    status: 409,
    body: { error: { code: 'nameAlreadyExists' } },
  });
  expect(
    await send(
      'PUT',
      'root:/New%20file.txt:/content?@microsoft.graph.conflictBehavior=rename',
      'x',
    ),
  ).toMatchObject({
    status: 201,
    body: { name: 'New file 1.txt' },
  });
  expect(
    await send('PUT', `items/${created.body.id}/content`, 'late', {
      'if-match': created.body.eTag,
    }),
  ).toMatchObject({ status: 412 });
  expect(await send('POST', `items/${created.body.id}/versions/1.0/restoreVersion`)).toMatchObject({
    status: 204,
  });
  expect((await download(created.body.id)).toString()).toBe('one');
});

test('GRAPH-8: folders, names, dates and places change; a deleted folder takes its content along', async () => {
  const { send, page, drive } = await aDrive();
  const { body: start } = await page('driveItem', `/drives/${drive.id}/root/delta?token=latest`);
  const folder = await send('POST', 'root/children', { name: 'Restored', folder: {} });
  expect(folder.status).toBe(201);
  expect(await send('POST', 'root/children', { name: 'restored', folder: {} })).toMatchObject({
    status: 409,
  });
  expect(
    await send('POST', 'root/children', {
      'name': 'Restored',
      'folder': {},
      '@microsoft.graph.conflictBehavior': 'rename',
    }),
  ).toMatchObject({ status: 201, body: { name: 'Restored 1' } });
  expect(await send('POST', 'root/children', { name: 'a:b', folder: {} })).toMatchObject({
    status: 400,
  });
  const file = await send('PUT', `items/${folder.body.id}:/a.txt:/content`, 'a');
  const dates = {
    createdDateTime: '2024-01-02T03:04:05Z',
    lastModifiedDateTime: '2024-02-03T04:05:06Z',
  };
  const patched = await send('PATCH', `items/${file.body.id}`, {
    name: 'b.txt',
    fileSystemInfo: dates,
  });
  expect(patched).toMatchObject({ status: 200, body: { name: 'b.txt', fileSystemInfo: dates } });
  const inner = await send('POST', `items/${folder.body.id}/children`, {
    name: 'Inner',
    folder: {},
  });
  expect(
    await send('PATCH', `items/${file.body.id}`, { parentReference: { id: inner.body.id } }),
  ).toMatchObject({
    body: { parentReference: { id: inner.body.id } },
  });
  expect(
    await send('PATCH', `items/${folder.body.id}`, { parentReference: { id: inner.body.id } }),
  ).toMatchObject({ status: 400 });
  expect(await send('DELETE', `items/${folder.body.id}`)).toMatchObject({ status: 204 });
  for (const { body } of [folder, inner, file])
    expect(await send('GET', `items/${body.id}`)).toMatchObject({ status: 404 });
  const { body } = await page('driveItem', start['@odata.deltaLink'], {
    deltaexcludeparent: 'true',
  });
  const deleted = body.value.filter((item: Record<string, unknown>) => item['deleted']);
  expect(new Set(deleted.map(({ id }: { id: string }) => id))).toEqual(
    new Set([folder.body.id, inner.body.id, file.body.id]),
  );
});

test('GRAPH-8: a file is uploaded in parts, resumed where it stopped', async () => {
  const { send, download, tenant, clock } = await aDrive();
  const bytes = getBytes(3 * 327_680 + 777);
  const { status, body } = await send('POST', 'root:/Large.bin:/createUploadSession', {
    item: {
      '@microsoft.graph.conflictBehavior': 'fail',
      'fileSystemInfo': { lastModifiedDateTime: '2024-02-03T04:05:06Z' },
    },
  });
  expect(status).toBe(200);
  expect(checkEntity('uploadSession', body)).toEqual([]);
  expect(new URL(body.uploadUrl).hostname).toBe('demo-my.sharepoint.com');
  const put = async (from: number, to: number, headers: Record<string, string> = {}) => {
    const response = await tenant.fetch(
      new Request(body.uploadUrl, {
        method: 'PUT',
        headers: { 'content-range': `bytes ${from}-${to - 1}/${bytes.length}`, ...headers },
        body: bytes.slice(from, to),
      }),
    );
    return { status: response.status, body: await response.json() };
  };
  expect(await put(0, 327_680, { authorization: 'Bearer x' })).toMatchObject({ status: 401 });
  expect(await put(0, 327_680)).toMatchObject({
    status: 202,
    body: { nextExpectedRanges: ['327680-'] },
  });
  expect(await put(0, 327_680)).toMatchObject({ status: 416 });
  expect(await put(655_360, 983_040)).toMatchObject({ status: 416 });
  expect(await put(327_680, 327_680 + 1000)).toMatchObject({ status: 400 });
  const request = await tenant.fetch(new Request(body.uploadUrl));
  expect(await request.json()).toMatchObject({ nextExpectedRanges: ['327680-'] });
  expect(await put(327_680, 983_040)).toMatchObject({ status: 202 });
  const done = await put(983_040, bytes.length);
  expect(done).toMatchObject({
    status: 201,
    body: {
      name: 'Large.bin',
      size: bytes.length,
      fileSystemInfo: { lastModifiedDateTime: '2024-02-03T04:05:06Z' },
    },
  });
  expect((await download(done.body.id)).equals(Buffer.from(bytes))).toBe(true);
  expect((await tenant.fetch(new Request(body.uploadUrl))).status).toBe(404);
  expect(await send('POST', 'root:/Large.bin:/createUploadSession', {})).toMatchObject({
    status: 200,
  });
  const other = await send('POST', 'root:/Other.bin:/createUploadSession', {});
  clock.now += 7 * 3_600_000;
  expect((await tenant.fetch(new Request(other.body.uploadUrl))).status).toBe(404);
});

test('GRAPH-8: a name that was taken during an upload is a conflict at its end', async () => {
  const { send, tenant } = await aDrive();
  const { body } = await send('POST', 'root:/Race.txt:/createUploadSession', {});
  await send('PUT', 'root:/Race.txt:/content', 'first');
  const put = () =>
    tenant.fetch(
      new Request(body.uploadUrl, {
        method: 'PUT',
        headers: { 'content-range': 'bytes 0-2/3' },
        body: 'abc',
      }),
    );
  expect((await put()).status).toBe(409);
  expect((await tenant.fetch(new Request(body.uploadUrl, { method: 'DELETE' }))).status).toBe(204);
  expect((await put()).status).toBe(404);
});

test('GRAPH-8: people and links get access, and lose it', async () => {
  const { send, all, drive, tenant } = await aDrive();
  const { body: file } = await send('PUT', 'root:/Shared.txt:/content', 'x');
  const other = tenant.admin.listUsers().find(({ mail }) => mail !== null);
  const invited = await send('POST', `items/${file.id}/invite`, {
    recipients: [{ email: other?.mail }],
    roles: ['write'],
  });
  expect(invited.body.value).toMatchObject([
    { roles: ['write'], grantedToV2: { user: { id: other?.id } } },
  ]);
  const link = await send('POST', `items/${file.id}/createLink`, { type: 'view' });
  expect(link).toMatchObject({ status: 201, body: { roles: ['read'], link: { type: 'view' } } });
  const path = `/drives/${drive.id}/items/${file.id}/permissions`;
  expect(await all('permission', path)).toHaveLength(3);
  expect(await send('DELETE', `items/${file.id}/permissions/${link.body.id}`)).toMatchObject({
    status: 204,
  });
  expect(await all('permission', path)).toHaveLength(2);
});

test('GRAPH-8: an application that may only read writes nothing', async () => {
  const { send, tenant, user } = await aDrive(['Files.Read.All', 'User.Read.All']);
  const before = tenant.admin.listFiles(user);
  for (const [method, path] of [
    ['PUT', 'root:/x.txt:/content'],
    ['POST', 'root/children'],
    ['PATCH', `items/${before[0]?.id}`],
    ['DELETE', `items/${before[0]?.id}`],
    ['POST', 'root:/x.txt:/createUploadSession'],
  ] as const)
    expect(await send(method, path, { name: 'x', folder: {} })).toMatchObject({
      status: 403,
      body: { error: { code: 'accessDenied' } },
    });
  expect(tenant.admin.listFiles(user)).toEqual(before);
});
