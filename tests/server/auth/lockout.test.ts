import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { unlock } from '#server/features/auth/lockout.ts';
import type { App, Ground } from '../http/fixtures.ts';
import { appOf, login, makeGround, provider, user } from '../http/fixtures.ts';
import { eachDatabase } from '../db/databases.ts';

eachDatabase((name, open) => {
  let ground: Ground;
  let app: App;
  beforeAll(async () => {
    ground = await makeGround({}, await open());
    app = appOf(ground.world);
  });
  const unlocked = (host: string, username: string): ReturnType<typeof unlock> =>
    unlock(
      ground.world.store,
      host,
      username,
      ground.world.chance.uuid(),
      ground.world.clock.now(),
    );

  /** Guessed at for as long as guesses are looked at. */
  async function close(host: string, username: string): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      ground.pass(900_000);
      expect((await login(app, host, username, 'wrong')).status).toBe(401);
    }
    ground.pass(900_000);
    expect((await login(app, host, username)).status).toBe(429);
  }

  test(`G37: an account that guessing has closed is opened by its operator, and no other with it (${name})`, async () => {
    const [here, there] = [await provider(ground), await provider(ground)];
    for (const { tenant } of [here, there]) await user(ground, tenant);
    await user(ground, here.tenant, { username: 'ann', email: 'ann@example.com' });
    for (const [host, who] of [
      [here.host, 'kate'],
      [here.host, 'ann'],
      [there.host, 'kate'],
    ] as const)
      await close(host, who);
    expect(await unlocked(`${here.host.toUpperCase()}:443`, ' KATE ')).toMatchObject({
      is: 'unlocked',
      failures: 100,
    });
    expect((await login(app, here.host)).status).toBe(200);
    expect([
      (await login(app, here.host, 'ann')).status,
      (await login(app, there.host)).status,
    ]).toEqual([429, 429]);
    expect(await unlocked(here.host, 'kate')).toMatchObject({ is: 'unlocked', failures: 0 });
    const recorded = await ground.world.store.tenant(here.tenant, ({ sql }) =>
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
  }, 120_000);

  test(`G37: a host that nobody has and a user that is not there are told apart, and nothing is done (${name})`, async () => {
    const { host } = await provider(ground);
    expect(await unlocked('nobody.example', 'kate')).toEqual({ is: 'no-provider' });
    expect(await unlocked(host, 'nobody')).toMatchObject({ is: 'no-account' });
  });
});

test('G37: the command says what it needs', async () => {
  const run = promisify(execFile)(process.execPath, ['server/unlock.ts', 'localhost'], {
    env: { PATH: process.env['PATH'] ?? '' },
  });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: 'Add the host of the portal and the user: npm run unlock -- HOST USERNAME\n',
  });
});
