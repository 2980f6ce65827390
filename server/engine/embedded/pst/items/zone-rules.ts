import { DateTime, IANAZone } from 'luxon';
import { findWindows } from 'windows-iana';
import { findYearlyChanges, type YearlyChange } from '../../formats/time-zone.ts';
import { longs, shorts } from './recurrence-pattern.ts';

// The rules of a time zone as Outlook stores them beside an event ([MS-OXOCAL] 2.2.1.39 to 2.2.1.43).

interface Rules {
  /** Minutes to add to local time for UTC, and how many more while clocks are changed. */
  readonly biases: readonly [number, number, number];
  readonly standard: Buffer;
  readonly daylight: Buffer;
}

const NO_DATE = Buffer.alloc(16);

function getRules(zone: string, year: number): Rules {
  const changes = findYearlyChanges(zone, year);
  const winter = changes?.toSorted((a, b) => a.toMinutes - b.toMinutes);
  const [standard, daylight] = winter ?? [];
  if (standard === undefined || daylight === undefined) {
    const offset = IANAZone.create(zone).offset(DateTime.utc(year).toMillis());
    return { biases: [-offset, 0, 0], standard: NO_DATE, daylight: NO_DATE };
  }
  return {
    biases: [-standard.toMinutes, 0, standard.toMinutes - daylight.toMinutes],
    standard: toSystemTime(standard),
    daylight: toSystemTime(daylight),
  };
}

/** Without a year: the week of a month. */
const toSystemTime = ({ month, weekday, week, hour, minute }: YearlyChange): Buffer =>
  shorts([0, month, weekday % 7, week, hour, minute, 0, 0]);

/** PidLidTimeZoneStruct. */
export function makeZoneStruct(zone: string, year: number): Buffer {
  const { biases, standard, daylight } = getRules(zone, year);
  return Buffer.concat([longs(biases), shorts([0]), standard, shorts([0]), daylight]);
}

const HEADER_BYTES = 6;
const RECURRING = 2;
const CURRENT = 1;

/** PidLidAppointmentTimeZoneDefinition…, under the name that Windows has for the zone. */
export function makeZoneDefinition(zone: string, year: number, isSeries: boolean): Buffer {
  const { biases, standard, daylight } = getRules(zone, year);
  const name = Buffer.from(findWindows(zone)[0] ?? zone, 'utf16le');
  return Buffer.concat([
    Buffer.from([2, 1]),
    shorts([HEADER_BYTES + name.length, RECURRING, name.length / 2]),
    name,
    shorts([1]),
    Buffer.from([2, 1]),
    shorts([0x3e, isSeries ? RECURRING | CURRENT : CURRENT, 0]),
    Buffer.alloc(14),
    longs(biases),
    standard,
    daylight,
  ]);
}
