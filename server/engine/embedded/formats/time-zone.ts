import { DAY_MS, MINUTE_MS } from '#contract/time/durations.ts';
import { LRUCache } from 'lru-cache';
import { DateTime, IANAZone } from 'luxon';
import { findIana } from 'windows-iana';

/**
 * Returns the IANA name of a zone that Outlook names, in Windows' way or in IANA's. Zones of a single
 * program, as old versions of Outlook made them, are unknown: null.
 */
export function findIanaZone(name: string | null | undefined): string | null {
  if (!name) return null;
  const found = known.get(name) ?? { zone: findZone(name) };
  known.set(name, found);
  return found.zone;
}
/** Zones by the name in a mail: checking a name takes longer than reading an event. */
const known = new LRUCache<string, { readonly zone: string | null }>({ max: 1_000 });

function findZone(name: string): string | null {
  const zone = /^(?:utc|gmt)$/i.test(name) ? 'UTC' : (findIana(name)[0] ?? name);
  return IANAZone.isValidZone(zone) ? zone : null;
}

/** When the offset of a zone changes. */
interface Transition {
  /** Local time before the change. */
  readonly local: DateTime;
  readonly fromMinutes: number;
  readonly toMinutes: number;
}

/** Beyond these years, the rules of the last year continue. */
const YEARS_AFTER = 3;
const LISTED_YEARS = 25;

/** Returns the lines of a zone from a year on (RFC 5545, 3.6.5). */
export function writeTimeZone(zone: string, year: number): readonly string[] {
  const key = `${zone} ${year}`;
  const lines = written.get(key) ?? makeTimeZone(zone, year);
  written.set(key, lines);
  return lines;
}
/** Zones by name and year: a mailbox has thousands of events in a few. */
const written = new LRUCache<string, readonly string[]>({ max: 1_000 });

function makeTimeZone(zone: string, year: number): readonly string[] {
  const lines = ['BEGIN:VTIMEZONE', `TZID:${zone}`];
  const first = DateTime.fromObject({ year: year - 1 }, { zone });
  const transitions = listTransitions(zone, year - 1, year + YEARS_AFTER);
  // What holds before the first change.
  lines.push(
    'BEGIN:STANDARD',
    `DTSTART:${localText(first)}`,
    `TZOFFSETFROM:${offset(first.offset)}`,
    `TZOFFSETTO:${offset(first.offset)}`,
    `TZNAME:${first.toFormat('ZZZZ')}`,
    'END:STANDARD',
  );
  const kinds = Map.groupBy(
    transitions,
    ({ fromMinutes, toMinutes }) => `${fromMinutes} ${toMinutes}`,
  );
  for (const changes of kinds.values()) lines.push(...writeChanges(zone, year, changes));
  return [...lines, 'END:VTIMEZONE'];
}

function writeChanges(zone: string, year: number, changes: readonly Transition[]): string[] {
  const [first] = changes;
  if (first === undefined) return [];
  const rule = findRule(changes);
  const dates =
    rule === null
      ? listTransitions(zone, year - 1, year + LISTED_YEARS).filter(
          (change) =>
            change.fromMinutes === first.fromMinutes && change.toMinutes === first.toMinutes,
        )
      : [];
  const name = first.toMinutes > first.fromMinutes ? 'DAYLIGHT' : 'STANDARD';
  return [
    `BEGIN:${name}`,
    `DTSTART:${localText(first.local)}`,
    ...(rule === null ? [] : [`RRULE:${rule}`]),
    // Some readers take only the first date of a line. The first change begins the component.
    ...dates.slice(1).map(({ local }) => `RDATE:${localText(local)}`),
    `TZOFFSETFROM:${offset(first.fromMinutes)}`,
    `TZOFFSETTO:${offset(first.toMinutes)}`,
    `TZNAME:${first.local.plus({ days: 1 }).toFormat('ZZZZ')}`,
    `END:${name}`,
  ];
}

/** When a zone changes its offset each year: a weekday of a month. `week` 5: the last. */
export interface YearlyChange {
  readonly month: number;
  readonly weekday: number;
  readonly week: number;
  readonly hour: number;
  readonly minute: number;
  readonly toMinutes: number;
}

/** Returns both changes of the years from `year` on; null for a zone without them. */
export function findYearlyChanges(zone: string, year: number): readonly YearlyChange[] | null {
  const kinds = Map.groupBy(
    listTransitions(zone, year, year + YEARS_AFTER),
    ({ toMinutes }) => toMinutes,
  );
  const changes = [...kinds.values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined || findRule(list) === null) return [];
    const { local, toMinutes } = first;
    const isLast = list.every(({ local: day }) => day.day + 7 > (day.daysInMonth ?? 31));
    const { month, weekday, hour, minute } = local;
    const week = isLast ? 5 : Math.ceil(local.day / 7);
    return [{ month, weekday, week, hour, minute, toMinutes }];
  });
  return changes.length === 2 ? changes : null;
}

/** Finds the changes of offset hour by hour, then to the minute. */
function listTransitions(zone: string, from: number, to: number): Transition[] {
  const found: Transition[] = [];
  const end = DateTime.fromObject({ year: to + 1 }, { zone }).toMillis();
  let at = DateTime.fromObject({ year: from }, { zone }).toMillis();
  let before = IANAZone.create(zone).offset(at);
  for (; at < end; at += DAY_MS) {
    const after = IANAZone.create(zone).offset(at + DAY_MS);
    if (after === before) continue;
    let low = at;
    let high = at + DAY_MS;
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
      if (IANAZone.create(zone).offset(middle) === before) low = middle;
      else high = middle;
    }
    found.push({
      local: DateTime.fromMillis(high + before * MINUTE_MS, { zone: 'UTC' }),
      fromMinutes: before,
      toMinutes: after,
    });
    before = after;
  }
  return found;
}

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The rule that gives all of the changes: the same weekday of a month, counted from its begin or end. */
function findRule(changes: readonly Transition[]): string | null {
  const [first] = changes;
  if (first === undefined || changes.length < YEARS_AFTER) return null;
  const isSame = changes.every(
    ({ local, fromMinutes, toMinutes }) =>
      local.month === first.local.month &&
      local.weekday === first.local.weekday &&
      local.hour === first.local.hour &&
      fromMinutes === first.fromMinutes &&
      toMinutes === first.toMinutes,
  );
  if (!isSame) return null;
  const day = DAYS[first.local.weekday - 1] ?? 'SU';
  const begins = new Set(changes.map(({ local }) => Math.ceil(local.day / 7)));
  const isLast = changes.every(({ local }) => local.day + 7 > (local.daysInMonth ?? 31));
  const position = isLast ? -1 : begins.size === 1 ? [...begins][0] : null;
  return position === null
    ? null
    : `FREQ=YEARLY;BYMONTH=${first.local.month};BYDAY=${position}${day}`;
}

const localText = (at: DateTime): string => at.toFormat("yyyyLLdd'T'HHmmss");

function offset(minutes: number): string {
  const sign = minutes < 0 ? '-' : '+';
  const all = Math.abs(minutes);
  return `${sign}${String(Math.floor(all / 60)).padStart(2, '0')}${String(all % 60).padStart(2, '0')}`;
}
