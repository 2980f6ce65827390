import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { type Cloud, aCloud, byText } from './fixtures.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const ROLES = [
  'Calendars.ReadWrite',
  'Contacts.ReadWrite',
  'Tasks.ReadWrite.All',
  'Mail.Read',
  'User.Read.All',
];
const IMMUTABLE = { prefer: 'IdType="ImmutableId", odata.maxpagesize=3' };
const JSON_TYPE = { 'content-type': 'application/json' };

const aMailbox = async (roles: readonly string[] = ROLES) => {
  const cloud = await aCloud({ roles });
  const people = cloud.tenant.admin.listUsers().filter(({ mailbox }) => mailbox === 'user');
  const [owner, other] = people;
  if (!owner || !other) throw new Error('nobody');
  return { cloud, owner, other, user: `/users/${owner.id}` };
};
const post = (cloud: Cloud, path: string, body: unknown, method = 'POST') =>
  cloud.call(path, { method, headers: JSON_TYPE, body: JSON.stringify(body) });

test('GRAPH-24: calendars, contacts and tasks have the types of Graph’s published metadata', async () => {
  const { cloud, user } = await aMailbox();
  const groups = await cloud.all('calendarGroup', `${user}/calendarGroups`);
  expect(groups.map(({ name }) => name)).toEqual(['My Calendars', 'Other Calendars']);
  const [calendar] = await cloud.all('calendar', `${user}/calendars`);
  const events = await cloud.all('event', `${user}/calendars/${calendar.id}/events?$top=50`);
  const master = events.find(({ type }) => type === 'seriesMaster');
  for (const { id } of events)
    await cloud.one('event', `${user}/events/${id}?$expand=attachments`, IMMUTABLE);
  const series = await cloud.one(
    'event',
    `${user}/events/${master.id}?$select=id,cancelledOccurrences&$expand=exceptionOccurrences`,
  );
  expect(series.cancelledOccurrences).toHaveLength(1);
  expect(series.exceptionOccurrences).toHaveLength(1);
  for (const { id } of await cloud.all('contactFolder', `${user}/contactFolders`))
    await cloud.all('contact', `${user}/contactFolders/${id}/contacts`);
  const contacts = await cloud.all('contact', `${user}/contactFolders/contacts/contacts`);
  expect(contacts.length).toBeGreaterThan(0);
  for (const list of await cloud.all('todoTaskList', `${user}/todo/lists`))
    for (const task of await cloud.all('todoTask', `${user}/todo/lists/${list.id}/tasks`)) {
      const path = `${user}/todo/lists/${list.id}/tasks/${task.id}`;
      const whole = await cloud.one('todoTask', `${path}?$expand=checklistItems,linkedResources`);
      expect(whole.checklistItems).toHaveLength(3);
    }
});

test('GRAPH-24: each kind needs its permission', async () => {
  const { cloud, user } = await aMailbox(['Mail.Read', 'User.Read.All']);
  for (const path of ['calendarGroups', 'contactFolders/contacts', 'todo/lists'])
    expect((await cloud.call(`${user}/${path}`)).status).toBe(403);
});

const at = (time: string) => ({ dateTime: `2026-10-19T${time}`, timeZone: 'Europe/Oslo' });

