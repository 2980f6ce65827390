import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { unlock } from '#server/features/auth/lockout.ts';
import type { App, Fixture } from '../http/fixtures.ts';
import { getApp, login, makeFixture, provider, user } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';

eachDatabase((name, open) => {
  let fixture: Fixture;
  let app: App;
  beforeAll(async () => {
    fixture = await makeFixture({}, await open());
    app = getApp(fixture.context);
  });
  const unlocked = (host: string, username: string): ReturnType<typeof unlock> =>
    unlock(
      fixture.context.store,
      host,
      username,
      fixture.context.chance.uuid(),
      fixture.context.clock.now(),
    );

  /** Guessed at for as long as guesses are looked at. */
  async function close(host: string, username: string): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      fixture.pass(900_000);
      expect((await login(app, host, username, 'wrong')).status).toBe(401);
    }
    fixture.pass(900_000);
    expect((await login(app, host, username)).status).toBe(429);
  }

  test(`G37: an account locked by guessing is unlocked by the operator, and no other with it (${name})`, async () => {
    const [here, there] = [await provider(fixture), await provider(fixture)];
    for (const { tenant } of [here, there]) await user(fixture, tenant);
    await user(fixture, here.tenant, { username: 'ann', email: 'ann@example.com' });
    for (const [host, who] of [
      [here.host, 'kate'],
      [here.host, 'ann'],
      [there.host, 'kate'],
    ] as const)
      await close(host, who);
    expect(await unlocked(`${here.host.toUpperCase()}:443`, ' KATE ')).toMatchObject({
      kind: 'unlocked',
      failures: 100,
    });
    expect((await login(app, here.host)).status).toBe(200);
    expect([
      (await login(app, here.host, 'ann')).status,
      (await login(app, there.host)).status,
    ]).toEqual([429, 429]);
    expect(await unlocked(here.host, 'kate')).toMatchObject({ kind: 'unlocked', failures: 0 });
    const recorded = await fixture.context.store.tenant(here.tenant, ({ sql }) =>
      sql
        .selectFrom('audit')
        .select(['what', 'agent'])
        .where('tenant_id', '=', here.tenant)
        .where('what', '=', 'account.unlocked')
        .execute(),
    );
    expect(recorded).toEqual(
      Array.from({ length: 2 }, () => ({ what: 'account.unlocked', agent: 'unlock command' })),
    );
  });

  test(`G37: an unknown host and an unknown user are distinguished, and nothing is done (${name})`, async () => {
    const { host } = await provider(fixture);
    expect(await unlocked('nobody.example', 'kate')).toEqual({ kind: 'no-provider' });
    expect(await unlocked(host, 'nobody')).toMatchObject({ kind: 'no-account' });
  });
});

test('G37: the command names a missing argument and prints its usage', async () => {
  const run = promisify(execFile)(process.execPath, ['server/unlock.ts', 'localhost'], {
    env: { PATH: process.env['PATH'] ?? '' },
  });
  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /^The argument USERNAME is missing\.\n\nUsage: npm run unlock -- HOST USERNAME\n/,
    ),
  });
});
