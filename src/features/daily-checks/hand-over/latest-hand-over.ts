import type { Ms, UserId } from '#contract/ids.ts';
import type { ShiftNow } from '#contract/daily-checks/hand-over.ts';
import { formatCount, formatTime, formatWhen } from '#src/ui/format.ts';
import type { HandOver } from '#workers/api.ts';
import { dayAt, startOfDay } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { DEFAULTS } from '../../shared/runs/list-state.ts';
import type { List } from '../../shared/runs/list-state.ts';

/** A hand-over that is older is nobody's morning any more. */
const LASTS: Ms = 4 * 86_400_000;

/** Where a shift begins: at the last hand-over, or with the operational day where there is none. */
export const shiftBegan = (shifts: readonly HandOver[], now: Ms, rule: DayRule): Ms =>
  shifts[0]?.at ?? startOfDay(dayAt(now, rule), rule);

/**
 * The hand-over that the next person is told of: the newest, made by another, not put away, and not
 * old.
 */
export function toldOf(
  shifts: readonly HandOver[],
  me: UserId,
  putAway: string | null,
  now: Ms,
): HandOver | null {
  const [last] = shifts;
  return !last || last.by === me || last.id === putAway || now - last.at > LASTS ? null : last;
}

/** `Since the last hand-over by Dana Reyes at 07:46 AM: 3 new, 12 still open.` */
export const sinceWords = (
  { name, at }: Pick<HandOver, 'name' | 'at'>,
  { fresh, standing, unlisted }: Pick<ShiftNow, 'fresh' | 'standing' | 'unlisted'>,
  now: Ms,
  zone: string,
): string =>
  `Since the last hand-over${name === '' ? '' : ` by ${name}`} at ${now - at < DAY_MS ? formatTime(at, zone) : formatWhen(at, zone)}: ${formatCount(fresh)} new, ${formatCount(standing)} still open${unlisted ? `, ${unlisted === fresh + standing ? 'none' : formatCount(unlisted)} of them ${unlisted === fresh + standing ? '' : 'not '}in this list` : ''}.`;

/** The default round over all days that a device keeps: what is open, however old. */
export const allOpen = ({ order, reverse, group }: List): List => ({
  ...DEFAULTS,
  span: { is: 'last', days: 30 },
  order,
  reverse,
  group,
});

/** `4 of 12 to check are not in this list: older than its days, filtered out, or running again.` */
export const unlistedWords = (unlisted: number, all: number): string =>
  `${unlisted === all ? (all === 1 ? 'The one' : `All ${formatCount(all)}`) : `${formatCount(unlisted)} of ${formatCount(all)}`} to check ${unlisted === 1 ? 'is' : 'are'} not in this list: older than its days, filtered out, or running again.`;

/** What is sent. Blank words are no comment. */
export function handOverOf(
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

const DAY_MS = 86_400_000;
