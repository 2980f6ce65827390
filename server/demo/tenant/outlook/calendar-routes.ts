import { DateTime } from 'luxon';
import * as v from 'valibot';
import { GraphError, badRequest } from '../graph-error.ts';
import { type GraphApp, type GraphContext, openMailbox } from '../graph-env.ts';
import { changeKey } from '../ids.ts';
import { readView } from '../mail-entities.ts';
import {
  type GraphEntity,
  graphUrl,
  pageEntities,
  listPage,
  selectProperties,
  readJson,
  readQuery,
} from '../odata.ts';
import type { Person } from '../people.ts';
import type { Tenant } from '../store.ts';
import {
  EventAttachment,
  attachmentEntities,
  eventEntity,
  instanceEntity,
  listInstances,
  newEvent,
  readEvent,
  readEventInput,
  readOccurrenceId,
  asRecipient,
} from './events.ts';
import { notifyAttendees } from './invitations.ts';
import {
  type OutlookFolder,
  type OutlookItem,
  addOutlookFolder,
  addOutlookItem,
  ensureOutlookFolders,
  findOutlookFolder,
  findOutlookItem,
  listOutlookFolders,
  listOutlookItems,
  removeOutlookFolder,
  removeOutlookItem,
  updateOutlookItem,
} from './store.ts';

const PAGES = { normal: 10, max: 1000 };

/** Calendars with their groups, and their events. */
export function addCalendarRoutes(app: GraphApp, tenant: Tenant): void {
  const open = (c: GraphContext, action: 'readCalendars' | 'writeCalendars'): Person => {
    const person = openMailbox(tenant, c, c.req.param('user') ?? '', action);
    ensureOutlookFolders(tenant, person.id);
    return person;
  };
  const calendarAt = (c: GraphContext, owner: Person): OutlookFolder =>
    findOutlookFolder(tenant, owner.id, 'calendar', c.req.param('calendar') ?? '');
  const eventAt = (c: GraphContext, owner: Person): OutlookItem =>
    findOutlookItem(tenant, owner.id, 'event', c.req.param('event') ?? '');
  addFolderRoutes(app, tenant, open);

  app.get('/users/:user/calendars/:calendar/events', (c) => {
    const owner = open(c, 'readCalendars');
    const { hasStableIds } = readView(c.req.raw);
    return c.json(
      listPage(
        tenant,
        c.req.raw,
        listOutlookItems(tenant, calendarAt(c, owner)),
        (row) => eventEntity(tenant, row, owner, hasStableIds),
        { type: 'event', ...PAGES },
      ),
    );
  });
  app.post('/users/:user/calendars/:calendar/events', async (c) => {
    const owner = open(c, 'writeCalendars');
    const calendar = calendarAt(c, owner);
    const input = readEventInput(await readJson(c.req.raw));
    const known = listOutlookItems(tenant, calendar).find(
      (item) =>
        input.transactionId !== undefined && readEvent(item).transactionId === input.transactionId,
    );
    const row = known ?? addOutlookItem(tenant, calendar, 'event', newEvent(tenant, owner, input));
    if (!known) notifyAttendees(tenant, owner, readEvent(row), 'invitation');
    return c.json(oneEvent(tenant, c, owner, row), 201);
  });

  const path = '/users/:user/events/:event';
  app.get(path, (c) => {
    const owner = open(c, 'readCalendars');
    const occurrence = findOccurrence(tenant, owner, c.req.param('event'));
    if (occurrence) return c.json(instanceEntity(tenant, occurrence.master, owner, occurrence.day));
    return c.json(oneEvent(tenant, c, owner, eventAt(c, owner)));
  });
  app.patch(path, async (c) => {
    const owner = open(c, 'writeCalendars');
    const input = readEventInput(await readJson(c.req.raw));
    const occurrence = findOccurrence(tenant, owner, c.req.param('event'));
    if (occurrence) {
      const { master, day } = occurrence;
      const { exceptions } = readEvent(master);
      const before = exceptions.find(({ date }) => date === day)?.props ?? {};
      const others = exceptions.filter(({ date }) => date !== day);
      const changed = updateOutlookItem(tenant, master, {
        props: { exceptions: [...others, { date: day, props: { ...before, ...input } }] },
      });
      notifyAttendees(tenant, owner, readEvent(changed), 'update');
      return c.json(instanceEntity(tenant, changed, owner, day));
    }
    const row = eventAt(c, owner);
    checkUnchanged(tenant, c.req.raw, row);
    const changed = updateOutlookItem(tenant, row, { props: input });
    notifyAttendees(tenant, owner, readEvent(changed), 'update');
    return c.json(oneEvent(tenant, c, owner, changed));
  });
  app.delete(path, (c) => {
    const owner = open(c, 'writeCalendars');
    const occurrence = findOccurrence(tenant, owner, c.req.param('event'));
    if (occurrence) {
      const { master, day } = occurrence;
      const event = readEvent(master);
      updateOutlookItem(tenant, master, { props: { cancelled: [...event.cancelled, day] } });
      notifyAttendees(tenant, owner, event, 'cancellation');
      return c.body(null, 204);
    }
    const row = eventAt(c, owner);
    checkUnchanged(tenant, c.req.raw, row);
    removeOutlookItem(tenant, row);
    notifyAttendees(tenant, owner, readEvent(row), 'cancellation');
    return c.body(null, 204);
  });
  app.get(`${path}/calendar`, (c) => {
    const owner = open(c, 'readCalendars');
    const { folder_id: id } = eventAt(c, owner);
    return c.json({ id, name: findOutlookFolder(tenant, owner.id, 'calendar', id).name });
  });
  app.get(`${path}/instances`, (c) => {
    const owner = open(c, 'readCalendars');
    const [from, to] = ['startDateTime', 'endDateTime'].map((name) =>
      DateTime.fromISO(c.req.query(name) ?? '', { zone: 'UTC' }),
    );
    if (!from?.isValid || !to?.isValid)
      throw badRequest('This request requires a time window: startDateTime and endDateTime.');
    return c.json(
      pageEntities(
        tenant,
        c.req.raw,
        listInstances(tenant, eventAt(c, owner), owner, { from, to }),
        {
          type: 'event',
          ...PAGES,
        },
      ),
    );
  });
  app.get(`${path}/attachments`, (c) => {
    const owner = open(c, 'readCalendars');
    const entities = attachmentEntities(tenant, eventAt(c, owner));
    return c.json(pageEntities(tenant, c.req.raw, entities, { type: 'attachment', ...PAGES }));
  });
  app.post(`${path}/attachments`, async (c) => {
    const owner = open(c, 'writeCalendars');
    const row = eventAt(c, owner);
    const file = v.safeParse(EventAttachment, await readJson(c.req.raw));
    if (!file.success) throw badRequest(file.issues[0].message);
    const changed = updateOutlookItem(tenant, row, {
      props: { attachments: [...(readEvent(row).attachments ?? []), file.output] },
    });
    return c.json(attachmentEntities(tenant, changed).at(-1), 201);
  });
}

