import type { recoveryCalls } from '#contract/account/recovery-calls.ts';
import { failed } from '#contract/result.ts';
import { busyFor } from '../http/envelope.ts';
import type { Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';

const none = () => Promise.resolve(failed(busyFor(1_000)));

export function recoveryHandlers(_: World): Pick<Handlers, keyof typeof recoveryCalls> {
  return { validateUsername: none, validateAnswers: none, unlockAccount: none, resetPassword: none, forgotPassword: none, checkPasswordLink: none, checkPasswordLinkSent: none, changePasswordByLink: none };
}
