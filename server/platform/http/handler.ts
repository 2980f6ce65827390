import type { Ability, Role } from '#contract/abilities.ts';
import type { CALLS, CallName, OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { CompanyN, Ms, TenantId, UserId } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';

/**
 * Who asks, as the session (or the key) says: never as the body claims (T2). Of an API key
 * `sessionId` is the key's.
 */
export interface Principal {
  readonly sessionId: string;
  readonly userId: UserId;
  readonly roles: readonly Role[];
  /** Null: all companies of the provider. */
  readonly companies: readonly CompanyN[] | null;
  /** Of those that would be, the ones that were deleted: nobody sees them any more. */
  readonly deleted?: readonly CompanyN[];
  /**
   * Whose hands these are: the user's own, or of somebody signed in as the user; then
   * `impersonation` numbers that.
   */
  readonly actor: UserId;
  readonly impersonation: string | null;
  readonly beganAt: Ms;
  /**
   * Set where a program asks with an API key of the user's: of what the roles grant only these
   * abilities hold. Ask `may`, not the roles.
   */
  readonly key?: { readonly id: string; readonly abilities: readonly Ability[] };
  /** When a factor was last shown (G44); of a key never. */
  readonly authenticatedAt: Ms;
  /** A new password has to be chosen first: until then nothing that needs an ability is done. */
  readonly mustReset: boolean;
}

/**
 * An idempotent command of a device (OUT-3): its id, the device and its number in the device's
 * order.
 */
export interface CommandKey {
  readonly id: string;
  readonly device: string;
  readonly order: number;
  readonly bodyHash: string;
}

export interface RequestContext {
  readonly tenant: TenantId;
  /** Null on public and ingest calls. */
  readonly session: Principal | null;
  /** The command's key where the caller sent one. */
  readonly command: CommandKey | null;
  readonly now: Ms;
  readonly ip: string;
  /** The host that was asked, lower case, with its port where one was named. */
  readonly host: string;
  readonly request: Request;
  /** Headers for the answer (cookies, ETag). */
  readonly answer: Headers;
}

type Answer<N extends CallName> = (typeof CALLS)[N] extends { readonly output: 'bytes' | 'stream' }
  ? Response
  : Result<OutputOf<N>>;

/**
 * One handler a call; the table of all of them is typed over the contract, so that a missing one
 * does not compile.
 */
export type Handlers = {
  readonly [N in CallName]: (input: ParsedInputOf<N>, ctx: RequestContext) => Promise<Answer<N>>;
};
