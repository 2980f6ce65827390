import type { CauseN, Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/runs/query.ts';

/** Times of the list: `from` inclusive, `to` exclusive; null has no end. */
export interface Days {
  readonly from: Ms | null;
  readonly to: Ms | null;
}

const LOOKED_AT = 60;

/** PANEL-2: all jobs with a cause in the days of the list, as its link opens them. */
export const sameCause = (cause: CauseN, { from, to }: Days) =>
  ({
    filter: { ...EVERYTHING, from, to, rows: 'jobs', causes: [cause], order: 'newest' },
    window: { first: 0, count: LOOKED_AT },
    held: false,
    folded: [],
    round: 0,
  }) as const;
