import { expect, test } from 'vitest';
import { quickXorHash } from '#server/demo/tenant/quick-xor-hash.ts';
import { type Answer, type Cloud, aCloud } from './fixtures.ts';

const getOwner = ({ tenant }: Cloud): string =>
  tenant.admin.listUsers().find(({ hasDrive }) => hasDrive)?.id ?? '';

async function aDrive() {
  const cloud = await aCloud();
  const user = getOwner(cloud);
  const drive = await cloud.one('drive', `/users/${user}/drive`);
  const items: Answer['body'][] = [];
  const walk = async (path: string): Promise<void> => {
    for (const item of await cloud.all(
      'driveItem',
      `/drives/${drive.id}/${path}/children?$top=3`,
    )) {
      items.push(item);
      if (item.folder) await walk(`items/${item.id}`);
    }
  };
  await walk('root');
  return { cloud, user, drive, items, files: items.filter(({ file }) => file) };
}

// Published with the description of the algorithm, and by independent implementations of it.
const hash = (bytes: string): string => quickXorHash(Buffer.from(bytes, 'base64'));

test('GRAPH-6: the hash of files is QuickXorHash', () => {
  expect(hash('')).toBe('AAAAAAAAAAAAAAAAAAAAAAAAAAA=');
  expect(hash('Sg==')).toBe('SgAAAAAAAAAAAAAAAQAAAAAAAAA=');
  expect(hash('tbQ=')).toBe('taAFAAAAAAAAAAAAAgAAAAAAAAA=');
  expect(hash('0pZP')).toBe('0rDEEwAAAAAAAAAAAwAAAAAAAAA=');
});

/** The published description bit by bit: slow, and written apart from the code. */
function slowHash(bytes: Uint8Array): string {
  let circle = 0n;
  const all = (1n << 160n) - 1n;
  for (const [at, byte] of bytes.entries()) {
    const shift = BigInt((at * 11) % 160);
    const value = BigInt(byte);
    circle ^= ((value << shift) | (value >> (160n - shift))) & all;
  }
  circle ^= BigInt(bytes.length) << 96n;
  const result = Buffer.alloc(20);
  for (let at = 0; at < 20; at += 1) result[at] = Number((circle >> BigInt(at * 8)) & 255n);
  return result.toString('base64');
}

