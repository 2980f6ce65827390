import type { UserSession } from '#contract/auth/current-user.ts';
import type { CallName } from '#contract/calls.ts';
import type { Result } from '#contract/result.ts';
import type { Auth, SignInRequest } from '#machines/sign-in-requests.ts';
import type { Granted } from './sign-in.ts';
import type { Wire } from '../sync/wire.ts';

/** Calls that create a session or lead to one. Only the sign-in may make them. */
export const SIGN_IN_CALLS: readonly CallName[] = [
  'loginDb',
  'loginAd',
  'loginDbSms',
  'loginAdSms',
  'loginDbPhone',
  'loginAdPhone',
  'loginDbResend',
  'loginAdResend',
  'loginFactor',
  'loginPasskeyOptions',
  'loginPasskey',
  'loginStep',
  'loginEnrol',
  'loginToken',
  'loginAs',
  'exitLoginAs',
];

/**
 * Calls that change the current user: the page updates right after them, not with the next token.
 */
export const CHANGES_ME: ReadonlySet<CallName> = new Set([
  'editProfile',
  'changePasswordAd',
  'changePasswordDb',
  'setSecurityQuestions',
]);

/** Calls that may change the branding. */
export const CHANGES_BRANDING: ReadonlySet<CallName> = new Set(['editBranding', 'putBrandAsset']);

/** Maps each sign-in method to its call. `byCookie`: methods that use a cookie of the server. */
export function askToSignIn(
  wire: Pick<Wire, 'ask'>,
  byCookie: () => Promise<Result<UserSession>>,
  what: SignInRequest,
  auth: Auth,
): Promise<Result<Granted>> {
  const ad = auth === 'ad';
  switch (what.way) {
    case 'password': {
      const { username, password } = what;
      return wire.ask(what.auth === 'ad' ? 'loginAd' : 'loginDb', {
        username,
        password,
        ...remembering(what),
      });
    }
    case 'passkeys':
      return wire.ask('loginPasskeyOptions', {});
    case 'token':
      return wire.ask('loginToken', { token: what.token });
    case 'cookie':
      return byCookie();
    case 'step':
      return wire.ask('loginStep', {});
    case 'sms': {
      const { code, phoneUpdatedOnce } = what;
      return wire.ask(ad ? 'loginAdSms' : 'loginDbSms', {
        smsCode: code,
        ...remembering(what),
        ...(phoneUpdatedOnce !== undefined && { userUpdatedPhoneOnce: phoneUpdatedOnce }),
      });
    }
    case 'phone':
      return wire.ask(ad ? 'loginAdPhone' : 'loginDbPhone', { mobilePhone: what.mobilePhone });
    case 'resend':
      return wire.ask(ad ? 'loginAdResend' : 'loginDbResend', {
        newMobilePhone: what.newMobilePhone,
      });
    case 'totp':
    case 'recovery':
      return wire.ask('loginFactor', { method: what.way, code: what.code, ...remembering(what) });
    case 'passkey':
      return wire.ask('loginPasskey', { response: what.response, ...remembering(what) });
    case 'enrol':
      return wire.ask('loginEnrol', { code: what.code, ...remembering(what) });
  }
}

const remembering = ({
  rememberComputer,
}: {
  readonly rememberComputer?: boolean;
}): { rememberComputer?: boolean } => (rememberComputer === undefined ? {} : { rememberComputer });
