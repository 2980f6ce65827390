import { createHash } from 'node:crypto';
import { findIanaZone } from '../../formats/time-zone.ts';
import { readTime } from '../../formats/icalendar.ts';
import type { Attachment, Instance, OutlookEvent, Recurrence, ZonedTime } from './entities.ts';
import type { OutlookItem } from './read-item.ts';

/**
 * What of an item is compared with the target, as two hashes. `core`: what a restore puts back in every
 * case. `rest`: what the target may change or leave out, such as attendees and the form of a text.
 */
export interface Fingerprint {
  readonly core: string;
  readonly rest: string;
}
const MARK = 'outlook:';

export function getFingerprint(item: OutlookItem): Fingerprint {
  const [core, rest] = getFacts(item);
  return { core: hash(core), rest: hash(rest) };
}

/** As the flag of an item version in the index. */
export const toHash = ({ core, rest }: Fingerprint): string => `${MARK}${core}:${rest}`;
export function parseHash(text: string | undefined): Fingerprint | null {
  if (!text?.startsWith(MARK)) return null;
  const [core = '', rest = ''] = text.slice(MARK.length).split(':');
  return { core, rest };
}

const hash = (facts: unknown): string =>
  createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);

function getFacts(item: OutlookItem): readonly [unknown, unknown] {
  switch (item.kind) {
    case 'event':
      return getEventFacts(item.value);
    case 'contact': {
      const { value } = item;
      return [
        [
          value.displayName ?? '',
          value.givenName ?? '',
          value.middleName ?? '',
          value.surname ?? '',
          value.title ?? '',
          value.generation ?? '',
          value.nickName ?? '',
          value.companyName ?? '',
          value.department ?? '',
          value.jobTitle ?? '',
          (value.emailAddresses ?? []).map(({ address }) => address ?? ''),
          value.imAddresses ?? [],
          value.businessPhones ?? [],
          value.homePhones ?? [],
          value.mobilePhone ?? '',
          [value.businessAddress, value.homeAddress, value.otherAddress].map((place) => [
            place?.street ?? '',
            place?.city ?? '',
            place?.state ?? '',
            place?.postalCode ?? '',
            place?.countryOrRegion ?? '',
          ]),
          value.businessHomePage ?? '',
          value.birthday?.slice(0, 10) ?? '',
          value.personalNotes ?? '',
          sorted(value.categories),
        ],
        [value.photo?.contentBytes ?? '', value.fileAs ?? ''],
      ];
    }
    case 'task': {
      const { value } = item;
      return [
        [
          value.title ?? '',
          value.status ?? '',
          value.importance ?? 'normal',
          getDay(value.startDateTime),
          getDay(value.dueDateTime),
          getRule(value.recurrence),
          (value.checklistItems ?? []).map(({ displayName, isChecked }) => [
            displayName ?? '',
            isChecked === true,
          ]),
          (value.linkedResources ?? []).map(({ displayName, webUrl }) => [
            displayName ?? '',
            webUrl ?? '',
          ]),
          sorted(value.categories),
        ],
        [value.body?.content ?? '', getInstant(value.reminderDateTime)],
      ];
    }
  }
}

function getEventFacts(event: OutlookEvent): readonly [unknown, unknown] {
  return [
    [
      getInstanceFacts(event),
      event.sensitivity ?? 'normal',
      event.importance ?? 'normal',
      sorted(event.categories),
      getRule(event.recurrence),
      (event.exceptionOccurrences ?? [])
        .map((one) => [(one.originalStart ?? '').slice(0, 19), getInstanceFacts(one)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
      sorted(event.cancelledOccurrences?.map((name) => name.slice(-10))),
      sorted((event.attachments ?? []).map(getFile)),
    ],
    [
      event.body?.content ?? '',
      (event.attendees ?? []).map(({ emailAddress, type }) => [
        emailAddress?.address?.toLowerCase() ?? '',
        type ?? '',
      ]),
    ],
  ];
}

const getInstanceFacts = (part: Instance): unknown => [
  part.subject ?? '',
  part.isAllDay === true,
  getInstant(part.start),
  getInstant(part.end),
  part.location?.displayName ?? '',
  part.showAs ?? 'busy',
  part.isReminderOn === true ? (part.reminderMinutesBeforeStart ?? 0) : null,
];

const getFile = ({ name, contentBytes }: Attachment): string =>
  `${name ?? ''} ${contentBytes?.length ?? 0}`;

const getRule = (recurrence: Recurrence | null | undefined): unknown => {
  if (!recurrence) return null;
  const { pattern, range } = recurrence;
  return [
    pattern.type,
    pattern.interval,
    sorted(pattern.daysOfWeek),
    pattern.dayOfMonth ?? 0,
    pattern.month ?? 0,
    pattern.type.startsWith('relative') ? (pattern.index ?? 'first') : '',
    range.type,
    range.startDate,
    range.type === 'endDate' ? (range.endDate ?? '') : '',
    range.type === 'numbered' ? (range.numberOfOccurrences ?? 0) : 0,
  ];
};

const getInstant = (time: ZonedTime | null | undefined): number | null =>
  readTime(time, 'UTC')?.toMillis() ?? null;
const getDay = (time: ZonedTime | null | undefined): string | null =>
  readTime(time, findIanaZone(time?.timeZone) ?? 'UTC')?.toISODate() ?? null;
const sorted = (texts: readonly string[] | null | undefined): readonly string[] =>
  [...(texts ?? [])].sort((a, b) => (a < b ? -1 : 1));