test('GRAPH-6: files have the size and hash of their bytes, in parts too', async () => {
  const { cloud, drive, files } = await aDrive();
  expect(files.length).toBeGreaterThan(9);
  for (const file of files) {
    const redirect = await cloud.call(`/drives/${drive.id}/items/${file['id']}/content`);
    expect(redirect.status).toBe(302);
    const url = redirect.headers.get('location') ?? '';
    expect(new URL(url).hostname).toBe('demo-my.sharepoint.com');
    const whole = await cloud.tenant.fetch(new Request(url));
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes).toHaveLength(file['size']);
    expect(slowHash(bytes)).toBe(file['file'].hashes.quickXorHash);
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=100-4999', 100, 5000],
      [`bytes=${bytes.length - 1}-`, bytes.length - 1, bytes.length],
      ['bytes=-500', Math.max(0, bytes.length - 500), bytes.length],
    ] as const) {
      const part = await cloud.tenant.fetch(new Request(url, { headers: { range } }));
      const end = Math.min(to, bytes.length);
      if (from >= bytes.length) {
        expect(part.status).toBe(416);
        continue;
      }
      expect(part.status).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${end - 1}/${bytes.length}`);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, end))).toBe(true);
    }
    const beyond = await cloud.tenant.fetch(
      new Request(url, { headers: { range: `bytes=${bytes.length}-` } }),
    );
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
      416,
      `bytes */${bytes.length}`,
    ]);
  }
});

test('GRAPH-6: a download address works for minutes and can’t be forged', async () => {
  const { cloud, drive, files } = await aDrive();
  const item = await cloud.one('driveItem', `/drives/${drive.id}/items/${files[0]?.['id']}`);
  const url: string = item['@microsoft.graph.downloadUrl'];
  expect((await cloud.tenant.fetch(new Request(url))).status).toBe(200);
  const forged = url.replace(/tempauth=v1\.[^.]{4}/, 'tempauth=v1.AAAA');
  expect((await cloud.tenant.fetch(new Request(forged))).status).toBe(401);
  cloud.clock.now += 3_600_000;
  expect((await cloud.tenant.fetch(new Request(url))).status).toBe(401);
});

test('GRAPH-6: former versions keep their bytes, the current one is read as content', async () => {
  const { cloud, user, drive, files } = await aDrive();
  const id: string = files[0]?.['id'];
  const bytesAt = async (path: string): Promise<Buffer> => {
    const { headers } = await cloud.call(path);
    const response = await cloud.tenant.fetch(new Request(headers.get('location') ?? ''));
    return Buffer.from(await response.arrayBuffer());
  };
  const base = `/drives/${drive.id}/items/${id}`;
  const before = await bytesAt(`${base}/content`);
  const count = (await cloud.all('driveItemVersion', `${base}/versions`)).length;
  cloud.clock.now += 60_000;
  cloud.tenant.admin.changeFile(user, id, Buffer.from('new content'));
  const versions = await cloud.all('driveItemVersion', `${base}/versions`);
  expect(versions).toHaveLength(count + 1);
  expect(versions[0]).toMatchObject({ id: `${count + 1}.0`, size: 11 });
  expect((await bytesAt(`${base}/content`)).toString()).toBe('new content');
  expect((await bytesAt(`${base}/versions/${versions[1].id}/content`)).equals(before)).toBe(true);
  expect(await cloud.call(`${base}/versions/${versions[0].id}/content`)).toMatchObject({
    status: 400,
  });
});

test('GRAPH-6: an item is found by id, by path and by its owner', async () => {
  const { cloud, user, drive, items, files } = await aDrive();
  const nested = files.find(({ parentReference }) => /root:\/./.test(parentReference.path));
  const folder = items.find(({ id }) => id === nested?.['parentReference'].id);
  const path = `${nested?.['parentReference'].path.split('root:')[1]}/${nested?.['name']}`;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  for (const address of [
    `/drives/${drive.id}/root:${encoded}`,
    `/users/${user}/drive/items/${nested?.['id']}`,
    `/drives/${drive.id}/items/${folder?.['id']}:/${encodeURIComponent(nested?.['name'])}`,
  ])
    expect((await cloud.one('driveItem', address)).id).toBe(nested?.['id']);
  expect(await cloud.call(`/drives/${drive.id}/root:/no/where`)).toMatchObject({
    status: 404,
    body: { error: { code: 'itemNotFound' } },
  });
  const root = await cloud.one('driveItem', `/drives/${drive.id}/root`);
  expect(root).toMatchObject({ name: 'root', root: {}, folder: {} });
  expect(root.size).toBe(files.reduce((sum, { size }) => sum + size, 0));
  const etag = nested?.['eTag'];
  expect(
    await cloud.call(`/drives/${drive.id}/items/${nested?.['id']}`, {
      headers: { 'if-none-match': etag },
    }),
  ).toMatchObject({ status: 304 });
  const permissions = await cloud.all(
    'permission',
    `/drives/${drive.id}/items/${nested?.['id']}/permissions`,
  );
  expect(permissions[0]).toMatchObject({ roles: ['owner'], inheritedFrom: { id: root.id } });
});

test('GRAPH-6: a user without a drive has none', async () => {
  const cloud = await aCloud();
  const without = cloud.tenant.admin.listUsers().filter(({ hasDrive }) => !hasDrive);
  expect(without.length).toBeGreaterThan(0);
  for (const { id } of without)
    expect(await cloud.call(`/users/${id}/drive`)).toMatchObject({
      status: 404,
      body: { error: { code: 'ResourceNotFound' } },
    });
});
