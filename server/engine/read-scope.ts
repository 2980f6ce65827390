import type { EngineScope } from '#contract/engine/engine.ts';

/** Whose data is read. `signal`: it fires when nobody waits for the answer any more. */
export interface ReadScope extends EngineScope {
  readonly signal?: AbortSignal;
}
