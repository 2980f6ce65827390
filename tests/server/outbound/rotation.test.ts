import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeAppContext } from '#server/make-app-context.ts';
import { storeSecret, readSecret } from '#server/platform/outbound/secret.ts';
import { rotateKeys } from '#server/platform/crypto/rotate-keys.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { makeFixture, provider } from '../http/fixtures.ts';
import { eachDatabase, freshStore } from '../db/databases.ts';

const dirs: string[] = [];
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-keys-'));
  dirs.push(dir);
  return dir;
};
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});
const KEYS = [1, 2, 3].map((n) => Buffer.alloc(32, n).toString('base64url'));
const [FIRST = '', SECOND = '', THIRD = ''] = KEYS;

const loadKey = (context: AppContext, tenant: string) =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .selectFrom('secret')
      .select('sealed')
      .where('tenant_id', '=', tenant)
      .where('name', '=', 'tenant-key')
      .executeTakeFirst(),
  );
const read = (context: AppContext, tenant: string): Promise<string | null> =>
  context.store.tenant(tenant, (tx) => readSecret(tx, context, 'mail'));

eachDatabase((_name, open) => {
  test("G51: the server's key is rotated while secrets are read and set: none fails, and all are under the new one", async () => {
    const dataDir = folder();
    const fixture = await makeFixture({ dataDir }, await open());
    const { context } = fixture;
    const tenants = await Promise.all(
      Array.from({ length: 8 }, async () => (await provider(fixture)).tenant),
    );
    for (const tenant of tenants)
      await context.store.tenant(tenant, (tx) => storeSecret(tx, context, 'mail', `of ${tenant}`));
    const before = await Promise.all(tenants.map((tenant) => loadKey(context, tenant)));
    // A server that runs on the same data, and knows the former key only.
    const running: AppContext = makeAppContext(context);
    expect(await read(running, tenants[0] ?? '')).toBe(`of ${tenants[0]}`);
    const state = { reads: 0, over: false };
    const load = (async () => {
      for (let n = 0; !state.over || n < 40; n += 1) {
        const tenant = tenants[n % tenants.length] ?? '';
        expect(await read(running, tenant)).toBe(`of ${tenant}`);
        await running.store.tenant(tenant, (tx) =>
          storeSecret(tx, running, 'sms', 'set meanwhile'),
        );
        state.reads += 1;
      }
    })();
    const done = await rotateKeys(makeAppContext(context), false);
    state.over = true;
    await load;
    expect([done.ok, state.reads >= 40]).toEqual([true, true]);
    const after = await Promise.all(tenants.map((tenant) => loadKey(context, tenant)));
    expect(after.every((row, n) => row?.sealed !== before[n]?.sealed)).toBe(true);
    expect(new Set(after.map((row) => row?.sealed.split(':')[1])).size).toBe(1);
    // What was made under the former key by a server that had not heard of it is taken along before
    // that key goes.
    const late = (await provider(fixture)).tenant;
    const unaware: AppContext = makeAppContext({
      ...context,
      config: {
        ...context.config,
        secretKey: readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().split('\n')[1] ?? '',
      },
    });
    await context.store.tenant(late, (tx) => storeSecret(tx, unaware, 'mail', `of ${late}`));
    expect((await rotateKeys(makeAppContext(context), true)).ok).toBe(true);
    expect(readFileSync(join(dataDir, 'secret.key'), 'utf8')).toMatch(/^[\w-]{43}\n$/);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    const fresh: AppContext = makeAppContext(context);
    for (const tenant of [...tenants, late]) expect(await read(fresh, tenant)).toBe(`of ${tenant}`);
    await expect(read(unaware, tenants[0] ?? '')).rejects.toThrow('A key of the server is missing');
  });

  test('G51: keys of the settings are rotated by putting the new one first; without one nothing happens, without the former nothing opens', async () => {
    const fixture = await makeFixture({ secretKey: FIRST }, await open());
    const { context } = fixture;
    const { tenant } = await provider(fixture);
    const by = (secretKey: string): AppContext =>
      makeAppContext({
        ...context,
        config: { ...context.config, secretKey },
      });
    await context.store.tenant(tenant, (tx) => storeSecret(tx, context, 'mail', 'one'));
    expect(await rotateKeys(by(FIRST), false)).toMatchObject({
      ok: false,
      message: expect.stringContaining('DAYBOOK_SECRET_KEY') as unknown,
    });
    await expect(read(by(SECOND), tenant)).rejects.toThrow('A key of the server is missing');
    expect(await read(by(`${SECOND},${FIRST}`), tenant)).toBe('one');
  });
});

test('G51: a chain of keys of the settings: each rotation releases the one before it', async () => {
  const fixture = await makeFixture({ secretKey: FIRST }, await freshStore('pglite'));
  const { context } = fixture;
  const { tenant } = await provider(fixture);
  const by = (secretKey: string): AppContext =>
    makeAppContext({
      ...context,
      config: { ...context.config, secretKey },
    });
  await context.store.tenant(tenant, (tx) => storeSecret(tx, context, 'mail', 'one'));
  expect(await rotateKeys(by(`${SECOND},${FIRST}`), false)).toMatchObject({
    ok: true,
    message: expect.stringContaining('1 of 1') as unknown,
  });
  expect(await read(by(SECOND), tenant)).toBe('one');
  expect((await rotateKeys(by(`${THIRD},${SECOND}`), false)).ok).toBe(true);
  expect(await read(by(THIRD), tenant)).toBe('one');
  await expect(read(by(`${FIRST},${SECOND}`), tenant)).rejects.toThrow(
    'A key of the server is missing',
  );
});
