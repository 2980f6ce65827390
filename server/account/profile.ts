import type { profileCalls } from '#contract/account/profile-calls.ts';
import { failed } from '#contract/result.ts';
import { busyFor } from '../http/envelope.ts';
import type { Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';

const none = () => Promise.resolve(failed(busyFor(1_000)));

export function profileHandlers(_: World): Pick<Handlers, keyof typeof profileCalls> {
  return { readProfile: none, editProfile: none, changePasswordAd: none, changePasswordDb: none, setSecurityQuestions: none, listSessions: none, endSession: none };
}
