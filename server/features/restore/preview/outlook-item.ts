import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import {
  type Address,
  type EmailAddress,
  findIanaZone,
  type OutlookContact,
  type OutlookEvent,
  type OutlookTask,
  parseOutlookItem,
  readTime,
  type Recurrence,
  type ZonedTime,
} from '#server/engine/public/content.ts';
import { outlookItemMessages as t } from './outlook-item.messages.en.ts';

/** What a preview shows of an event, contact or task. `html` is not cleaned yet. */
export interface ShownOutlookItem {
  readonly title: string;
  readonly from: EmailAddress | null;
  readonly to: readonly EmailAddress[];
  readonly at: Ms | null;
  readonly attachments: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly type: string;
  }[];
  readonly html: string;
}

/** Returns null if it is none of them. */
export function showOutlookItem(json: unknown): ShownOutlookItem | null {
  const item = parseOutlookItem(json);
  switch (item?.kind) {
    case 'event':
      return showEvent(item.value);
    case 'task':
      return showTask(item.value);
    case 'contact':
      return showContact(item.value);
    default:
      return null;
  }
}

/** Returns the bytes of an attachment of an event; null if they are not in its backup. */
export function getEventFile(json: unknown, n: number): Uint8Array | null {
  const item = parseOutlookItem(json);
  const file = item?.kind === 'event' ? item.value.attachments?.[n] : undefined;
  return file?.contentBytes ? Buffer.from(file.contentBytes, 'base64') : null;
}

type Fact = readonly [string, string | null | undefined];

function showEvent(event: OutlookEvent): ShownOutlookItem {
  const zone =
    findIanaZone(event.recurrence?.range.recurrenceTimeZone) ??
    findIanaZone(event.originalStartTimeZone) ??
    'UTC';
  const attendees = event.attendees ?? [];
  const people = attendees.map(({ emailAddress, status, type }) => {
    const answer = ANSWERS[status?.response ?? ''];
    const notes = [...(type === 'optional' ? [t.optional] : []), ...(answer ? [answer] : [])];
    return notes.length === 0
      ? format(emailAddress)
      : t.withNote({ text: format(emailAddress), note: notes.join(', ') });
  });
  const changes = [
    ...(event.exceptionOccurrences ?? []).map((part) =>
      t.moved({
        day: (part.originalStart ?? '').slice(0, 10),
        when: when(part.start, part.end, zone, part.isAllDay === true),
        subject: part.subject ?? '',
      }),
    ),
    ...(event.cancelledOccurrences ?? []).map((name) => t.canceled({ day: name.slice(-10) })),
  ];
  return {
    title: event.subject ?? '',
    from: event.organizer?.emailAddress ?? null,
    to: attendees.flatMap(({ emailAddress }) => emailAddress ?? []),
    at: readTime(event.start, 'UTC')?.toMillis() ?? null,
    attachments: (event.attachments ?? []).map(({ name, size, contentType, contentBytes }) => ({
      name: name ?? '',
      bytes: size ?? Math.floor(((contentBytes ?? '').length * 3) / 4),
      type: contentType ?? '',
    })),
    html: makePage(
      [
        [t.when, when(event.start, event.end, zone, event.isAllDay === true)],
        [t.repeats, event.recurrence ? repeats(event.recurrence) : null],
        [t.changes, changes.join('\n')],
        [t.place, event.location?.displayName],
        [t.organizer, attendees.length > 0 ? format(event.organizer?.emailAddress) : null],
        [t.attendees, people.join('\n')],
        [
          t.reminder,
          event.isReminderOn === true
            ? t.minutesBefore({ count: event.reminderMinutesBeforeStart ?? 0 })
            : null,
        ],
        [t.categories, event.categories?.join(', ')],
      ],
      event.body,
    ),
  };
}

function showContact(contact: OutlookContact): ShownOutlookItem {
  const { photo } = contact;
  const name = contact.displayName || contact.fileAs || contact.companyName || '';
  const page = makePage(
    [
      [t.name, name],
      [t.company, [contact.companyName, contact.department].filter(Boolean).join(', ')],
      [t.job, contact.jobTitle],
      [t.email, (contact.emailAddresses ?? []).map(({ address }) => address ?? '').join('\n')],
      [t.businessPhone, contact.businessPhones?.join('\n')],
      [t.mobilePhone, contact.mobilePhone],
      [t.homePhone, contact.homePhones?.join('\n')],
      [t.businessAddress, place(contact.businessAddress)],
      [t.homeAddress, place(contact.homeAddress)],
      [t.otherAddress, place(contact.otherAddress)],
      [t.birthday, contact.birthday?.slice(0, 10)],
      [t.webPage, contact.businessHomePage],
      [t.categories, contact.categories?.join(', ')],
    ],
    { contentType: 'text', content: contact.personalNotes ?? '' },
  );
  const picture =
    photo && /^image\/(?:png|jpeg|gif)$/.test(photo.contentType)
      ? `<p><img alt="${escapeHtml(t.photo)}" width="96" src="data:${photo.contentType};base64,${photo.contentBytes}"></p>`
      : '';
  return {
    title: name,
    from: contact.emailAddresses?.[0] ?? null,
    to: [],
    at: null,
    attachments: [],
    html: `${picture}${page}`,
  };
}

const day = (time: ZonedTime | null | undefined): string | null =>
  readTime(time, findIanaZone(time?.timeZone) ?? 'UTC')?.toISODate() ?? null;

