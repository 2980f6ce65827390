import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { Ability } from './abilities.ts';
import type { FailureKind } from './errors.ts';

/**
 * Who may ask: everybody, a signed-in user, one with the ability, or the holder of an ingest key.
 */
export type Gate = 'public' | 'signed-in' | 'ingest-key' | Ability;

/** Parts of the portal that a provider switches on and off, as its branding names them. */
export type FeatureSwitch = 'rules' | 'hints' | 'reporting';

/**
 * One call of the API. `takes` is the whole input in one object: what `{…}` of the path names comes
 * from there, the rest from the query (GET, DELETE) or from the JSON body. `gives` is the schema of
 * `data` in the envelope, or how a raw answer looks.
 */
export interface Call<
  I extends GenericSchema = GenericSchema,
  O extends GenericSchema = GenericSchema,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1/`, without a leading slash; `{x}` are path parameters. */
  readonly path: string;
  readonly summary: string;
  readonly input: I;
  readonly output: O | 'bytes' | 'stream';
  /** What a stream is of, where it is not of events. */
  readonly media?: string;
  readonly gate: Gate;
  /**
   * The switch of the provider's branding that has to be on: where it is off, nobody may make this
   * call.
   */
  readonly feature?: FeatureSwitch;
  readonly failures: readonly FailureKind[];
  /** Set where a device may queue the call: how two devices that disagree are settled (OUT-6). */
  readonly offline?: string;
  /**
   * What an API key needs for it (KEY-3), where that is not the ability of the gate: of a call for
   * whoever is signed in an ability, or `any` key; `false`: no key makes it. Calls whose class is
   * not plain (call-classes.ts) need a person and take none.
   */
  readonly apiKeyAllowed?: Ability | 'any' | false;
  /** Made also by who has to choose a password before anything else (AUTH-12). */
  readonly allowedBeforeSetup?: true;
  /**
   * Asked while somebody types: of one device only the newest counts, and one that is still under
   * way is called off.
   */
  readonly newestOnly?: true;
  /** The handler reads the request itself: any body, any content type (ingest). */
  readonly raw?: true;
}

/**
 * Checks an entry and keeps its own type: which calls are raw or may queue is known to the
 * compiler.
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
