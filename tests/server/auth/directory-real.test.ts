import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { accountHandlers } from '#server/features/auth/handlers.ts';
import { storeSecret } from '#server/platform/outbound/secret.ts';
import { missing, PASSWORD, SERVICE, startSamba } from './directory/samba.ts';
import type { Samba } from './directory/samba.ts';
import type { Fixture } from '../http/fixtures.ts';
import { getApp, makeFixture, user } from '../http/fixtures.ts';
import { Browser, place } from './factor-fixtures.ts';

describe.skipIf(missing !== '')(`Active Directory${missing}`, () => {
  let samba: Samba | null = null;
  let fixture: Fixture;
  let host = '';
  let tenant = '';
  const login = (username: string, password: string) =>
    new Browser(getApp(fixture.context, accountHandlers(fixture.context)), host).login(
      { username, password },
      'ad',
    );

  beforeAll(async () => {
    samba = await startSamba();
    fixture = await makeFixture({ outbound: { allow: ['127.0.0.0/8'], http: false } });
    await samba.user('kate');
    await samba.user('must', '--must-change-at-next-login');
    await samba.user('there');
    const { url, baseDn, domain, serviceDn, ca } = samba.at;
    ({ host, tenant } = await place(fixture, {
      auth: 'ad',
      settings: { directory: { url, baseDn, domain, serviceDn, ca } },
    }));
    await user(fixture, tenant, { username: 'must', email: 'must@example.com' });
    await fixture.context.store.tenant(tenant, async (tx) => {
      await tx.sql
        .updateTable('person')
        .set({ auth: 'ad', password_hash: null })
        .where('tenant_id', '=', tenant)
        .execute();
      await storeSecret(tx, fixture.context, 'directory', SERVICE);
    });
  });
  afterAll(async () => {
    await samba?.stop();
  });

  test("AUTH-11, G36: the provider's directory signs in its users, and nobody whom only the directory knows", async () => {
    expect((await login('Kate', PASSWORD)).body.data.user).toMatchObject({
      username: 'kate',
      auth: 'ad',
      passwordReset: false,
    });
    expect((await login('must', PASSWORD)).body.data.user.passwordReset).toBe(true);
    for (const [name, password] of [
      ['kate', 'wrong'],
      ['there', PASSWORD],
      ['there', 'wrong'],
      ['must', 'wrong'],
      ['nobody', PASSWORD],
    ] as const) {
      const began = performance.now();
      const answer = await login(name, password);
      expect([answer.status, answer.body.message]).toEqual([401, MESSAGES.wrongCredentials]);
      expect(performance.now() - began, 'none sooner than another').toBeGreaterThan(299);
    }
  });

  test("AUTH-11, G37: guesses at accounts that exist only in the directory don't lock them there; guesses at users here do", async () => {
    for (let guess = 0; guess < 4; guess += 1)
      for (const name of ['there', 'kate']) await login(name, `guess ${guess}`);
    await user(fixture, tenant, { username: 'there', email: 'there@example.com' });
    await fixture.context.store.tenant(tenant, async ({ sql }) => {
      await sql.deleteFrom('throttle').where('tenant_id', '=', tenant).execute();
      await sql.updateTable('person').set({ auth: 'ad' }).where('tenant_id', '=', tenant).execute();
    });
    expect([
      (await login('there', PASSWORD)).status,
      (await login('kate', PASSWORD)).status,
    ]).toEqual([200, 401]);
  });
});
