import * as v from 'valibot';
import type { CompanyN, Ms, RunN } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import type { RowOf } from '../row.ts';
import type { RunsFilter } from '../runs/query.ts';

const ms = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const max = 1_000;

/**
 * The state at the end of a shift. The device that hands over counts it, so that it also works
 * offline.
 */
export const shiftFields = {
  id: v.pipe(v.string(), v.uuid()),
  /** When the previous shift ended, or when the day of this shift began. */
  since: ms,
  at: ms,
  cleared: count,
  of: count,
  snoozed: count,
  /** Open problems per company, most first. */
  open: v.pipe(v.array(v.strictObject({ company: count, problems: count })), v.maxLength(max)),
  /** Snoozes that end within a day. */
  ending: v.pipe(v.array(v.strictObject({ run: count, until: ms })), v.maxLength(max)),
  comment: v.nullable(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LIMITS.noteChars))),
  /** The list that was handed over: the query of its address, after `?`. */
  query: v.pipe(v.string(), v.maxLength(LIMITS.viewChars)),
};
export const shiftHandedOver = v.strictObject({
  type: v.literal('shift.handedOver@1'),
  data: v.strictObject(shiftFields),
});

/** A hand-over. Hand-overs are sorted by `receivedAt`, the server's time. */
export const ShiftRowSchema = v.object({ ...shiftFields, by: v.string(), receivedAt: ms });
export type ShiftRow = RowOf<typeof ShiftRowSchema>;

/**
 * The query for the figures of a shift, counted in problems. `since`: when the shift began. `list`:
 * the list on the screen; null if there is none.
 */
export interface ShiftQuery {
  readonly since: Ms;
  readonly list: RunsFilter | null;
}
export interface ShiftNow {
  /** Reviewed since then by anyone, and still reviewed. */
  readonly cleared: number;
  /** `cleared` plus the problems still to check. */
  readonly of: number;
  readonly snoozed: number;
  /** Problems to check: those that appeared since then, and older ones. */
  readonly fresh: number;
  readonly older: number;
  /**
   * Number of problems to check that the list on the screen doesn't show. A hand-over contains all
   * open problems, including those older than the days of the list. Null if no list was given, and
   * while days of it are still loading.
   */
  readonly unlisted: number | null;
  /** Problems to check per company, most first. */
  readonly open: readonly {
    readonly company: CompanyN;
    readonly name: string;
    readonly problems: number;
  }[];
  /** Snoozes that end within a day, earliest first, each with the newest run of its problem. */
  readonly ending: readonly {
    readonly run: RunN;
    readonly until: Ms;
    readonly jobName: string;
    readonly companyName: string;
  }[];
}
