import { beforeAll, expect, test } from 'vitest';
import { LOOK_MS } from '#server/features/auth/directory/deprovision.ts';
import { authenticateKey } from '#server/platform/auth/api-key-auth.ts';
import { hashApiKey, formatApiKey } from '#server/platform/auth/api-key-secret.ts';
import type { Bound, UserDirectory } from '#server/features/auth/directory/directory.ts';
import type { AccountStatus } from '#server/features/auth/directory/account-status.ts';
import { makeFixture, PASSWORD, user } from '../http/fixtures.ts';
import type { Fixture } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';
import { browser, place, recorded, sent } from './factor-fixtures.ts';
import type { Browser, Place } from './factor-fixtures.ts';
import { directoryTicks } from '../jobs/ticks.ts';

let fixture: Fixture;
const now = (): number => fixture.context.clock.now();
const HOUR = 3_600_000;
const unasked = (): Promise<never> =>
  Promise.reject(new Error('Nothing is changed in a directory.'));

/** A directory that answers every sign-in as it is told to. */
const fake = (): UserDirectory & { result: Bound['kind'] } => ({
  result: 'right',
  bind() {
    return Promise.resolve(
      this.result === 'right'
        ? { kind: 'right', dn: 'CN=kate', name: 'Kate', email: null }
        : { kind: this.result },
    );
  },
  change: unasked,
  reset: unasked,
  unlock: unasked,
});
/** A key of a user, as it stands in the database. */
async function keyFor({ tenant }: Place, id: string): Promise<string> {
  const secret = formatApiKey(fixture.context.chance.bytes(32));
  await fixture.context.store.tenant(tenant, ({ sql }) =>
    sql
      .insertInto('api_key')
      .values({
        tenant_id: tenant,
        id: fixture.context.chance.uuid(),
        user_id: id,
        name: 'Nightly export',
        abilities: JSON.stringify(['monitoring.daily-checks']),
        hash: hashApiKey(secret),
        hint: '',
        made_at: now(),
        until: now() + 300 * 24 * HOUR,
        used_at: null,
        used_from: null,
      })
      .execute(),
  );
  return secret;
}
const opens = async ({ tenant }: Place, secret: string): Promise<boolean> =>
  (await authenticateKey(fixture.context, tenant, secret, '127.0.0.1')).ok;
const isIn = async (one: Browser): Promise<boolean> => (await one.renew()).status === 200;

eachDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
  });

  test('DIR-5: a sign-in that the directory refuses for a disabled account ends sessions and keys; locked, wrong, outside hours and unreachable end nothing', async () => {
    const directory = fake();
    const at = await place(fixture, { auth: 'ad' }, directory);
    const kate = browser(at);
    const secret = await keyFor(at, at.id);
    const dora = await user(fixture, at.tenant, { username: 'dora', email: 'dora@example.com' });
    const doras = await keyFor(at, dora);
    expect((await kate.login({}, 'ad')).status).toBe(200);
    for (const result of [
      'wrong',
      'locked',
      'not-now',
      'unreachable',
      'must-change',
      'expired',
    ] as const) {
      directory.result = result;
      await browser(at).login({}, 'ad');
      expect([result, await isIn(kate), await opens(at, secret)]).toEqual([result, true, true]);
    }
    directory.result = 'disabled';
    const refused = await browser(at).login({}, 'ad');
    expect([refused.status, await isIn(kate), await opens(at, secret)]).toEqual([
      401,
      false,
      false,
    ]);
    // Nobody else's, once in the record and the mail however often it is tried, and nothing comes
    // back when the account does.
    await browser(at).login({ password: PASSWORD }, 'ad');
    expect([
      await opens(at, doras),
      (await recorded(at)).filter((what) => what === 'directory-account.over').length,
    ]).toEqual([true, 1]);
    expect(
      (await sent(at)).filter(({ text }) =>
        text.includes(
          'disabled or expired in the directory. We ended its sessions and revoked its API keys.',
        ),
      ).length,
    ).toBe(1);
    directory.result = 'right';
    expect([(await kate.login({}, 'ad')).status, await opens(at, secret)]).toEqual([200, false]);
  });

  test('DIR-5: so does a second factor that is asked for again', async () => {
    const directory = fake();
    const at = await place(fixture, { auth: 'ad' }, directory);
    const kate = browser(at);
    const secret = await keyFor(at, at.id);
    await kate.login({}, 'ad');
    directory.result = 'disabled';
    expect((await kate.send('auth/reauth', { password: PASSWORD })).status).toBe(401);
    expect([await isIn(kate), await opens(at, secret)]).toEqual([false, false]);
  });

  test('DIR-6: users with a session or key are looked up every four hours; disabled or missing ones lose both, and an unclear answer is queried again', async () => {
    const at = await place(fixture, { auth: 'ad' }, fake());
    const elsewhere = await place(fixture, { auth: 'ad' }, fake());
    const others = await Promise.all(
      ['gone', 'idle', 'own'].map((username) =>
        user(fixture, at.tenant, { username, email: `${username}@example.com` }),
      ),
    );
    const [gone = '', , own = ''] = others;
    await fixture.context.store.tenant(at.tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ auth: 'ad' })
        .where('tenant_id', '=', at.tenant)
        .where('username', 'in', ['gone', 'idle'])
        .execute(),
    );
    const kate = browser(at);
    const secrets = [await keyFor(at, at.id), await keyFor(at, gone), await keyFor(at, own)];
    const other = await keyFor(elsewhere, elsewhere.id);
    await kate.login({}, 'ad');
    const request: (readonly string[])[] = [];
    let result: ReadonlyMap<string, AccountStatus> | null = null;
    const watch = directoryTicks(fixture.context, ({ tenant }) =>
      Promise.resolve(
        tenant === at.tenant
          ? (names) => {
              request.push([...names]);
              return Promise.resolve(result);
            }
          : null,
      ),
    );
    const stand = async (): Promise<readonly boolean[]> => [
      await isIn(kate),
      ...(await Promise.all(secrets.map((secret) => opens(at, secret)))),
    ];
    await watch.tick();
    expect([request, await stand()]).toEqual([[['gone', 'kate']], [true, true, true, true]]);
    // It said nothing: it is asked again after ten minutes. Then all stand, and it is left alone for four
    // hours.
    result = new Map([
      ['gone', 'stands'],
      ['kate', 'stands'],
    ]);
    fixture.pass(10 * 60_000);
    await watch.tick();
    await watch.tick();
    expect([request.length, await stand()]).toEqual([2, [true, true, true, true]]);
    result = new Map([
      ['gone', 'gone'],
      ['kate', 'disabled'],
    ]);
    fixture.pass(LOOK_MS - 1);
    await watch.tick();
    expect(request.length).toBe(2);
    fixture.pass(1);
    await watch.tick();
    expect([request.length, await stand()]).toEqual([3, [false, false, false, true]]);
    expect([
      (await recorded(at)).filter((what) => what === 'directory-account.over').length,
      await opens(elsewhere, other),
    ]).toEqual([2, true]);
    expect(
      Object.fromEntries(
        (await sent(at)).map(({ to, text }) => [to, /no longer exists|disabled/.exec(text)?.[0]]),
      ),
    ).toEqual({ 'gone@example.com': 'no longer exists', 'kate@example.com': 'disabled' });
    // Nobody is left to be asked about.
    fixture.pass(LOOK_MS);
    await watch.tick();
    expect(request.length).toBe(3);
    await watch.stop();
  });
});
