import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { type Rng, makeRng, pickOne, upTo } from '../../random.ts';
import { makePicture } from '../content.ts';
import { digest, guid, isoTime } from '../ids.ts';
import { outsider } from '../mail-content.ts';
import { type Person, listPeople } from '../people.ts';
import type { Tenant } from '../store.ts';
import { asRecipient } from './events.ts';
import {
  type OutlookItem,
  type Props,
  addOutlookFolder,
  addOutlookItem,
  ensureOutlookFolders,
  findOutlookFolder,
  readItemProps,
  updateOutlookItem,
} from './store.ts';

const ZONES: readonly [string, ...string[]] = [
  'W. Europe Standard Time',
  'GMT Standard Time',
  'Eastern Standard Time',
];
const MEETINGS: readonly [string, ...string[]] = [
  'Quay extension: progress',
  'Crane inspection',
  'Customer visit: Fjordline',
  'Budget review',
  'Safety walk, dock 3',
  'Übergabe Schweißerei',
  'Handover of hull 118',
];
const PLACES: readonly [string, ...string[]] = [
  'Harbour office',
  'Meeting room 2',
  'Dock 3',
  'Yard',
];
const TASKS: readonly [string, ...string[]] = [
  'Order steel plates, 12 mm',
  'Renew the crane certificate',
  'Send the offer to Fjordline',
  'Check the fire extinguishers',
  'Prepare the budget review',
  'Call the harbour office',
];

/** Fills mailboxes that have no calendar yet: also those of a tenant of an earlier version. */
export function fillOutlook(tenant: Tenant): void {
  const people = listPeople(tenant).filter(hasOutlook);
  const filled = new Set(
    tenant.store
      .all<{ mailbox: string }>('select distinct mailbox from outlook_folder')
      .map(({ mailbox }) => mailbox),
  );
  for (const person of people) if (!filled.has(person.id)) fillPerson(tenant, person, people);
}

const hasOutlook = ({ mailbox, hasContent }: Person): boolean =>
  hasContent && (mailbox === 'user' || mailbox === 'shared');

function fillPerson(tenant: Tenant, person: Person, people: readonly Person[]): void {
  const random = makeRng(tenant.seed, 'outlook', person.n);
  ensureOutlookFolders(tenant, person.id);
  const zone = pickOne(ZONES, random);
  const calendar = findOutlookFolder(tenant, person.id, 'calendar', 'calendar');
  const yard = addOutlookFolder(tenant, {
    mailbox: person.id,
    kind: 'calendar',
    name: 'Yard shifts',
    parentId: findOutlookFolder(tenant, person.id, 'calendarGroup', 'othercalendars').id,
  });
  for (let n = 8 + upTo(random, 8); n > 0; n -= 1)
    addOutlookItem(
      tenant,
      calendar,
      'event',
      makeEvent(tenant, person, people, { random, zone, inDays: upTo(random, 120) - 60 }),
    );
  addOutlookItem(tenant, calendar, 'event', makeSeries(tenant, person, people, zone));
  addOutlookItem(tenant, yard, 'event', makeShift(tenant, person));
  const contacts = findOutlookFolder(tenant, person.id, 'contactFolder', 'contacts');
  const suppliers = addOutlookFolder(tenant, {
    mailbox: person.id,
    kind: 'contactFolder',
    name: 'Suppliers',
    parentId: null,
  });
  for (let n = 5 + upTo(random, 6); n > 0; n -= 1) {
    const photo = random() < 0.4 ? new Uint8Array(makePicture(upTo(random, 1_000_000))) : null;
    addOutlookItem(
      tenant,
      random() < 0.7 ? contacts : suppliers,
      'contact',
      makeContact(random),
      photo,
    );
  }
  const tasks = findOutlookFolder(tenant, person.id, 'taskList', 'defaultList');
  const shopping = addOutlookFolder(tenant, {
    mailbox: person.id,
    kind: 'taskList',
    name: 'Spare parts',
    parentId: null,
  });
  for (let n = 4 + upTo(random, 5); n > 0; n -= 1)
    addOutlookItem(tenant, random() < 0.7 ? tasks : shopping, 'task', makeTask(tenant, random));
}

