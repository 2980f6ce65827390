import type { DateTime } from 'luxon';
import type { Recurrence } from '../../sources/outlook/entities.ts';
import type { EventException } from './event-message.ts';
import { countMinutes, longs, makeRecurrencePattern, shorts } from './recurrence-pattern.ts';
import { clean } from './shared-properties.ts';

const READER_VERSION = 0x3006;
const WRITER_VERSION = 0x3009;
const HAS_SUBJECT = 0x01;
const HAS_LOCATION = 0x10;

interface Changes {
  readonly exceptions: readonly EventException[];
  readonly canceled: readonly DateTime[];
}

/** A series of events with what differs from it ([MS-OXOCAL] 2.2.1.44.5). */
export function makeAppointmentRecurrence(
  recurrence: Recurrence,
  { start, end }: { readonly start: DateTime; readonly end: DateTime },
  { exceptions, canceled }: Changes,
): Buffer {
  const changed = exceptions.toSorted((a, b) => countMinutes(a.start) - countMinutes(b.start));
  const startOffset = start.hour * 60 + start.minute;
  const duration = countMinutes(end) - countMinutes(start);
  return Buffer.concat([
    makeRecurrencePattern(recurrence, start, {
      removed: [...canceled, ...changed.map(({ original }) => original)].map(toMidnight),
      moved: changed.map((exception) => toMidnight(exception.start)),
    }),
    longs([READER_VERSION, WRITER_VERSION, startOffset, startOffset + duration]),
    shorts([changed.length]),
    ...changed.map(makeException),
    longs([0]),
    ...changed.map(makeExtension),
    longs([0]),
  ]);
}

const toMidnight = (at: DateTime): DateTime => at.startOf('day');

const getDates = ({ start, end, original }: EventException): Buffer =>
  longs([countMinutes(start), countMinutes(end), countMinutes(original)]);
const getTexts = ({ part }: EventException): readonly [string, string] => [
  clean(part.subject),
  clean(part.location?.displayName),
];

/** The subject and place, which other programs read without opening the exception. */
function makeException(exception: EventException): Buffer {
  return Buffer.concat([
    getDates(exception),
    shorts([HAS_SUBJECT | HAS_LOCATION]),
    // Letters of one byte. The extension has all of them.
    ...getTexts(exception).flatMap((text) => {
      const bytes = Buffer.from(text, 'latin1').subarray(0, MAX_TEXT);
      return [shorts([bytes.length + 1, bytes.length]), bytes];
    }),
  ]);
}
const MAX_TEXT = 255;

function makeExtension(exception: EventException): Buffer {
  return Buffer.concat([
    // No change is highlighted.
    longs([4, 0, 0]),
    getDates(exception),
    ...getTexts(exception).flatMap((text) => {
      const short = text.slice(0, MAX_TEXT).toWellFormed();
      return [shorts([short.length]), Buffer.from(short, 'utf16le')];
    }),
    longs([0]),
  ]);
}
