import * as v from 'valibot';
import type { CompanyN, Ms, RunN, UserId } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import type { RunsFilter } from '../runs/query.ts';

const ms = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const most = 1_000;

/**
 * What stood when a shift ended: counted on the device that handed over, so that it can be done
 * with no network.
 */
export const shiftFields = {
  id: v.pipe(v.string(), v.uuid()),
  /** The end of the shift before, or when this one's day began. */
  since: ms,
  at: ms,
  cleared: count,
  of: count,
  snoozed: count,
  /** Open problems of companies, most first. */
  open: v.pipe(v.array(v.strictObject({ company: count, problems: count })), v.maxLength(most)),
  /** Snoozes that end within a day. */
  ending: v.pipe(v.array(v.strictObject({ run: count, until: ms })), v.maxLength(most)),
  comment: v.nullable(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.noteChars))),
  /** The list that was handed over: what stands in its address after `?`. */
  query: v.pipe(v.string(), v.maxLength(LIMITS.viewChars)),
};
export const shiftEnded = v.strictObject({
  type: v.literal('shift.ended@1'),
  data: v.strictObject(shiftFields),
});

/** A hand-over. `receivedAt`: the server's time, by which they stand in order. */
export type ShiftRow = v.InferOutput<typeof shiftEnded>['data'] & {
  readonly by: UserId;
  readonly receivedAt: Ms;
};

/**
 * What a shift comes to, by problems. `since`: when it began. `list`: the list on the screen, null
 * where there is none.
 */
export interface ShiftAsk {
  readonly since: Ms;
  readonly list: RunsFilter | null;
}
export interface ShiftNow {
  /** Reviewed since then, by anyone, and still reviewed. */
  readonly cleared: number;
  /** Those, and what is still to check. */
  readonly of: number;
  readonly snoozed: number;
  /** To check now: what came since then, and before. */
  readonly fresh: number;
  readonly standing: number;
  /**
   * Of those to check, how many the list on the screen does not show: all open ones are handed
   * over, also what is older than its days. Null where no list was asked of, and while days of it
   * are still to come.
   */
  readonly unlisted: number | null;
  /** To check, by company, most first. */
  readonly open: readonly {
    readonly company: CompanyN;
    readonly name: string;
    readonly problems: number;
  }[];
  /**
   * Snoozes that end within a day, the first to end first, each with the newest run of its problem.
   */
  readonly ending: readonly {
    readonly run: RunN;
    readonly until: Ms;
    readonly jobName: string;
    readonly companyName: string;
  }[];
}