function addFolderRoutes(
  app: GraphApp,
  tenant: Tenant,
  open: (c: GraphContext, action: 'readCalendars' | 'writeCalendars') => Person,
): void {
  const list = (owner: Person, group: string | null): GraphEntity[] =>
    listOutlookFolders(tenant, owner.id, 'calendar')
      .filter((row) => group === null || row.parent_id === group)
      .map((row) => calendarEntity(tenant, row, owner));
  app.get('/users/:user/calendarGroups', (c) => {
    const owner = open(c, 'readCalendars');
    const rows = listOutlookFolders(tenant, owner.id, 'calendarGroup');
    return c.json(
      listPage(tenant, c.req.raw, rows, (row) => groupEntity(tenant, row), {
        type: 'calendarGroup',
        ...PAGES,
      }),
    );
  });
  app.post('/users/:user/calendarGroups', async (c) => {
    const owner = open(c, 'writeCalendars');
    const group = addOutlookFolder(tenant, {
      mailbox: owner.id,
      kind: 'calendarGroup',
      name: getName(await readJson(c.req.raw)),
      parentId: null,
    });
    return c.json(groupEntity(tenant, group), 201);
  });
  app.delete('/users/:user/calendarGroups/:group', (c) => {
    const owner = open(c, 'writeCalendars');
    const group = findOutlookFolder(tenant, owner.id, 'calendarGroup', c.req.param('group'));
    if (list(owner, group.id).length > 0)
      throw new GraphError(400, 'ErrorInvalidRequest', 'The calendar group is not empty.');
    removeOutlookFolder(tenant, group);
    return c.body(null, 204);
  });
  const inGroup = '/users/:user/calendarGroups/:group/calendars';
  app.get(inGroup, (c) => {
    const owner = open(c, 'readCalendars');
    const group = findOutlookFolder(tenant, owner.id, 'calendarGroup', c.req.param('group'));
    return c.json(
      pageEntities(tenant, c.req.raw, list(owner, group.id), { type: 'calendar', ...PAGES }),
    );
  });
  const create = async (c: GraphContext, groupKey: string) => {
    const owner = open(c, 'writeCalendars');
    const group = findOutlookFolder(tenant, owner.id, 'calendarGroup', groupKey);
    const calendar = addOutlookFolder(tenant, {
      mailbox: owner.id,
      kind: 'calendar',
      name: getName(await readJson(c.req.raw)),
      parentId: group.id,
    });
    return c.json(calendarEntity(tenant, calendar, owner), 201);
  };
  app.post(inGroup, (c) => create(c, c.req.param('group')));
  app.get('/users/:user/calendars', (c) => {
    const owner = open(c, 'readCalendars');
    return c.json(
      pageEntities(tenant, c.req.raw, list(owner, null), { type: 'calendar', ...PAGES }),
    );
  });
  app.post('/users/:user/calendars', (c) => create(c, 'mycalendars'));
  app.get('/users/:user/calendar', (c) => {
    const owner = open(c, 'readCalendars');
    const row = findOutlookFolder(tenant, owner.id, 'calendar', 'calendar');
    return c.json(calendarEntity(tenant, row, owner));
  });
  app.delete('/users/:user/calendars/:calendar', (c) => {
    const owner = open(c, 'writeCalendars');
    removeOutlookFolder(
      tenant,
      findOutlookFolder(tenant, owner.id, 'calendar', c.req.param('calendar')),
    );
    return c.body(null, 204);
  });
}

