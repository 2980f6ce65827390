import { beforeAll, expect, test } from 'vitest';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { ask, login, makeFixture, PASSWORD, user } from '../http/fixtures.ts';
import type { Answer, Fixture } from '../http/fixtures.ts';
import { aUser, LONG, thePeople } from './fixtures.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
});

/** By hand: names that look like another one, or like a path. */
const REFUSED = [
  '\u202Eadmin',
  'admin\u200B',
  'adm\u00ADin',
  'ad\u2060min',
  'admin\uFEFF.x',
  'ad\u2028min',
  'ad\u2029min',
  'ad\u0007min',
  'ad\uE000min',
  'ad\uFFFFmin',
  'ad\u0378min',
  '\u0430dmin',
  'adm\u0456n',
  '\u03BFscar',
  // Full-width, mathematical and other forms of Latin letters.
  '\uFF41\uFF44\uFF4D\uFF49\uFF4E',
  '\u{1D41A}dmin',
  'o\uFB03ce',
  // Cyrillic and Greek together, without a Latin letter.
  '\u0430\u03BF\u0440',
  '\u0435\u03BD\u0430',
  // Latin with Armenian, Cherokee and Coptic.
  'a\u0564min',
  '\u13AAdmin',
  '\u2C9Fscar',
  '../..',
  'a/b',
  String.raw`EXAMPLE\kate`,
];
const ALLOWED = [
  'kate.m',
  'zoë',
  'kate+2@example.com',
  'Jürgen_7',
  'борис',
  'ελένη',
  '山田',
  "o'neil",
];
const SENTENCE = 'Use letters of one alphabet, without hidden characters or slashes.';
const refusal = ({ status, body }: Answer): readonly unknown[] => [
  status,
  body.error?.kind,
  body.error?.issues?.map(({ path }) => path),
];

test('USER-15: a username that hides characters, mixes alphabets or has a slash is refused wherever it is set', async () => {
  const { root, app, host, tenant, idOf: loadId } = await thePeople(fixture);
  const own = (await root<Bootstrap>('GET', 'sync/bootstrap')).body.data.me.id;
  await root('POST', 'users', aUser('mary'));
  const mary = await loadId('mary');
  const invited = await root<{ url: string }>(
    'POST',
    `service-providers/${tenant}/invitations`,
    {},
  );
  const token = invited.body.data.url.split('#')[1] ?? '';
  const accept = (username: string): Promise<Answer> =>
    ask(app, '/api/v1/auth/invitation', {
      method: 'POST',
      host,
      body: { token, username, name: 'New', password: LONG },
    });
  for (const username of REFUSED) {
    const at = [username, 400, 'bad-input', ['username']];
    const answers = [
      await root('PUT', `profile/${own}`, { username }),
      await root('PUT', `users/${mary}`, { username }),
      await root('POST', 'users', { ...aUser('new'), username }),
      await accept(username),
    ];
    for (const answer of answers) expect([username, ...refusal(answer)]).toEqual(at);
    const below = await root('POST', 'service-providers', {
      name: 'Below',
      hosts: ['below.example'],
      administrator: { username, name: 'Ada', email: 'ada@example.net' },
    });
    expect([username, ...refusal(below)]).toEqual([
      username,
      400,
      'bad-input',
      ['administrator.username'],
    ]);
  }
  const said = await root('PUT', `profile/${own}`, { username: 'admin\u200B' });
  expect(said.body.error.issues).toEqual([{ path: 'username', message: SENTENCE }]);
  const listed = await root('PUT', `users/${mary}`, { username: '\u0430dmin' });
  expect(listed.body.error.issues).toEqual([{ path: 'username', message: SENTENCE }]);
  for (const username of ALLOWED)
    expect([username, (await root('PUT', `users/${mary}`, { username })).status]).toEqual([
      username,
      200,
    ]);
  // The refused tries did not use the invitation up.
  expect((await accept('борис-2')).status).toBe(200);
});

test("USER-15: a username that looks like another user's is taken, however a user is created or renamed", async () => {
  const { root, app, host, tenant, idOf: loadId } = await thePeople(fixture);
  const own = (await root<Bootstrap>('GET', 'sync/bootstrap')).body.data.me.id;
  await root('POST', 'users', aUser('scope'));
  await root('POST', 'users', aUser('mary'));
  const mary = await loadId('mary');
  const { url } = (
    await root<{ url: string }>('POST', `service-providers/${tenant}/invitations`, {})
  ).body.data;
  // By hand: all Cyrillic, all Greek beside a Latin name, and with a dotless i.
  await root('POST', 'users', { ...aUser('rin'), username: '\u03C1\u03B9\u03BD' });
  await root('POST', 'users', aUser('mia'));
  for (const username of [
    '\u0455\u0441\u043E\u0440\u0435',
    '\u0405\u0421\u041E\u0420\u0415',
    'piv',
    'm\u0131a',
  ]) {
    const answers = [
      await root('PUT', `profile/${own}`, { username }),
      await root('PUT', `users/${mary}`, { username }),
      await root('POST', 'users', { ...aUser('new'), username }),
      await ask(app, '/api/v1/auth/invitation', {
        method: 'POST',
        host,
        body: { token: url.split('#')[1] ?? '', username, name: 'New', password: LONG },
      }),
    ];
    for (const { status, body } of answers)
      expect([username, status, body.message]).toEqual([
        username,
        409,
        'The username already exists.',
      ]);
    await expect(user(fixture, tenant, { username })).rejects.toThrow('already exists');
  }
  await expect(user(fixture, tenant, { username: '\u0430dmin' })).rejects.toThrow('one alphabet');
  // One's own name in another alphabet is nobody else's.
  const scope = await loadId('scope');
  const renamed = await root('PUT', `users/${scope}`, {
    username: '\u0455\u0441\u043E\u0440\u0435',
  });
  expect(renamed.status).toBe(200);
});

test('USER-15: a user whose name is from before the rule signs in, and is edited without a new name', async () => {
  const { root, app, host, tenant } = await thePeople(fixture);
  const username = '\u0430dmin\u200B';
  const id = await user(fixture, tenant, { username: 'from-before' });
  await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('person')
      .set({ username, username_key: username })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute(),
  );
  const { status, body } = await login(app, host, username, PASSWORD);
  expect(status).toBe(200);
  expect((await root('PUT', `users/${id}`, { username, name: 'Renamed' })).status).toBe(200);
  const own = await ask(app, `/api/v1/profile/${id}`, {
    method: 'PUT',
    host,
    token: body.data.token,
    body: { username, name: 'Renamed again' },
  });
  expect(own.status).toBe(200);
});
