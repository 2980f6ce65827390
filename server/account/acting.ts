import type { actingCalls } from '#contract/account/acting-calls.ts';
import { failed } from '#contract/result.ts';
import { busyFor } from '../http/envelope.ts';
import type { Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';

const none = () => Promise.resolve(failed(busyFor(1_000)));

export function actingHandlers(_: World): Pick<Handlers, keyof typeof actingCalls> {
  return { loginAs: none, exitLoginAs: none, loginToken: none };
}
