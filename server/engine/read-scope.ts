import type { EngineScope } from '#contract/engine/engine.ts';

/** The user whose data is read. `signal` fires when no caller waits for the answer any more. */
export interface ReadScope extends EngineScope {
  readonly signal?: AbortSignal;
}
