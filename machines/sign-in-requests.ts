import type { Failure } from '#contract/errors.ts';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';

/** The directory that checks the name and password. */
export type Auth = 'db' | 'ad';
interface Remembering {
  readonly rememberComputer?: boolean;
}
interface Named<A extends Auth | null> extends Remembering {
  readonly way: 'password';
  readonly auth: A;
  readonly username: string;
  readonly password: string;
}

/**
 * Requests that start a sign-in. `passkeys`: with a passkey alone; `token`: with a one-time link;
 * `cookie`: after single sign-on, when the server has set the attempt's cookie; `step`: the same,
 * with another step to answer.
 */
export type OpeningRequest =
  | Named<Auth>
  | { readonly way: 'passkeys' }
  | { readonly way: 'token'; readonly token: string }
  | { readonly way: 'cookie' }
  | { readonly way: 'step' };

/** Requests that answer a step. `phoneUpdatedOnce`: the user changed the number in this sign-in. */
export type Answering =
  | ({
      readonly way: 'sms';
      readonly code: string;
      readonly phoneUpdatedOnce?: boolean;
    } & Remembering)
  | { readonly way: 'phone'; readonly mobilePhone: string }
  | { readonly way: 'resend'; readonly newMobilePhone: string | null }
  | ({ readonly way: 'totp' | 'recovery'; readonly code: string } & Remembering)
  | ({ readonly way: 'passkey'; readonly response: string } & Remembering)
  | ({ readonly way: 'enrol'; readonly code: string } & Remembering);

export type SignInRequest = OpeningRequest | Answering;
/**
 * A request as the page makes it. `auth` is null where the provider's setting decides, which the
 * page may not have received yet.
 */
export type PageSignInRequest = SignInRequest | Named<null>;
export const OPENINGS: ReadonlySet<SignInRequest['way']> = new Set([
  'password',
  'passkeys',
  'token',
  'cookie',
  'step',
]);
export const isOpening = (ask: SignInRequest): ask is OpeningRequest => OPENINGS.has(ask.way);

/** The result of a request: signed in, a next step, or the failure. */
export type SignInResult =
  | { readonly kind: 'in' }
  | { readonly kind: 'step'; readonly step: SignInStep }
  | { readonly kind: 'failed'; readonly failure: Failure };
