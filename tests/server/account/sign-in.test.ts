import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import { ACCOUNT_RULE, ADDRESS_RULE, bucketsOf, tryNow, waitAfter } from '#server/account/throttle.ts';
import type { Bucket } from '#server/account/throttle.ts';
import type { App, Answer, Ground } from '../http/ground.ts';
import { eachDatabase } from '../store/databases.ts';
import { appOf, login, makeGround, PASSWORD, provider, user } from '../http/ground.ts';

let ground: Ground;
let app: App;
const outside = ({ status, headers, text }: Answer): unknown => ({ status, text, headers: [...headers].filter(([name]) => name !== 'daybook-request') });

test('G37: 10,000 guesses in an hour on one account: at most 20 are looked at', () => {
  let bucket: Bucket = { failures: 0, until: 0, at: 0 }, evaluated = 0;
  for (let guess = 0; guess < 10_000; guess += 1) {
    const outcome = tryNow(bucket, ACCOUNT_RULE, guess * 360);
    if ('next' in outcome) { bucket = outcome.next; evaluated += 1; }
  }
  expect(evaluated).toBeLessThanOrEqual(20);
  expect(evaluated).toBeGreaterThan(5);
  expect(waitAfter(1_000_000, ACCOUNT_RULE)).toBe(15 * 60_000);
  expect(tryNow(bucket, ACCOUNT_RULE, bucket.at + ACCOUNT_RULE.forgetMs + 1)).toMatchObject({ next: { failures: 1 } });
});

eachDatabase((_name, open) => {
  beforeAll(async () => { ground = await makeGround({}, await open()); app = appOf(ground.world); });

  test('G36: an unknown name, a wrong password and a deleted user get the same answer to the byte', async () => {
    const { host, tenant } = await provider(ground);
    await user(ground, tenant);
    const id = await user(ground, tenant, { username: 'gone', email: 'gone@example.com' });
    await ground.world.store.tenant(tenant, (tx) => tx.append([{ event: { type: 'user.deleted@1', data: { id } }, company: null, entity: `user:${id}` }], { actor: { is: 'clock' }, subject: null, commandId: null, at: ground.world.clock.now() }));
    const answers = [await login(app, host, 'kate', 'wrong'), await login(app, host, 'nobody', 'wrong'), await login(app, host, 'gone', 'wrong'), await login(app, host, 'gone')];
    expect(answers.map(outside)).toEqual(answers.map(() => outside(answers[0] ?? answers[1] as Answer)));
    expect([answers[0]?.status, answers[0]?.body.message]).toEqual([401, MESSAGES.wrongCredentials]);
  });

  test('G37: five quick failures, then waits that double up to 15 minutes, whether or not the account exists', async () => {
    const { host, tenant } = await provider(ground);
    await user(ground, tenant);
    for (const name of ['kate', 'nobody']) {
      const kinds: string[] = [];
      for (let round = 0; round < 5; round += 1) kinds.push((await login(app, host, name, 'wrong')).body.error.kind);
      expect(kinds).toEqual(kinds.map(() => 'wrong-credentials'));
      for (const waitMs of [1_000, 2_000]) {
        const early = await login(app, host, name);
        expect([early.status, early.body.error, early.headers.get('retry-after')]).toEqual([429, { kind: 'too-many', retryAfterMs: waitMs }, String(waitMs / 1_000)]);
        ground.pass(waitMs - 1);
        expect((await login(app, host, name)).status).toBe(429);
        ground.pass(1);
        expect((await login(app, host, name, 'wrong')).status).toBe(401);
      }
    }
    ground.pass(4_000);
    expect((await login(app, host)).status).toBe(200);
    expect((await login(app, host, 'kate', 'wrong')).status).toBe(401);
    expect((await login(app, host)).status).toBe(200);
  });

  test('G37: guesses made at once do not slip past the count', async () => {
    const { host, tenant } = await provider(ground);
    await user(ground, tenant);
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(app, host, 'kate', 'wrong')));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  test('G37: an address that tries many names is slowed down, and a success of its own gives back one try only', async () => {
    const { host, tenant } = await provider(ground);
    await user(ground, tenant);
    const [, address] = bucketsOf('', '192.0.2.7');
    await ground.world.store.tenant(tenant, ({ sql }) => sql.insertInto('throttle')
      .values({ tenant_id: tenant, bucket: address?.name ?? '', failures: ADDRESS_RULE.quick - 1, until: 0, at: ground.world.clock.now() }).execute());
    expect((await login(app, host, 'one more', 'wrong')).status).toBe(401);
    expect((await login(app, host, 'another', 'wrong')).status).toBe(429);
    ground.pass(1_000);
    expect((await login(app, host)).status).toBe(200);
    expect((await login(app, host, 'another', 'wrong')).status).toBe(429);
  });

  test('G35: at most two hashes run at once and 50 wait; the rest are told to come back', async () => {
    const { host, tenant } = await provider(ground);
    await user(ground, tenant);
    const { checkPassword } = await import('#server/passwords.ts');
    const all = Array.from({ length: 60 }, () => checkPassword(null, 'x'));
    expect(all.filter((one) => one === null)).toHaveLength(8);
    // What ends while the request is on its way is filled up again: the queue is full when it gets there.
    const refill = setInterval(() => { for (let more = checkPassword(null, 'x'); more !== null; more = checkPassword(null, 'x')) all.push(more); }, 1);
    const turned = await login(app, host).finally(() => { clearInterval(refill); });
    expect([turned.status, turned.body.error.kind]).toEqual([429, 'too-many']);
    expect(await Promise.all(all.filter((one) => one !== null))).not.toContain(true);
  });

  test('G35: a user without a password gets in with none, not with the decoy\'s either', async () => {
    const { host, tenant } = await provider(ground);
    const id = await user(ground, tenant);
    await ground.world.store.tenant(tenant, ({ sql }) => sql.updateTable('person').set({ password_hash: null }).where('tenant_id', '=', tenant).where('id', '=', id).execute());
    for (const password of [PASSWORD, 'no such user', 'null']) expect((await login(app, host, 'kate', password)).status).toBe(401);
  });

  test('G35: a password is taken as it is: 128 characters, spaces and signs of any script', async () => {
    const { host, tenant } = await provider(ground);
    const password = ` ßé漢字🙂 ${'x'.repeat(120)}`;
    await user(ground, tenant, { password });
    expect(password.length).toBe(128);
    expect((await login(app, host, 'kate', password)).status).toBe(200);
    expect((await login(app, host, 'kate', password.trim())).status).toBe(401);
    expect((await login(app, host, 'kate', `${password}x`)).status).toBe(400);
  });
});