const localTime = (at: DateTime): string => `${at.toFormat("yyyy-LL-dd'T'HH:mm:ss")}.0000000`;
const attendee = (person: Person, type: 'required' | 'optional') => ({
  ...asRecipient(person),
  type,
  status: { response: 'none', time: '0001-01-01T00:00:00Z' },
});
const newUid = (tenant: Tenant): string =>
  `040000008200E00074C5B7101A82E008${digest(tenant.seed, 'made', tenant.store.seq()).toString('hex').toUpperCase().slice(0, 48)}`;

/** An event of a person: with colleagues, for a whole day, or with an attached file. */
function makeEvent(
  tenant: Tenant,
  person: Person,
  people: readonly Person[],
  made: { readonly random: Rng; readonly zone: string; readonly inDays: number },
): Props {
  const { random, zone, inDays } = made;
  const day = DateTime.fromMillis(tenant.now() + inDays * DAY_MS, { zone: 'UTC' }).startOf('day');
  const isAllDay = random() < 0.15;
  const start = isAllDay ? day : day.plus({ hours: 8 + upTo(random, 9) });
  const others = people.filter(({ id }) => id !== person.id);
  const invited = random() < 0.5 ? others.slice(upTo(random, 3), 3) : [];
  const subject = pickOne(MEETINGS, random);
  const timeZone = isAllDay ? 'UTC' : zone;
  return {
    subject,
    body: {
      contentType: 'html',
      content: `<html><body><p>${subject}: bring the drawings and the <b>load table</b>.</p></body></html>`,
    },
    start: { dateTime: localTime(start), timeZone },
    end: {
      dateTime: localTime(isAllDay ? start.plus({ days: 1 }) : start.plus({ minutes: 45 })),
      timeZone,
    },
    isAllDay,
    location: { displayName: pickOne(PLACES, random) },
    categories: random() < 0.3 ? ['Project'] : [],
    importance: random() < 0.1 ? 'high' : 'normal',
    showAs: isAllDay ? 'free' : 'busy',
    isReminderOn: !isAllDay,
    reminderMinutesBeforeStart: 15,
    attendees: invited.map((one, at) => attendee(one, at === 0 ? 'required' : 'optional')),
    organizer: asRecipient(person),
    iCalUId: newUid(tenant),
    ...(random() < 0.15 && {
      attachments: [
        {
          '@odata.type': '#microsoft.graph.fileAttachment',
          'name': 'Agenda.txt',
          'contentType': 'text/plain',
          'isInline': false,
          'contentId': null,
          'contentBytes': Buffer.from(`Agenda: ${subject}\n`).toString('base64'),
        },
      ],
    }),
  };
}

/** A weekly meeting, of which one was moved and one was canceled. */
function makeSeries(
  tenant: Tenant,
  person: Person,
  people: readonly Person[],
  timeZone: string,
): Props {
  const first = DateTime.fromMillis(tenant.now() - 56 * DAY_MS, { zone: 'UTC' }).startOf('week');
  const day = (week: number): string => first.plus({ weeks: week }).toISODate() ?? '';
  const at = (date: string, time: string) => ({ dateTime: `${date}T${time}.0000000`, timeZone });
  return {
    subject: 'Monday meeting',
    body: { contentType: 'text', content: 'What we did, what we do next.' },
    start: at(day(0), '09:00:00'),
    end: at(day(0), '09:30:00'),
    location: { displayName: 'Meeting room 2' },
    recurrence: {
      pattern: {
        type: 'weekly',
        interval: 1,
        month: 0,
        dayOfMonth: 0,
        daysOfWeek: ['monday'],
        firstDayOfWeek: 'monday',
        index: 'first',
      },
      range: {
        type: 'noEnd',
        startDate: day(0),
        endDate: '0001-01-01',
        recurrenceTimeZone: timeZone,
        numberOfOccurrences: 0,
      },
    },
    attendees: people
      .filter(({ id }) => id !== person.id)
      .slice(0, 2)
      .map((one) => attendee(one, 'required')),
    organizer: asRecipient(person),
    iCalUId: newUid(tenant),
    exceptions: [
      {
        date: day(9),
        props: {
          subject: 'Monday meeting (moved)',
          start: at(day(9), '14:00:00'),
          end: at(day(9), '14:30:00'),
        },
      },
    ],
    cancelled: [day(10)],
  };
}

