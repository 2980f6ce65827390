import type { Ms, UserId } from '#contract/ids.ts';
import type { ShiftNow } from '#contract/daily-checks/hand-over.ts';
import { formatCount, formatRecent } from '#src/ui/format.ts';
import type { HandOver } from '#workers/api.ts';
import { dayAt, firstMomentOfDay } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { DEFAULT_LIST } from '../../shared/runs/list-state.ts';
import type { RunListState } from '../../shared/runs/list-state.ts';
import { handOverMessages as t } from './messages.en.ts';

/** Older hand-overs are no longer relevant. */
const LASTS: Ms = 4 * 86_400_000;

/** Returns the start of the shift: the last hand-over, or the start of the operational day. */
export const shiftBegan = (shifts: readonly HandOver[], now: Ms, rule: DayRule): Ms =>
  shifts[0]?.at ?? firstMomentOfDay(dayAt(now, rule), rule);

/**
 * Returns the hand-over to show to this user: the newest one by another user that is neither
 * dismissed nor old.
 */
export function findUnreadHandOver(
  shifts: readonly HandOver[],
  me: UserId,
  putAway: string | null,
  now: Ms,
): HandOver | null {
  const [last] = shifts;
  return !last || last.by === me || last.id === putAway || now - last.at > LASTS ? null : last;
}

/** `Since the last hand-over by Dana Reyes at 07:46 AM: 3 new, 12 still open.` */
export function sinceHandOverText(
  { name, at }: Pick<HandOver, 'name' | 'at'>,
  { fresh, older, unlisted }: Pick<ShiftNow, 'fresh' | 'older' | 'unlisted'>,
  now: Ms,
  zone: string,
): string {
  const values = {
    time: formatRecent(at, zone, now),
    fresh: formatCount(fresh),
    open: formatCount(older),
  };
  const since = name === '' ? t.sinceLast(values) : t.sinceLastBy({ ...values, name });
  if (!unlisted) return since;
  return `${since} ${unlisted === fresh + older ? t.noneListed : t.someUnlisted({ count: unlisted })}`;
}

/** Returns the default run list for all days on the device: open results of any age. */
export const allOpen = ({ order, reverse, group }: RunListState): RunListState => ({
  ...DEFAULT_LIST,
  span: { kind: 'last', days: 30 },
  order,
  reverse,
  group,
});

/** Returns how many problems the list does not show, and why. */
export function unlistedWords(unlisted: number, all: number): string {
  const sentence =
    unlisted === all
      ? t.allUnlisted({ count: all })
      : t.partUnlisted({ count: unlisted, total: formatCount(all) });
  return `${sentence} ${t.unlistedReason}`;
}

/** Returns the input to send. A blank text means no comment. */
export function toHandOver(
  id: string,
  since: Ms,
  now: Ms,
  { cleared, of, snoozed, open, ending }: ShiftNow,
  words: string,
  query: string,
) {
  return {
    id,
    since,
    at: now,
    cleared,
    of,
    snoozed,
    query,
    comment: words.trim() === '' ? null : words.trim(),
    open: open.map(({ company, problems }) => ({ company, problems })),
    ending: ending.map(({ run, until }) => ({ run, until })),
  };
}
