import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import type { Fixture } from '../http/fixtures.ts';
import { makeFixture, PASSWORD } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { browser, codesTo, lastCode, otherThan, place, recorded, sent } from './factor-fixtures.ts';
import type { Set } from './factor-fixtures.ts';

let fixture: Fixture;
const PHONE = '+15550100112';
/** Numbers are limited over all of a provider's users: each test has a provider of its own. */
const bySms = (set: Partial<Set> = {}) =>
  place(fixture, { settings: { secondFactor: 'sms' }, phone: PHONE, ...set });

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('FACTOR-10, G44: a user whose second factor is SMS confirms a change with the password and a code, and with neither alone', async () => {
    const at = await bySms({ proven: true });
    const kate = browser(at);
    const change = () => kate.send(`profile/${at.id}/passkeys/options`, {});
    const again = (body: object) => kate.send('auth/reauth', body);
    await kate.login();
    await kate.sms(await lastCode(at, PHONE));
    expect((await change()).status).toBe(200);
    fixture.pass(300_001);
    expect((await change()).body.error.kind).toBe('reauth_required');
    expect((await kate.send<{ methods: string[] }>('auth/reauth/options', {})).body.data).toEqual({
      methods: ['sms'],
      passkey: null,
    });
    expect((await again({ password: PASSWORD })).body).toMatchObject({
      message: MESSAGES.reauthByCode,
      error: { kind: 'reauth_required' },
    });
    expect(
      (await again({ code: await lastCode(at, PHONE) })).body.message,
      'the code of the sign-in',
    ).toBe(MESSAGES.wrongCode);
    expect((await kate.send('auth/reauth/sms', { password: 'wrong' })).body.message).toBe(
      MESSAGES.currentPassword,
    );
    expect(await codesTo(at, PHONE)).toHaveLength(1);
    fixture.pass(1);
    expect(
      (await kate.send<{ phone: string }>('auth/reauth/sms', { password: PASSWORD })).body.data,
    ).toEqual({ phone: '••• 12' });
    const code = await lastCode(at, PHONE);
    const [, details] = await sent(at);
    expect(details?.text).toMatch(
      new RegExp(`^${code} is your code to confirm a change at .*\\n\\n@${at.host} #${code}$`, 's'),
    );
    const other = browser(at);
    expect((await other.login()).body.data.step).toBe('code');
    expect((await other.sms(code)).body.message, 'in no sign-in').toBe(MESSAGES.wrongCode);
    expect((await again({ code: otherThan(code) })).body.message).toBe(MESSAGES.wrongCode);
    expect((await change()).body.error.kind).toBe('reauth_required');
    expect((await again({ code })).status).toBe(200);
    expect((await change()).status).toBe(200);
    expect((await again({ code })).body.message, 'once').toBe(MESSAGES.wrongCode);
    expect(
      (await kate.send('auth/reauth/sms', { password: PASSWORD })).body,
      'three codes an hour for a number',
    ).toMatchObject({ message: MESSAGES.noMoreCodes, error: { kind: 'too-many' } });
    expect(await recorded(at)).toEqual(expect.arrayContaining(['reauth.done', 'reauth.refused']));
  });

  test('FACTOR-10: five wrong codes void a sent one; a computer that skipped its code at sign-in needs it before a change', async () => {
    const at = await bySms({ proven: true });
    const kate = browser(at);
    const change = () => kate.send(`profile/${at.id}/passkeys/options`, {});
    await kate.login({ rememberComputer: true });
    await kate.sms(await lastCode(at, PHONE));
    expect((await change()).status).toBe(200);
    expect((await kate.login()).body.data.token, 'in at once').toBeTypeOf('string');
    expect((await change()).body.error.kind).toBe('reauth_required');
    fixture.pass(1);
    await kate.send('auth/reauth/sms', { password: PASSWORD });
    const code = await lastCode(at, PHONE);
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await kate.send('auth/reauth', { code: otherThan(code, tries + 1) })).status).toBe(
        401,
      );
      fixture.pass(20_000);
    }
    expect((await kate.send('auth/reauth', { code })).status).toBe(401);
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ settings: '{}' })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('provider')
        .set({ settings: '{}' })
        .where('tenant_id', '=', at.tenant)
        .execute(),
    );
    expect(
      (await kate.send('auth/reauth/sms', { password: PASSWORD })).body.error.kind,
      'nobody asks for a code',
    ).toBe('reauth_required');
    fixture.pass(1_200_000);
    expect((await browser(at).login()).body.data.token).toBeTypeOf('string');
  });
});
