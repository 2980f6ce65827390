import type { Ability, Role } from '#contract/abilities.ts';
import type { Gate } from '#contract/call.ts';
import type { CALLS, CallName, OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type {
  ApiKeyId,
  CommandId,
  CompanyN,
  DeviceId,
  ImpersonationId,
  Ms,
  OrganizationId,
  TenantId,
  UserId,
} from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import type { AuthenticatedSource } from '../auth/ingest-key-auth.ts';

/**
 * The caller, from the session or the key, never from the body (T2). With an API key, `sessionId`
 * is the key's.
 */
export interface Principal {
  readonly sessionId: string;
  readonly userId: UserId;
  readonly roles: readonly Role[];
  /** Null: all companies of the provider. */
  readonly companies: readonly CompanyN[] | null;
  /** The caller's companies that were deleted. Nobody sees them any more. */
  readonly deleted?: readonly CompanyN[];
  /**
   * The acting user: the user itself, or the one who impersonates it; then `impersonation` is set.
   */
  readonly actor: UserId;
  readonly impersonation: ImpersonationId | null;
  readonly beganAt: Ms;
  /**
   * Set for a program with the user's API key: limits what the roles grant to these abilities.
   * Check with `hasAbility`, not by the roles.
   */
  readonly key?: { readonly id: ApiKeyId; readonly abilities: readonly Ability[] };
  /** Set for a user who restores for others and makes a call that its roles wouldn't allow. */
  readonly operators?: readonly OperatorIdentity[];
  /** When the user last authenticated (G44); never, for a key. */
  readonly authenticatedAt: Ms;
  /** The user must choose a new password before any call that needs an ability. */
  readonly mustReset: boolean;
}

/** A person of an organization's directory, whose roles of restore operators count. */
export interface OperatorIdentity {
  readonly organization: OrganizationId;
  readonly object: string;
}

/**
 * Identifies an idempotent command of a device (OUT-3): its id, the device, and its number in the
 * device's order.
 */
export interface CommandKey {
  readonly id: CommandId;
  readonly device: DeviceId;
  readonly order: number;
  readonly bodyHash: string;
}

/** What every handler gets, also that of a public call. */
export interface RequestContext {
  readonly tenant: TenantId;
  /** The command's key, if the caller sent one. */
  readonly command: CommandKey | null;
  readonly now: Ms;
  readonly ip: string;
  /** The requested host, lower case, with its port if the request named one. */
  readonly host: string;
  readonly request: Request;
  /**
   * Fires when the client closes the connection before its answer. Null for calls that change
   * something: they end what they have begun.
   */
  readonly signal: AbortSignal | null;
  /** Headers for the response (cookies, ETag). */
  readonly answer: Headers;
}

/** A call whose gate is `signed-in` or an ability. */
export interface SessionContext extends RequestContext {
  readonly session: Principal;
}

/** A call whose gate is `ingest-key`. The key may be another provider's than the host's. */
export interface IngestContext extends RequestContext {
  readonly holder: AuthenticatedSource;
}

/** What the gate of a call proves before its handler runs. */
export type ContextOf<N extends CallName> = ContextBehind<(typeof CALLS)[N]['gate']>;
type ContextBehind<G extends Gate> = G extends 'public'
  ? RequestContext
  : G extends 'ingest-key'
    ? IngestContext
    : SessionContext;

type Answer<N extends CallName> = (typeof CALLS)[N] extends { readonly output: 'bytes' | 'stream' }
  ? Response
  : Result<OutputOf<N>>;

/**
 * One handler per call. The table is typed by the contract, so a missing handler doesn't compile,
 * and neither does one that reads a session or a key that its call's gate doesn't prove.
 */
export type Handlers = {
  readonly [N in CallName]: (input: ParsedInputOf<N>, ctx: ContextOf<N>) => Promise<Answer<N>>;
};
