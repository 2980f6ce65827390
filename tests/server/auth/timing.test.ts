import { expect, test } from 'vitest';
import { ACCOUNT_RULE } from '#server/features/auth/rate-limit.ts';
import { workOfHash } from './work-of-hash.ts';
import { getApp, login, makeFixture, provider, user } from '../http/fixtures.ts';

/** Noise of the machine only adds: the least of many rounds is the work itself. */
const min = (times: readonly number[]): number => Math.min(...times);

test("G36: the work done doesn't distinguish an unknown name from a wrong password", async () => {
  const fixture = await makeFixture();
  const app = getApp(fixture.context);
  const { host, tenant } = await provider(fixture);
  await user(fixture, tenant);
  // Time of this process's processors, all threads: what a clock on the wall would show, without
  // the machine's other work.
  const loadWork = async (name: string): Promise<number> => {
    const before = process.cpuUsage();
    expect((await login(app, host, name, 'wrong')).status).toBe(401);
    const { user: own, system } = process.cpuUsage(before);
    return (own + system) / 1_000;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < 30; round += 1) {
    fixture.pass(ACCOUNT_RULE.maxMs); // past every wait
    known.push(await loadWork('kate'));
    unknown.push(await loadWork('nobody'));
  }
  expect(min(known)).toBeGreaterThan(0.8 * (await workOfHash()));
  expect(Math.abs(min(known) - min(unknown))).toBeLessThan(15);
});
