import * as v from 'valibot';
import type { RowOf } from '../row.ts';

/**
 * The last rating of a hint with a problem (HINT-3). `at`: when it was given. Nobody deletes these
 * rows, so the count of a hint doesn't depend on how far back the log reaches.
 */
export const HintRatingRowSchema = v.object({
  id: v.string(),
  hint: v.string(),
  problem: v.number(),
  helped: v.boolean(),
  at: v.number(),
});
export type HintRatingRow = RowOf<typeof HintRatingRowSchema>;
