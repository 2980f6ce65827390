import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { Ability } from './abilities.ts';
import type { FailureKind } from './errors.ts';

/**
 * Who may make the call: everybody, any signed-in user, a user with the ability, or a client with
 * an ingest key.
 */
export type Gate = 'public' | 'signed-in' | 'ingest-key' | Ability;

/** Features that a provider switches on and off in its branding. */
export type FeatureSwitch = 'rules' | 'hints' | 'reporting' | 'billing';

/**
 * The definition of one API call. `input` describes all input as one object: fields named as `{…}`
 * in the path come from the path, the others from the query (GET, DELETE) or the JSON body.
 * `output` is the schema of `data` in the envelope, or the form of a raw response.
 */
export interface Call<
  I extends GenericSchema = GenericSchema,
  O extends GenericSchema = GenericSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below `/api/v1/`, without a leading slash. `{x}` are path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly input: I;
  readonly output: O | 'bytes' | 'stream';
  /** Media type of a stream that isn't an event stream. */
  readonly media?: string;
  readonly gate: Gate;
  /**
   * The feature that the provider must have switched on. If it is off, nobody can make this call.
   */
  readonly feature?: FeatureSwitch;
  readonly failures: readonly FailureKind[];
  /**
   * Present if a device may queue the call. The text says how conflicts between two devices are
   * resolved (OUT-6).
   */
  readonly offline?: string;
  /**
   * What an API key needs to make this call (KEY-3), if that differs from the ability of the gate.
   * For a `signed-in` call: an ability, or `any` for every valid key. `false`: no key can make it.
   * Calls whose class isn't plain (call-classes.ts) need a signed-in person and refuse API keys.
   */
  readonly apiKeyAllowed?: Ability | 'any' | false;
  /**
   * Restore operators can make this call without its ability. They see and restore what their roles
   * are about (G63).
   */
  readonly operatorAllowed?: true;
  /** Maximum size of the body in bytes, if not `LIMITS.bodyBytes`. */
  readonly bodyBytes?: number;
  /** Also allowed before the user has set a required new password (AUTH-12). */
  readonly allowedBeforeSetup?: true;
  /**
   * Waits for a system outside, such as the tenant or object storage. A device waits longer for its
   * answer.
   */
  readonly isSlow?: true;
  /**
   * Sent while the user types. A newer call from the same device aborts an unfinished older one.
   */
  readonly newestOnly?: true;
  /**
   * The handler checks the ingest key in the transaction that records, so the gate may accept a key
   * that it has cached.
   */
  readonly cachedKeyAllowed?: true;
  /** The handler reads the request itself and accepts any body and content type (ingest). */
  readonly raw?: true;
}

/**
 * Checks an entry and preserves its exact type, so the compiler knows which calls are raw or can be
 * queued.
 */
export const call = <const C extends Call>(one: C): C => one;

export type CallInput<C> = C extends { readonly input: infer I extends GenericSchema }
  ? InferInput<I>
  : never;
export type ParsedInput<C> = C extends { readonly input: infer I extends GenericSchema }
  ? InferOutput<I>
  : never;
export type CallOutput<C> = C extends { readonly output: infer G }
  ? G extends GenericSchema
    ? InferOutput<G>
    : never
  : never;
