import type { Failure } from '#contract/errors.ts';
import type { SignInStep } from '#contract/auth/sign-in-step.ts';

/** Whose list the name and password are looked up in. */
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
 * What begins a sign-in. `passkeys`: by a passkey alone; `token`: from a link that is good once;
 * `cookie`: another site has vouched, and the server set its cookie; `step`: the same, and it asks
 * for more.
 */
export type Opening =
  | Named<Auth>
  | { readonly way: 'passkeys' }
  | { readonly way: 'token'; readonly token: string }
  | { readonly way: 'cookie' }
  | { readonly way: 'step' };

/** What answers a step. `phoneUpdatedOnce`: the number was changed in this sign-in. */
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

export type SignInRequest = Opening | Answering;
/**
 * As a page asks. `auth` is null where the provider's own word decides, which the page may not have
 * heard yet.
 */
export type PageAsk = SignInRequest | Named<null>;
export const OPENINGS: ReadonlySet<SignInRequest['way']> = new Set([
  'password',
  'passkeys',
  'token',
  'cookie',
  'step',
]);
export const isOpening = (ask: SignInRequest): ask is Opening => OPENINGS.has(ask.way);

/** What asking the server answers: in, one step further, or why not. */
export type SignInAnswer =
  | { readonly is: 'in' }
  | { readonly is: 'step'; readonly step: SignInStep }
  | { readonly is: 'failed'; readonly failure: Failure };
