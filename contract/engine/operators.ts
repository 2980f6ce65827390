import type { Ms } from '../ids.ts';
import type { EngineScope, Id, Reply } from './engine.ts';

/** What restores by operators need of an organization's tenant. */
export interface OperatorCalls {
  /** Reads who is in groups, where that isn't known or older than `maxAgeMs`. */
  refreshGroups(
    scope: Pick<EngineScope, 'tenant' | 'organization'>,
    input: { groups: readonly Id[]; maxAgeMs: Ms },
  ): Reply<void>;
}