function showTask(task: OutlookTask): ShownOutlookItem {
  const reminder = task.isReminderOn === true ? readTime(task.reminderDateTime, 'UTC') : null;
  return {
    title: task.title ?? '',
    from: null,
    to: [],
    at: readTime(task.dueDateTime, 'UTC')?.toMillis() ?? null,
    attachments: [],
    html: makePage(
      [
        [t.state, STATES[task.status ?? ''] ?? t.notStarted],
        [t.due, day(task.dueDateTime)],
        [t.starts, day(task.startDateTime)],
        [t.completed, day(task.completedDateTime)],
        [t.reminder, reminder ? reminder.toFormat("yyyy-LL-dd HH:mm 'UTC'") : null],
        [t.repeats, task.recurrence ? repeats(task.recurrence) : null],
        [
          t.checklist,
          (task.checklistItems ?? [])
            .map(({ displayName, isChecked }) =>
              isChecked === true
                ? t.checked({ text: displayName ?? '' })
                : t.unchecked({ text: displayName ?? '' }),
            )
            .join('\n'),
        ],
        [
          t.links,
          (task.linkedResources ?? [])
            .map(({ displayName, webUrl }) => [displayName, webUrl].filter(Boolean).join(': '))
            .join('\n'),
        ],
        [t.categories, task.categories?.join(', ')],
      ],
      task.body,
    ),
  };
}

const ANSWERS: Readonly<Record<string, string>> = {
  accepted: t.accepted,
  tentativelyAccepted: t.tentative,
  declined: t.declined,
};
const STATES: Readonly<Record<string, string>> = {
  inProgress: t.inProgress,
  completed: t.done,
  waitingOnOthers: t.waiting,
  deferred: t.deferred,
};

function when(
  start: ZonedTime | null | undefined,
  end: ZonedTime | null | undefined,
  zone: string,
  isAllDay: boolean,
): string {
  const from = readTime(start, isAllDay ? 'UTC' : zone);
  const to = readTime(end, isAllDay ? 'UTC' : zone);
  if (!from || !to) return '';
  if (isAllDay) {
    const last = to.minus({ days: 1 });
    return last <= from
      ? t.allDay({ day: date(from) })
      : t.days({ from: date(from), to: date(last) });
  }
  const isSameDay = from.hasSame(to, 'day');
  return t.span({
    from: `${date(from)} ${from.toFormat('HH:mm')}`,
    to: isSameDay ? to.toFormat('HH:mm') : `${date(to)} ${to.toFormat('HH:mm')}`,
    zone,
  });
}
const date = (at: DateTime): string => at.toFormat('ccc yyyy-LL-dd');

function repeats({ pattern, range }: Recurrence): string {
  const days = (pattern.daysOfWeek ?? []).map((day) => WEEKDAYS[day] ?? day).join(', ');
  const index = INDEXES[pattern.index ?? ''] ?? t.first;
  const count = pattern.interval;
  const monthDay = pattern.dayOfMonth ?? 1;
  const month = DateTime.fromObject({ month: pattern.month || 1 }).toFormat('LLLL');
  const rules: Readonly<Record<string, string>> = {
    daily: t.daily({ count }),
    weekly: t.weekly({ count, days }),
    absoluteMonthly: t.monthly({ count, day: monthDay }),
    relativeMonthly: t.monthlyOn({ count, index, days }),
    absoluteYearly: t.yearly({ count, day: monthDay, month }),
    relativeYearly: t.yearlyOn({ count, index, days, month }),
  };
  const rule = rules[pattern.type] ?? '';
  if (range.type === 'numbered') return t.times({ rule, count: range.numberOfOccurrences ?? 0 });
  return range.type === 'endDate' ? t.until({ rule, day: range.endDate ?? '' }) : rule;
}
const WEEKDAYS: Readonly<Record<string, string>> = {
  monday: t.monday,
  tuesday: t.tuesday,
  wednesday: t.wednesday,
  thursday: t.thursday,
  friday: t.friday,
  saturday: t.saturday,
  sunday: t.sunday,
};
const INDEXES: Readonly<Record<string, string>> = {
  first: t.first,
  second: t.second,
  third: t.third,
  fourth: t.fourth,
  last: t.last,
};

const place = (address: Address | null | undefined): string => {
  const { street, postalCode, city, state, countryOrRegion } = address ?? {};
  return [street, [postalCode, city].filter(Boolean).join(' '), state, countryOrRegion]
    .filter(Boolean)
    .join('\n');
};

const format = (person: EmailAddress | null | undefined): string =>
  person?.name && person.address && person.name !== person.address
    ? `${person.name} <${person.address}>`
    : (person?.address ?? person?.name ?? '');

function makePage(
  facts: readonly Fact[],
  body:
    | {
        readonly contentType?: string | null | undefined;
        readonly content?: string | null | undefined;
      }
    | null
    | undefined,
): string {
  const rows = facts.flatMap(([label, text]) =>
    text
      ? [
          `<tr><th align="left" valign="top" style="padding: 2px 12px 2px 0; white-space: nowrap">${escapeHtml(label)}</th><td>${escapeHtml(text).replaceAll('\n', '<br>')}</td></tr>`,
        ]
      : [],
  );
  const content = body?.content ?? '';
  const text =
    body?.contentType?.toLowerCase() === 'html'
      ? content
      : `<p>${escapeHtml(content).replaceAll('\n', '<br>')}</p>`;
  return `<table>${rows.join('')}</table>${content.trim() === '' ? '' : `<hr>${text}`}`;
}

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escapeHtml = (plain: string): string => plain.replace(/[&<>"]/g, (sign) => SIGNS[sign] ?? '');