function getName(json: Readonly<Record<string, unknown>>): string {
  const { name } = json;
  if (typeof name !== 'string' || name.trim() === '')
    throw badRequest("The property 'name' is required.");
  return name;
}

const groupEntity = (tenant: Tenant, row: OutlookFolder): GraphEntity => ({
  id: row.id,
  name: row.name,
  changeKey: changeKey(tenant, row.n, row.seq),
  classId: '0006f0b7-0000-0000-c000-000000000046',
});

const calendarEntity = (tenant: Tenant, row: OutlookFolder, owner: Person): GraphEntity => ({
  id: row.id,
  name: row.name,
  color: 'auto',
  hexColor: '',
  changeKey: changeKey(tenant, row.n, row.seq),
  isDefaultCalendar: row.well_known === 'calendar',
  canShare: true,
  canViewPrivateItems: true,
  canEdit: true,
  isRemovable: row.well_known === null,
  isTallyingResponses: row.well_known === 'calendar',
  allowedOnlineMeetingProviders: ['teamsForBusiness'],
  defaultOnlineMeetingProvider: 'teamsForBusiness',
  owner: asRecipient(owner).emailAddress,
});

/** An event as a request selects and expands it. */
function oneEvent(tenant: Tenant, c: GraphContext, owner: Person, row: OutlookItem): GraphEntity {
  const { select, expand } = readQuery(new URL(c.req.url));
  const entity = eventEntity(tenant, row, owner, readView(c.req.raw).hasStableIds);
  // Graph returns these only to those who select them.
  const { cancelledOccurrences, ...usual } = entity;
  const { recurrence, exceptions } = readEvent(row);
  return {
    '@odata.context': `${graphUrl(tenant)}/$metadata#users('${owner.id}')/events/$entity`,
    ...selectProperties(
      select === null ? usual : { ...usual, cancelledOccurrences },
      select,
      'event',
    ),
    ...(expand.some((name) => name.startsWith('attachments'))
      ? { attachments: attachmentEntities(tenant, row) }
      : {}),
    ...(expand.includes('exceptionOccurrences') && recurrence
      ? {
          exceptionOccurrences: exceptions.map(({ date }) =>
            instanceEntity(tenant, row, owner, date),
          ),
        }
      : {}),
  };
}

function findOccurrence(
  tenant: Tenant,
  owner: Person,
  id: string,
): { readonly master: OutlookItem; readonly day: string } | null {
  const read = readOccurrenceId(id);
  return read
    ? { master: findOutlookItem(tenant, owner.id, 'event', read.master), day: read.day }
    : null;
}

/** @throws GraphError 412 if the item isn't in the state of `If-Match` */
export function checkUnchanged(tenant: Tenant, request: Request, row: OutlookItem): void {
  const wanted = request.headers.get('if-match');
  if (wanted !== null && wanted !== '*' && wanted !== `W/"${changeKey(tenant, row.n, row.seq)}"`)
    throw new GraphError(
      412,
      'ErrorIrresolvableConflict',
      'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
    );
}