const midnight = (day: DateTime) => ({ dateTime: localTime(day), timeZone: 'UTC' });

/** A shift of a whole day, every first Saturday, twelve times. */
function makeShift(tenant: Tenant, person: Person): Props {
  const month = DateTime.fromMillis(tenant.now(), { zone: 'UTC' }).startOf('month');
  const saturday = month.plus({ days: (6 - month.weekday + 7) % 7 });
  return {
    subject: 'On call',
    start: midnight(saturday),
    end: midnight(saturday.plus({ days: 1 })),
    isAllDay: true,
    showAs: 'oof',
    isReminderOn: false,
    recurrence: {
      pattern: {
        type: 'relativeMonthly',
        interval: 1,
        month: 0,
        dayOfMonth: 0,
        daysOfWeek: ['saturday'],
        firstDayOfWeek: 'sunday',
        index: 'first',
      },
      range: {
        type: 'numbered',
        startDate: saturday.toISODate() ?? '',
        endDate: '0001-01-01',
        recurrenceTimeZone: 'UTC',
        numberOfOccurrences: 12,
      },
    },
    attendees: [],
    organizer: asRecipient(person),
    iCalUId: newUid(tenant),
  };
}

function makeContact(random: Rng): Props {
  const { name, address } = outsider(random);
  const [given = '', ...rest] = name.split(' ');
  const surname = rest.join(' ');
  const number = (): string => `+47 555 ${String(1000 + upTo(random, 9000))}`;
  return {
    displayName: name,
    givenName: given,
    surname,
    fileAs: surname === '' ? given : `${surname}, ${given}`,
    companyName: address.split('@')[1]?.split('.')[0] ?? '',
    jobTitle: pickOne(['Purchasing', 'Dispatch', 'Yard manager'], random),
    emailAddresses: [{ name, address }],
    businessPhones: [number()],
    mobilePhone: number(),
    businessAddress: {
      street: `Quay street ${1 + upTo(random, 60)}`,
      city: 'Saltmarsh',
      postalCode: String(10_000 + upTo(random, 90_000)),
      countryOrRegion: 'Norway',
    },
    birthday: '1979-04-12T11:59:00Z',
    personalNotes: 'Prefers to be called in the morning; speaks English, Norwegian.',
    categories: random() < 0.2 ? ['Supplier'] : [],
  };
}

function makeTask(tenant: Tenant, random: Rng): Props {
  const due = DateTime.fromMillis(tenant.now() + (upTo(random, 40) - 10) * DAY_MS, { zone: 'UTC' });
  const isDone = random() < 0.3;
  const part = (what: string): string => guid(tenant.seed, what, tenant.store.seq(), random());
  const dueAt = midnight(due.startOf('day'));
  return {
    title: pickOne(TASKS, random),
    body: { contentType: 'text', content: 'See the folder of the project.' },
    status: isDone ? 'completed' : 'notStarted',
    ...(isDone && { completedDateTime: dueAt }),
    dueDateTime: dueAt,
    importance: random() < 0.2 ? 'high' : 'normal',
    categories: [],
    checklistItems: ['Ask for two offers', 'Compare', 'Order'].map((displayName, n) => ({
      id: part(`check ${n}`),
      displayName,
      isChecked: isDone || n === 0,
      createdDateTime: isoTime(tenant.now()),
    })),
    linkedResources: [
      {
        id: part('link'),
        applicationName: 'Yard planner',
        displayName: 'Work order',
        externalId: String(1000 + upTo(random, 9000)),
        webUrl: 'https://planner.example.com/orders',
      },
    ],
  };
}

