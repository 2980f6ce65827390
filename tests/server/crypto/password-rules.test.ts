import { expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import {
  loadMeasure,
  measureOfNew,
  findPasswordError,
} from '#server/platform/crypto/password-rules.ts';
import { LIMITS } from '#contract/limits.ts';
import { makeFixture, provider, user } from '../http/fixtures.ts';

const LONG = { min: LIMITS.minPasswordChars, own: ['kate', 'Harbour', 'kate.miller'] };
const SHORT = { ...LONG, min: LIMITS.minPasswordCharsWithFactor };

test('G35: a password is judged by its length, not by its kinds of characters', () => {
  for (const good of [
    'correct horse battery',
    'tractor under the pale bridge',
    'mxqvbtwpzkrhdlc',
    'ÄÖÜ schöne Überraschung',
    '密码学是一门有趣的学问对不对呢朋友',
    'a'.repeat(5) + 'owl walks over snow',
    ' leading and trailing ',
    'ornate lamp 9 fits',
    `the quick ${'x'.repeat(118)}`,
  ])
    expect([good, findPasswordError(good, LONG)]).toEqual([good, null]);
  for (const short of ['', 'x', 'Aa1!Aa1!Aa1!Aa', '😀'.repeat(14)])
    expect(findPasswordError(short, LONG)).toBe(MESSAGES.passwordShort({ min: 15 }));
  expect(findPasswordError('mxqvbtwp', SHORT)).toBeNull();
  expect(findPasswordError('mxqvbtw', SHORT)).toBe(MESSAGES.passwordShort({ min: 8 }));
});

test('G35: common passwords are refused, in any variation', () => {
  for (const common of [
    'passwordpassword',
    'Password1234567',
    'P@ssw0rd!!!!!!!',
    'P4$$w0rd-2026-!!',
    'qwertyuiopasdfghjkl',
    '123456789012345',
    '987654321098765',
    'aaaaaaaaaaaaaaaa',
    'abababababababab',
    'abcdefghijklmnop',
    'iloveyouiloveyou',
    'Welcome2Welcome2',
    'LetMeIn!LetMeIn!',
    'sunshine-princess',
    'ADMINISTRATOR123',
    '1qaz2wsx3edc4rfv',
    'superman.superman',
    'Liverpool1892!!!',
    '1111111111111111',
    'qwerty123456qwerty',
    'trustno1trustno1',
    '   password      ',
  ])
    expect([common, findPasswordError(common, LONG)]).toEqual([common, MESSAGES.passwordCommon]);
  for (const common of [
    'password',
    'Passw0rd',
    'football1',
    'baseball!',
    'iloveyou',
    '12345678',
    'qwertyui',
    'Summer2026',
    'monkey123',
    'starwars',
    'michael1',
    'changeme',
    '1q2w3e4r',
    'zaq1xsw2',
    'Winter!!22',
  ]) {
    expect([common, findPasswordError(common, SHORT)]).toEqual([common, MESSAGES.passwordCommon]);
  }
});

test("G35: a password can't contain the name of the product, the provider or the user", () => {
  for (const own of [
    'my daybook opens here',
    'D4yb00k opens here now',
    'the harbour at night is calm',
    'KATE likes her ponies',
    'so says kate.miller today',
    'k4te likes her ponies',
  ]) {
    expect([own, findPasswordError(own, LONG)]).toEqual([own, MESSAGES.passwordOwnWords]);
  }
});

test('G35: with a second factor a password may be shorter', async () => {
  const fixture = await makeFixture();
  const { tenant } = await provider(fixture);
  const id = await user(fixture, tenant, {
    name: "Kate O'Brien",
    username: 'kate',
    email: 'kobrien@example.com',
  });
  const { store } = fixture.context;
  const measure = () => store.tenant(tenant, (tx) => loadMeasure(tx, id));
  expect(await measure()).toMatchObject({
    min: 15,
    own: expect.arrayContaining(['kate', 'Brien', 'kobrien', 'Provider']) as string[],
  });
  await store.tenant(tenant, ({ sql }) =>
    sql
      .insertInto('totp')
      .values({ tenant_id: tenant, user_id: id, sealed: 'x', confirmed_at: null, last_step: 0 })
      .execute(),
  );
  expect((await measure()).min).toBe(15);
  await store.tenant(tenant, ({ sql }) =>
    sql.updateTable('totp').set({ confirmed_at: 1 }).where('tenant_id', '=', tenant).execute(),
  );
  expect((await measure()).min).toBe(8);
  const fresh = () =>
    store.tenant(tenant, (tx) => measureOfNew(tx, { username: 'leo', name: 'Leo', email: null }));
  expect((await fresh()).min).toBe(15);
  await store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('provider')
      .set({ settings: JSON.stringify({ secondFactor: 'strong' }) })
      .where('tenant_id', '=', tenant)
      .execute(),
  );
  expect((await fresh()).min).toBe(8);
});
