import { OIDC_IN, OIDC_STEP, oidcRefusal } from '#contract/auth/oidc-errors.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { dropFragment } from '#src/app/session/sign-in-context.ts';
import type { SignInReply } from '#workers/api.ts';

const TOKEN = '#token=';

/**
 * Signs in with the fragment: a single-use token, or a cookie that is already set, of a session or
 * of a pending step. Otherwise fails with the reason why the identity provider refused.
 */
export async function enter(fragment: string): Promise<Result<SignInReply>> {
  const request = await ask(fragment);
  dropFragment();
  return request;
}

function ask(fragment: string): Promise<Result<SignInReply>> | Result<SignInReply> {
  if (fragment.startsWith(TOKEN))
    return client().signIn({ way: 'token', token: fragment.slice(TOKEN.length) });
  if (fragment === OIDC_IN) return client().signIn({ way: 'cookie' });
  if (fragment === OIDC_STEP) return client().signIn({ way: 'step' });
  return {
    ok: false,
    failure: { kind: 'forbidden', message: oidcRefusal(fragment) ?? BASE.loginFailed },
  };
}