/** What happens in a tick: meetings are made and moved, contacts added, tasks completed. */
export function liveOutlook(
  tenant: Tenant,
  people: readonly Person[],
  { at, isBusy }: { readonly at: Ms; readonly isBusy: boolean },
): void {
  if (!isBusy) return;
  for (const person of people.filter(hasOutlook)) {
    const random = makeRng(tenant.seed, 'outlook life', person.n, at);
    const roll = random();
    if (roll < 0.01) addEvent(tenant, person);
    else if (roll < 0.016) {
      const event = pickItem(tenant, person, 'event', random);
      if (event)
        updateOutlookItem(tenant, event, { props: { subject: nextName(event, 'subject') } });
    } else if (roll < 0.02) addContact(tenant, person);
    else if (roll < 0.026) addTask(tenant, person);
    else if (roll < 0.032) {
      const task = pickItem(tenant, person, 'task', random);
      if (task) updateOutlookItem(tenant, task, { props: { status: 'completed' } });
    }
  }
}

function pickItem(
  tenant: Tenant,
  person: Person,
  kind: OutlookItem['kind'],
  random: Rng,
): OutlookItem | undefined {
  const items = tenant.store.all<OutlookItem>(
    'select * from outlook_item where mailbox = ? and kind = ? order by n',
    person.id,
    kind,
  );
  return items[upTo(random, items.length)];
}

/** The same name with the next number: `Budget review (2)`. */
function nextName(item: OutlookItem, property: string): string {
  const value = readItemProps(item)[property];
  const name = typeof value === 'string' ? value : '';
  const [, stem = name, n = '1'] = /^(.*) \((\d+)\)$/.exec(name) ?? [];
  return `${stem} (${Number(n) + 1})`;
}

/** What a person does in Outlook by hand. */
export function addEvent(tenant: Tenant, person: Person): OutlookItem {
  const random = makeRng(tenant.seed, 'event', tenant.store.seq());
  return addOutlookItem(
    tenant,
    findOutlookFolder(tenant, person.id, 'calendar', 'calendar'),
    'event',
    makeEvent(tenant, person, listPeople(tenant).filter(hasOutlook), {
      random,
      zone: pickOne(ZONES, random),
      inDays: 1 + upTo(random, 30),
    }),
  );
}
export const addContact = (tenant: Tenant, person: Person): OutlookItem =>
  addOutlookItem(
    tenant,
    findOutlookFolder(tenant, person.id, 'contactFolder', 'contacts'),
    'contact',
    makeContact(makeRng(tenant.seed, 'contact', tenant.store.seq())),
  );
export const addTask = (tenant: Tenant, person: Person): OutlookItem =>
  addOutlookItem(
    tenant,
    findOutlookFolder(tenant, person.id, 'taskList', 'defaultList'),
    'task',
    makeTask(tenant, makeRng(tenant.seed, 'task', tenant.store.seq())),
  );

const NAMES = { event: 'subject', contact: 'displayName', task: 'title' } as const;
export const getItemName = (item: OutlookItem): string => {
  const value = readItemProps(item)[NAMES[item.kind]];
  return typeof value === 'string' ? value : '';
};
export const renameItem = (tenant: Tenant, item: OutlookItem): OutlookItem =>
  updateOutlookItem(tenant, item, {
    props: { [NAMES[item.kind]]: nextName(item, NAMES[item.kind]) },
  });
