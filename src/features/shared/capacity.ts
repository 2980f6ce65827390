import type { CompanyN, Ms } from '#contract/ids.ts';
import type { RepositoryOut } from '#contract/daily-checks/operator-calls.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { capacityMessages as t } from './capacity.messages.en.ts';

const MAX_SHOWN = 5;
/**
 * Thresholds in days: a repository that is full within them counts as a warning, or needs
 * attention.
 */
const WARNS_DAYS = 14;
const PRESSING_DAYS = 7;

/** A repository that fills up. */
export interface Filling {
  readonly id: string;
  readonly name: string;
  readonly company: CompanyN;
  readonly fullAt: Ms;
  /** Whole days left; 0 if it is full or will be within a day. */
  readonly daysLeft: number;
  /** Fill level, 0 to 1. Null if the capacity is unknown. */
  readonly used: number | null;
  /** Used bytes per day, oldest first. */
  readonly trace: readonly (number | null)[];
  readonly tone: 'failed' | 'warning' | 'trace';
}

/** Returns the repositories that will be full, soonest first. */
export function fillingUp(
  repositories: readonly RepositoryOut[],
  companies: readonly CompanyN[],
  now: Ms,
): readonly Filling[] {
  return repositories
    .flatMap(({ _id: id, ...one }): Filling[] => {
      if (one.fullAt === null || (companies.length > 0 && !companies.includes(one.company)))
        return [];
      const daysLeft = Math.max(0, Math.floor((one.fullAt - now) / DAY_MS));
      const used =
        one.usedBytes ??
        (one.capacityBytes !== null && one.freeBytes !== null
          ? one.capacityBytes - one.freeBytes
          : null);
      return [
        {
          id,
          name: one.name,
          company: one.company,
          fullAt: one.fullAt,
          daysLeft,
          used:
            used === null || one.capacityBytes === null || one.capacityBytes <= 0
              ? null
              : Math.min(1, Math.max(0, used / one.capacityBytes)),
          trace: one.days.map(({ usedBytes }) => usedBytes),
          tone: one.fullAt <= now ? 'failed' : daysLeft < WARNS_DAYS ? 'warning' : 'trace',
        },
      ];
    })
    .toSorted((a, b) => a.fullAt - b.fullAt || a.name.localeCompare(b.name));
}

export const mostPressing = (filling: readonly Filling[]): readonly Filling[] =>
  filling.slice(0, MAX_SHOWN);
export const needsRoom = ({ daysLeft }: Filling): boolean => daysLeft < PRESSING_DAYS;

/** `full`, `full today`, `full in 1 day`, `full in 16 days`. */
export function fullWords(
  { daysLeft, fullAt }: Pick<Filling, 'daysLeft' | 'fullAt'>,
  now: Ms,
): string {
  if (fullAt <= now) return t.full;
  return daysLeft === 0 ? t.withinADay : t.inDays({ days: daysLeft });
}
