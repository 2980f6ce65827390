import { beforeAll, expect, test } from 'vitest';
import { MESSAGES } from '#contract/messages.ts';
import {
  ACCOUNT_RULE,
  ADDRESS_RULE,
  PROVIDER_RULE,
  strangersBuckets,
  tryNow,
  getLockoutWait,
} from '#server/features/auth/rate-limit.ts';
import type { Bucket, WaitRule } from '#server/features/auth/rate-limit.ts';
import type { App, Answer, Fixture } from '../http/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import { getApp, login, makeFixture, PASSWORD, provider, user } from '../http/fixtures.ts';

let fixture: Fixture;
let app: App;
const outside = ({ status, headers, text }: Answer): unknown => ({
  status,
  text,
  headers: [...headers].filter(([name]) => name !== 'daybook-request'),
});

const NONE: Bucket = { failures: 0, until: 0, at: 0 };
/** How many of the tries at these moments are looked at, and how the bucket stands then. */
function looksAt(
  rule: WaitRule,
  moments: Iterable<number>,
  begin = NONE,
): { looked: number; bucket: Bucket } {
  let bucket = begin;
  let looked = 0;
  for (const moment of moments) {
    const outcome = tryNow(bucket, rule, moment);
    if ('next' in outcome) {
      bucket = outcome.next;
      looked += 1;
    }
  }
  return { looked, bucket };
}
const every = (ms: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => n * ms);

test('G37: 10,000 guesses in an hour on one account: at most 20 are checked', () => {
  const { looked } = looksAt(ACCOUNT_RULE, every(360, 10_000));
  expect(looked).toBeLessThanOrEqual(20);
  expect(looked).toBeGreaterThan(5);
  expect(getLockoutWait(1_000_000, ACCOUNT_RULE)).toBe(15 * 60_000);
});

test('G37: at most 100 guesses in a row are ever checked, however slowly they come', () => {
  for (const ms of [1_000, 900_000, 86_400_000, 400 * 86_400_000]) {
    const { looked, bucket } = looksAt(ACCOUNT_RULE, every(ms, 100_000));
    expect(looked, `one every ${ms} ms`).toBe(100);
    expect(tryNow(bucket, ACCOUNT_RULE, Number.MAX_SAFE_INTEGER)).toEqual({
      waitMs: 900_000,
      closed: true,
    });
  }
});

test('G37: failures of an address and a provider expire one by one, and never block', () => {
  for (const rule of [ADDRESS_RULE, PROVIDER_RULE]) {
    const { leakMs, quick, maxMs } = rule;
    if (leakMs === null) throw new Error('It never forgets.');
    expect(looksAt(rule, every(0, 10_000)).looked).toBe(quick);
    // Tries that come as fast as they are forgotten, or slower, are never kept waiting, also where
    // the moments do not fit.
    for (const ms of [leakMs, leakMs + 1, leakMs * 3])
      expect(looksAt(rule, every(ms, 10_000)).bucket.failures).toBeLessThanOrEqual(2);
    // What is left of a leak counts at the next try.
    expect(looksAt(rule, every(leakMs * 0.75, quick * 2))).toMatchObject({
      looked: quick * 2,
      bucket: { failures: Math.ceil(quick / 2) + 1 },
    });
    const flood = looksAt(rule, every(leakMs / 7, 50_000));
    expect(flood.looked).toBeGreaterThan(quick);
    expect(flood.bucket.until - flood.bucket.at).toBeLessThanOrEqual(maxMs + leakMs);
    expect(flood.looked).toBeLessThanOrEqual(quick + 50_000 / 7 + 10);
    expect(
      tryNow(flood.bucket, rule, flood.bucket.at + flood.bucket.failures * leakMs + maxMs),
    ).toMatchObject({ next: { failures: 1 } });
  }
});

