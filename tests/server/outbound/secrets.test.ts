import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { SECRET_NAMES } from '#contract/branding/settings.ts';
import { makeAppContext } from '#server/make-app-context.ts';
import { settingsHandlers } from '#server/features/branding/settings.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { storeSecret, readSecret } from '#server/platform/outbound/secret.ts';
import { backUp } from '#server/platform/db/backup-file.ts';
import { dump } from '#server/platform/db/dump.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import { accounts, getApp, ask, login, makeFixture, provider, user } from '../http/fixtures.ts';
import { eachDatabase, freshStore } from '../db/databases.ts';
import { HERE, outside } from './outside.ts';
import { mailTicks } from '../jobs/ticks.ts';

const dir = mkdtempSync(join(tmpdir(), 'daybook-secrets-'));
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});
/** Another sign of the alphabet in this place. */
const flipped = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
let count = 0;
const planted: string[] = [];
const plant = (): string => {
  count += 1;
  const secret = `planted-${count}-secret`;
  planted.push(secret);
  return secret;
};

eachDatabase((name, open) => {
  test('G51: of 30 planted secrets none is in a dump of the database, in a backup or in the log', async () => {
    const store = await open();
    const fixture = await makeFixture(HERE, store);
    const { context } = fixture;
    const app = getApp(context, { ...accounts(context), ...settingsHandlers(context) });
    const broken = await outside(() => ({ status: 500, body: 'planted' }));
    for (let round = 0; round < 2; round += 1) {
      const { tenant, host } = await provider(fixture);
      await user(fixture, tenant, { roles: ['super-admin'] });
      const { token } = (await login(app, host)).body.data;
      for (const secret of SECRET_NAMES) {
        const path = `/api/v1/service-providers/${tenant}/secrets/${secret}`;
        expect(
          (await ask(app, path, { method: 'PUT', host, token, body: { value: plant() } })).status,
        ).toBe(200);
      }
      await ask(app, `/api/v1/service-providers/${tenant}/settings`, {
        method: 'PUT',
        host,
        token,
        body: {
          sms: { url: broken.url, account: 'AC1', from: '+15550100100' },
          mail: {
            host: '127.0.0.1',
            port: 1,
            security: 'none',
            username: 'u',
            from: 'a@example.com',
            fromName: null,
          },
          oidc: { issuer: broken.url, clientId: 'c', label: 'l' },
          directory: {
            url: 'ldaps://127.0.0.1:1',
            baseDn: 'DC=x',
            domain: 'x',
            serviceDn: 'CN=s',
            ca: null,
          },
        },
      });
      for (const secret of ['sms', 'mail', 'oidc', 'directory'])
        await ask(app, `/api/v1/service-providers/${tenant}/secrets/${secret}`, {
          method: 'PUT',
          host,
          token,
          body: { value: plant() },
        });
      for (const what of ['sms', 'mail', 'oidc', 'directory'])
        await ask(app, `/api/v1/service-providers/${tenant}/test/${what}`, {
          method: 'POST',
          host,
          token,
          body: {},
        });
      await context.store.tenant(tenant, async (tx) => {
        await post(tx, context, {
          kind: 'mail',
          to: `${plant()}@example.com`,
          subject: plant(),
          text: plant(),
          html: plant(),
        });
        await post(tx, context, { kind: 'sms', to: '+15550100200', text: plant() });
      });
      const sender = mailTicks(context);
      await sender.tick();
      await sender.stop();
      const events = await context.store.tenant(tenant, (tx) => tx.eventsAfter(0, 1_000));
      expect(JSON.stringify(events)).not.toContain('planted');
    }
    expect(planted.length).toBeGreaterThanOrEqual(30);
    const lines: string[] = [];
    // What a backup leaves out stands in the database all the same.
    for (const tenant of await store.tenants())
      lines.push(
        JSON.stringify(
          await store.tenant(tenant, ({ sql }) =>
            sql.selectFrom('outgoing').selectAll().where('tenant_id', '=', tenant).execute(),
          ),
        ),
      );
    await dump(store, 0, (line) => {
      lines.push(JSON.stringify(line));
      return Promise.resolve();
    });
    const file = join(dir, `${name}.gz`);
    await backUp(store, file, 0);
    const places = {
      dump: lines.join('\n'),
      backup: gunzipSync(readFileSync(file)).toString('utf8'),
      log: fixture.lines.join('\n'),
    };
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, `the ${place}`).toBeGreaterThan(500);
      for (const secret of planted)
        for (const spelled of [
          secret,
          Buffer.from(secret).toString('base64').slice(0, -4),
          Buffer.from(secret).toString('hex'),
        ])
          expect(text.includes(spelled), `${secret} in the ${place}`).toBe(false);
    }
    // What keeps them shut is the key of the server: it is not among the data either.
    expect(places.dump).not.toContain(HERE.secretKey);
  });

  test('G51: an encrypted value opens only in its place: not for another name, row, table or provider, not changed, not under another key', async () => {
    const store = await open();
    const { context, ...fixture } = await makeFixture(HERE, store);
    const { tenant } = await provider({ context, ...fixture });
    const { tenant: other } = await provider({ context, ...fixture });
    await store.tenant(tenant, async (tx) => {
      await storeSecret(tx, context, 'mail', 'one');
      await storeSecret(tx, context, 'sms', 'two');
    });
    await store.tenant(other, (tx) => storeSecret(tx, context, 'mail', 'three'));
    const rows = (of: string) =>
      store.tenant(of, ({ sql }) =>
        sql.selectFrom('secret').select(['name', 'sealed']).where('tenant_id', '=', of).execute(),
      );
    const loadSealed = async (of: string, secret: string): Promise<string> =>
      (await rows(of)).find((row) => row.name === secret)?.sealed ?? '';
    const putBack = (of: string, secret: string, sealed: string) =>
      store.tenant(of, ({ sql }) =>
        sql
          .updateTable('secret')
          .set({ sealed })
          .where('tenant_id', '=', of)
          .where('name', '=', secret)
          .execute(),
      );
    const read = (of: string, secret: 'mail' | 'sms', by = context) =>
      store.tenant(of, (tx) => readSecret(tx, by, secret));
    expect([
      await read(tenant, 'mail'),
      await read(tenant, 'sms'),
      await read(other, 'mail'),
    ]).toEqual(['one', 'two', 'three']);
    const [mine, sms, theirs] = [
      await loadSealed(tenant, 'mail'),
      await loadSealed(tenant, 'sms'),
      await loadSealed(other, 'mail'),
    ];
    expect(new Set([mine, sms, theirs].map((sealed) => sealed.split(':')[2])).size).toBe(3);
    for (const wrong of [
      sms,
      theirs,
      flipped(mine, mine.length - 5),
      flipped(mine, 'v1:v1:'.length),
      flipped(mine, mine.lastIndexOf(':') + 1),
      mine.slice(0, -24),
      'v1:v1::',
      '',
      'one',
    ]) {
      await putBack(tenant, 'mail', wrong);
      await expect(read(tenant, 'mail'), `with ${wrong}`).rejects.toThrow(/./);
    }
    await putBack(tenant, 'mail', mine);
    expect(await read(tenant, 'mail')).toBe('one');
    const place = { table: 'outgoing', column: 'sealed', row: 'a' };
    const sealed = await store.tenant(tenant, (tx) => seal(tx, context, place, 'x'));
    for (const moved of [
      { ...place, row: 'b' },
      { ...place, table: 'totp' },
      { ...place, column: 'other' },
    ])
      await expect(
        store.tenant(tenant, (tx) => unseal(tx, context, moved, sealed)),
      ).rejects.toThrow(/./);
    // A key of a provider that was put into another's place opens nothing.
    const keyOfOther = await loadSealed(other, 'tenant-key');
    const own = await loadSealed(tenant, 'tenant-key');
    await putBack(tenant, 'tenant-key', keyOfOther);
    await expect(read(tenant, 'mail')).rejects.toThrow(/./);
    await putBack(tenant, 'tenant-key', own);
    const stranger = makeAppContext({
      ...context,
      config: { ...context.config, secretKey: Buffer.alloc(32, 7).toString('base64url') },
    });
    await expect(read(tenant, 'mail', stranger)).rejects.toThrow(/./);
    expect(await read(tenant, 'mail')).toBe('one');
  });
});

test("G51: the server's key is in a file that only its user can read, and stays", async () => {
  const { context } = await makeFixture({ dataDir: dir }, await freshStore('pglite'));
  const { tenant } = await provider({ context, lines: [], pass: () => undefined });
  await context.store.tenant(tenant, (tx) => storeSecret(tx, context, 'mail', 'one'));
  expect(statSync(join(dir, 'secret.key')).mode & 0o777).toBe(0o600);
  const again = makeAppContext(context);
  expect(await context.store.tenant(tenant, (tx) => readSecret(tx, again, 'mail'))).toBe('one');
});