test('GRAPH-24: a series is expanded in its time zone, without what was canceled and with what was moved', async () => {
  const { cloud, user } = await aMailbox();
  const calendar = await cloud.one('calendar', `${user}/calendar`);
  const { body: made } = await post(cloud, `${user}/calendars/${calendar.id}/events`, {
    subject: 'Standup',
    start: at('09:00:00'),
    end: at('09:15:00'),
    recurrence: {
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' },
      range: {
        type: 'numbered',
        startDate: '2026-10-19',
        numberOfOccurrences: 4,
        recurrenceTimeZone: 'W. Europe Standard Time',
      },
    },
  });
  const view = '?startDateTime=2026-10-01T00:00:00Z&endDateTime=2026-12-01T00:00:00Z';
  const path = `${user}/events/${made.id}/instances${view}`;
  const starts = async () =>
    (await cloud.all('event', path)).map(({ start }: { start: { dateTime: string } }) =>
      start.dateTime.slice(0, 16),
    );
  // The clocks change on October 25.
  expect(await starts()).toEqual([
    '2026-10-19T07:00',
    '2026-10-26T08:00',
    '2026-11-02T08:00',
    '2026-11-09T08:00',
  ]);
  const [, second, third] = await cloud.all('event', path);
  await cloud.call(`${user}/events/${second.id}`, { method: 'DELETE' });
  await post(
    cloud,
    `${user}/events/${third.id}`,
    { start: { dateTime: '2026-11-02T15:00:00', timeZone: 'Europe/Oslo' } },
    'PATCH',
  );
  expect(await starts()).toEqual(['2026-10-19T07:00', '2026-11-02T14:00', '2026-11-09T08:00']);
});

test('GRAPH-24: attendees of a meeting get a mail when it is created, changed and deleted', async () => {
  const { cloud, user, other } = await aMailbox();
  const { admin } = cloud.tenant;
  const subjects = () =>
    admin
      .listMessages(other.id, 'inbox')
      .map(({ props }) => (JSON.parse(props) as { subject: string }).subject);
  const calendar = await cloud.one('calendar', `${user}/calendar`);
  const { body: event } = await post(cloud, `${user}/calendars/${calendar.id}/events`, {
    subject: 'Dry dock 7',
    start: { dateTime: '2026-12-01T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-12-01T10:00:00', timeZone: 'UTC' },
    attendees: [{ emailAddress: { address: other.mail ?? '', name: other.name } }],
  });
  expect(subjects().filter((subject) => subject === 'Dry dock 7')).toHaveLength(1);
  await post(cloud, `${user}/events/${event.id}`, { location: { displayName: 'Yard' } }, 'PATCH');
  await cloud.call(`${user}/events/${event.id}`, { method: 'DELETE' });
  expect(subjects().filter((subject) => subject.endsWith('Dry dock 7'))).toEqual([
    'Dry dock 7',
    'Dry dock 7',
    'Canceled: Dry dock 7',
  ]);
});

const STEPS = array(
  record({ what: constantFrom('read page', 'add', 'change', 'remove'), which: nat(1000) }),
  { maxLength: 20 },
);

test('GRAPH-3: contacts by delta, however changes and pages interleave, equal a full listing', async () => {
  const { cloud, user, owner } = await aMailbox();
  const { outlook } = cloud.tenant.admin;
  const path = `${user}/contactFolders/contacts/contacts`;
  await assert(
    asyncProperty(STEPS, async (steps) => {
      const copy = new Map<string, { displayName: string }>();
      let next = `${path}/delta`;
      const step = async (): Promise<boolean> => {
        const { body } = await cloud.page('contact', next, IMMUTABLE);
        for (const entity of body.value)
          if (entity['@removed']) copy.delete(entity.id);
          else copy.set(entity.id, entity);
        next = body['@odata.nextLink'] ?? body['@odata.deltaLink'];
        return body['@odata.deltaLink'] !== undefined;
      };
      for (const { what, which } of steps) {
        const all = outlook.list(owner.id, 'contact');
        const one = all[which % Math.max(1, all.length)];
        if (what === 'read page') await step();
        if (what === 'add') outlook.add(owner.id, 'contact');
        if (what === 'change' && one) outlook.change(owner.id, 'contact', one.id);
        if (what === 'remove' && one) outlook.remove(owner.id, 'contact', one.id);
      }
      while (!(await step()));
      while (!(await step()));
      const whole = await cloud.all('contact', `${path}?$top=200`, IMMUTABLE);
      expect([...copy].map(([id, { displayName }]) => [id, displayName]).sort(byText)).toEqual(
        whole.map(({ id, displayName }) => [id, displayName]).sort(byText),
      );
    }),
    { numRuns: 15 * PROOF },
  );
});
