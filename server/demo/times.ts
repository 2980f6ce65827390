import { LRUCache } from 'lru-cache';
import type { Ms } from '#contract/ids.ts';
import { type DayN, getDay, offsetAt } from '#contract/time/day.ts';
import type { CronNext } from '#contract/problems/expectation.ts';
import { DAY_MS, MINUTE_MS } from '#contract/time/durations.ts';

/** When a job starts: minutes of the day in its zone, ascending, on weekdays (bit 0 is Sunday). */
export interface When {
  readonly times: readonly number[];
  readonly days: number;
  readonly tz: string;
}

export const EVERY_DAY = 0b111_1111;
export const WORKDAYS = 0b011_1110;
export const SATURDAY = 0b100_0000;
export const SUNDAY = 0b000_0001;

/** Returns the bit of the weekday. 1970-01-01 was a Thursday. */
export const getWeekday = (day: DayN): number => (((day + 4) % 7) + 7) % 7;
export const isOn = (when: When, day: DayN): boolean => ((when.days >> getWeekday(day)) & 1) === 1;

/** Returns the time of a local minute of a day in a zone. */
export function getLocalMoment(day: DayN, minute: number, tz: string): Ms {
  const wall = day * DAY_MS + minute * MINUTE_MS;
  return wall - offsetAt(wall - offsetAt(wall, tz), tz);
}

/** Repeating minutes: `from`, then every `step` minutes until midnight. */
export const everyMinutes = (step: number, from: number): number[] => {
  const times: number[] = [];
  for (let minute = from % step; minute < 1_440; minute += step) times.push(minute);
  return times;
};

/**
 * Returns the cron line of a schedule whose times are all combinations of some minutes and some
 * hours.
 */
export function getCron({ times, days }: When): string {
  const minutes = [...new Set(times.map((time) => time % 60))].sort((a, b) => a - b);
  const hours = [...new Set(times.map((time) => Math.floor(time / 60)))].sort((a, b) => a - b);
  const weekdays =
    days === EVERY_DAY ? '*' : [0, 1, 2, 3, 4, 5, 6].filter((day) => (days >> day) & 1).join(',');
  return `${minutes.join(',')} ${hours.length === 24 ? '*' : hours.join(',')} * * ${weekdays}`;
}

/**
 * Reads the lines that `getCron` writes, a hundred times as fast as a general parser: generating a
 * history makes hundreds of thousands of calls.
 */
export const plainCronNext: CronNext = (cron, tz, after) => {
  const when = read(cron);
  const today = getDay(after, tz, 0);
  for (let day = today; day <= today + 7; day += 1) {
    if (((when.days >> getWeekday(day)) & 1) === 0) continue;
    for (const minute of when.times) {
      const at = getLocalMoment(day, minute, tz);
      if (at > after) return at;
    }
  }
  return null;
};

const known = new LRUCache<string, Pick<When, 'times' | 'days'>>({ max: 20_000 });

function read(cron: string): Pick<When, 'times' | 'days'> {
  let when = known.get(cron);
  if (when === undefined) {
    const [minutes = '', hours = '', , , weekdays = ''] = cron.split(' ');
    const allHours =
      hours === '*' ? Array.from({ length: 24 }, (_, hour) => hour) : hours.split(',').map(Number);
    const times = allHours.flatMap((hour) =>
      minutes.split(',').map((minute) => hour * 60 + Number(minute)),
    );
    when = {
      times,
      days:
        weekdays === '*'
          ? EVERY_DAY
          : weekdays.split(',').reduce((mask, day) => mask | (1 << Number(day)), 0),
    };
    known.set(cron, when);
  }
  return when;
}
