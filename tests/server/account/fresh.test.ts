import { beforeAll, expect, test } from 'vitest';
import type { CallName } from '#contract/calls.ts';
import { callOf, CALLS } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { allHandlers } from '#server/handlers.ts';
import type { Ground } from '../http/ground.ts';
import { appOf, makeGround, provider, user } from '../http/ground.ts';
import { Browser } from './factor-ground.ts';

let ground: Ground;
beforeAll(async () => { ground = await makeGround(); });

const fresh = (Object.keys(CALLS) as CallName[]).filter((name) => callOf(name).fresh === true);

test('G44: every sensitive call asks for a factor once the last one is older than five minutes, and only then', async () => {
  const { host, tenant } = await provider(ground);
  await user(ground, tenant, { roles: ['super-admin', 'admin'] });
  const kate = new Browser(appOf(ground.world, allHandlers(ground.world)), host);
  await kate.login();
  const kindOf = async (name: CallName): Promise<string> => {
    const { method, path } = callOf(name);
    // What is named is nobody's: past this gate each call finds nothing, or something wrong with what was sent.
    const answer = await kate.send(path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'), method === 'GET' || method === 'DELETE' ? undefined : {}, method);
    return answer.body.success ? 'done' : answer.body.error.kind;
  };
  expect(fresh.length).toBeGreaterThanOrEqual(7);
  ground.pass(LIMITS.freshMs);
  const refused = async (): Promise<CallName[]> => {
    const found: CallName[] = [];
    for (const name of fresh) if (await kindOf(name) === 'reauth_required') found.push(name);
    return found;
  };
  expect(await refused()).toEqual([]);
  ground.pass(1);
  expect(await refused()).toEqual(fresh);
  expect((await kate.send('profile/x/recovery-codes', {})).body.message).toBe(MESSAGES.reauth);
});
