import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { makeAppContext } from '#server/make-app-context.ts';
import { checkMasterKey } from '#server/platform/crypto/check-master-key.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { rotateKeys } from '#server/platform/crypto/rotate-keys.ts';
import { backUp } from '#server/platform/db/backup-file.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { makeFixture, provider } from '../http/fixtures.ts';
import { eachDatabase, freshStore } from '../db/databases.ts';

const folder = mkdtempSync(join(tmpdir(), 'daybook-key-check-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const [FIRST = '', SECOND = ''] = [1, 2].map((n) => Buffer.alloc(32, n).toString('base64url'));
const REFUSED =
  /This server's secret key doesn't protect this database\..*Copy secret\.key .*or set DAYBOOK_SECRET_KEY/;

const settings = (context: AppContext) =>
  context.store.system((sql) => sql.selectFrom('server_setting').selectAll().execute());

eachDatabase((kind) => {
  const begin = async () => {
    const fixture = await makeFixture({ secretKey: FIRST }, await freshStore(kind));
    const { context } = fixture;
    return {
      ground: fixture,
      context,
      by: (secretKey: string): AppContext =>
        makeAppContext({ ...context, config: { ...context.config, secretKey } }),
    };
  };

  test('START-5: a server with another secret key than its database refuses to start and says what to do; a rotated key works', async () => {
    const { context, by } = await begin();
    await checkMasterKey(context);
    await checkMasterKey(by(FIRST));
    await expect(checkMasterKey(by(SECOND))).rejects.toThrow(REFUSED);
    expect((await rotateKeys(by(`${SECOND},${FIRST}`), false)).ok).toBe(true);
    await checkMasterKey(by(`${SECOND},${FIRST}`));
    await checkMasterKey(by(SECOND));
    await expect(checkMasterKey(by(FIRST))).rejects.toThrow(REFUSED);
    expect(JSON.stringify(await settings(context))).not.toContain(FIRST);
  });

  test('START-5: a database from before key IDs were recorded is recognized by its encrypted values', async () => {
    const { ground: fixture, context, by } = await begin();
    const { tenant } = await provider(fixture);
    await context.store.tenant(tenant, (tx) => storeSecret(tx, context, 'mail', 'one'));
    await expect(checkMasterKey(by(SECOND))).rejects.toThrow(REFUSED);
    await checkMasterKey(by(FIRST));
    await expect(checkMasterKey(by(SECOND))).rejects.toThrow(REFUSED);
  });

  test('G51: the key of tokens and codes is never in the database or a backup in plain text; one stored so by an earlier version is encrypted and stays the same', async () => {
    const { context, by } = await begin();
    const old = Buffer.alloc(32, 9).toString('base64url');
    await context.store.system((sql) =>
      sql.insertInto('server_setting').values({ name: 'session-key', value: old }).execute(),
    );
    const key = await context.sessionKey();
    expect(key.toString('base64url')).toBe(old);
    const file = join(folder, `${kind}.gz`);
    await backUp(context.store as Parameters<typeof backUp>[0], file, 0);
    for (const text of [
      JSON.stringify(await settings(context)),
      gunzipSync(readFileSync(file)).toString('utf8'),
    ]) {
      expect(text).toContain('session-key');
      for (const spelled of [old, key.toString('hex'), key.toString('base64').slice(0, -2)])
        expect(text).not.toContain(spelled);
    }
    expect((await by(FIRST).sessionKey()).equals(key)).toBe(true);
    await rotateKeys(by(`${SECOND},${FIRST}`), false);
    expect((await by(SECOND).sessionKey()).equals(key)).toBe(true);
    await expect(by(FIRST).sessionKey()).rejects.toThrow('A key of the server is missing');
  });
});
