import { MESSAGES } from '#contract/messages.ts';
import { failed } from '#contract/result.ts';
import type { Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';
import type { factorCalls } from '#contract/account/factor-calls.ts';

const none = () => Promise.resolve(failed({ kind: 'not-found', message: MESSAGES.notFound }));

export function factorHandlers(_: World): Pick<Handlers, keyof typeof factorCalls> {
  return {
    reauthOptions: none, reauth: none, getFactors: none, beginTotp: none, confirmTotp: none, removeTotp: none, renewRecoveryCodes: none,
    passkeyOptions: none, addPasskey: none, removePasskey: none,
  };
}
