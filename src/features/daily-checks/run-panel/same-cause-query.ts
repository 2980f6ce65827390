import type { CauseN, Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/runs/query.ts';

/** Period of the list: `from` inclusive, `to` exclusive; null for no limit. */
export interface Days {
  readonly from: Ms | null;
  readonly to: Ms | null;
}

const LOOKED_AT = 60;

/**
 * PANEL-2: returns the query for all jobs with a cause in the list's days, the same that its link
 * opens.
 */
export const sameCause = (cause: CauseN, { from, to }: Days) =>
  ({
    filter: { ...EVERYTHING, from, to, rows: 'jobs', causes: [cause], order: 'newest' },
    window: { first: 0, count: LOOKED_AT },
    isInUse: false,
    folded: [],
    round: 0,
  }) as const;