anyDatabase((_name, open) => {
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context);
  });

  test('G36: an unknown name, a wrong password and a deleted user get byte-identical answers', async () => {
    const { host, tenant } = await provider(fixture);
    await user(fixture, tenant);
    const id = await user(fixture, tenant, { username: 'gone', email: 'gone@example.com' });
    await fixture.context.store.tenant(tenant, (tx) =>
      tx.append(
        [{ event: { type: 'user.deleted@1', data: { id } }, company: null, entity: `user:${id}` }],
        {
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
          at: fixture.context.clock.now(),
        },
      ),
    );
    const answers = [
      await login(app, host, 'kate', 'wrong'),
      await login(app, host, 'nobody', 'wrong'),
      await login(app, host, 'gone', 'wrong'),
      await login(app, host, 'gone'),
    ];
    expect(answers.map(outside)).toEqual(
      answers.map(() => outside(answers[0] ?? (answers[1] as Answer))),
    );
    expect([answers[0]?.status, answers[0]?.body.message]).toEqual([
      401,
      MESSAGES.wrongCredentials,
    ]);
  });

  test('G37: five quick failures, then waits that double up to 15 minutes, whether or not the account exists', async () => {
    const { host, tenant } = await provider(fixture);
    await user(fixture, tenant);
    for (const name of ['kate', 'nobody']) {
      const kinds: string[] = [];
      for (let round = 0; round < 5; round += 1)
        kinds.push((await login(app, host, name, 'wrong')).body.error.kind);
      expect(kinds).toEqual(kinds.map(() => 'wrong-credentials'));
      for (const waitMs of [1_000, 2_000]) {
        const early = await login(app, host, name);
        expect([early.status, early.body.error, early.headers.get('retry-after')]).toEqual([
          429,
          { kind: 'too-many', retryAfterMs: waitMs },
          String(waitMs / 1_000),
        ]);
        fixture.pass(waitMs - 1);
        expect((await login(app, host, name)).status).toBe(429);
        fixture.pass(1);
        expect((await login(app, host, name, 'wrong')).status).toBe(401);
      }
    }
    fixture.pass(4_000);
    expect((await login(app, host)).status).toBe(200);
    expect((await login(app, host, 'kate', 'wrong')).status).toBe(401);
    expect((await login(app, host)).status).toBe(200);
  });

  test("G37: simultaneous guesses don't bypass the count", async () => {
    const { host, tenant } = await provider(fixture);
    await user(fixture, tenant);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => login(app, host, 'kate', 'wrong')),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  test('G37: an address that tries many names is slowed down, and its own success returns only one attempt', async () => {
    const { host, tenant } = await provider(fixture);
    await user(fixture, tenant);
    const [, address] = strangersBuckets('', '192.0.2.7');
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .insertInto('throttle')
        .values({
          tenant_id: tenant,
          bucket: address.name,
          failures: ADDRESS_RULE.quick - 1,
          until: 0,
          at: fixture.context.clock.now(),
          forget_at: null,
        })
        .execute(),
    );
    expect((await login(app, host, 'one more', 'wrong')).status).toBe(401);
    expect((await login(app, host, 'another', 'wrong')).status).toBe(429);
    fixture.pass(1_000);
    expect((await login(app, host)).status).toBe(200);
    expect((await login(app, host, 'another', 'wrong')).status).toBe(429);
  });

  test('G35: at most two hashes run at once and 50 wait; the rest are told to retry', async () => {
    const { host, tenant } = await provider(fixture);
    await user(fixture, tenant);
    const { checkPassword } = await import('#server/platform/crypto/passwords.ts');
    const all = Array.from({ length: 60 }, () => checkPassword(null, 'x'));
    expect(all.filter((one) => one === null)).toHaveLength(8);
    // What ends while the request is on its way is filled up again at once: the queue is full when
    // it gets there.
    let full = true;
    const fill = (): void => {
      for (
        let more = full ? checkPassword(null, 'x') : null;
        more !== null;
        more = checkPassword(null, 'x')
      ) {
        all.push(more);
        void refill(more);
      }
    };
    const refill = async (one: Promise<boolean>): Promise<void> => {
      await one;
      for (let turn = 0; turn < 5; turn++) {
        await Promise.resolve();
        fill();
      }
    };
    for (const one of all.filter((each) => each !== null)) void refill(one);
    const turned = await login(app, host).finally(() => {
      full = false;
    });
    expect([turned.status, turned.body.error.kind]).toEqual([429, 'too-many']);
    // What was not looked at is no failure.
    const held = await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql.selectFrom('throttle').select('failures').where('tenant_id', '=', tenant).execute(),
    );
    expect(held.map((one) => one.failures)).toEqual([0, 0, 0]);
    expect(await Promise.all(all.filter((one) => one !== null))).not.toContain(true);
  });

  test("G35: a user without a password can't sign in with any, including the decoy's", async () => {
    const { host, tenant } = await provider(fixture);
    const id = await user(fixture, tenant);
    await fixture.context.store.tenant(tenant, ({ sql }) =>
      sql
        .updateTable('person')
        .set({ password_hash: null })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .execute(),
    );
    for (const password of [PASSWORD, 'no such user', 'null'])
      expect((await login(app, host, 'kate', password)).status).toBe(401);
  });

  test('G35: a password is used as typed: 128 characters, spaces and any script', async () => {
    const { host, tenant } = await provider(fixture);
    const password = ` ßé漢字🙂 ${'x'.repeat(120)}`;
    await user(fixture, tenant, { password });
    expect(password.length).toBe(128);
    expect((await login(app, host, 'kate', password)).status).toBe(200);
    expect((await login(app, host, 'kate', password.trim())).status).toBe(401);
    expect((await login(app, host, 'kate', `${password}x`)).status).toBe(400);
  });
});
