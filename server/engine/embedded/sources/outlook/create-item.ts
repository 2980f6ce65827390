import { DateTime } from 'luxon';
import * as v from 'valibot';
import type { Reply } from '#contract/engine/engine.ts';
import { findIanaZone } from '../../formats/time-zone.ts';
import { readTime } from '../../formats/icalendar.ts';
import { done, failed, ok } from '../../../result.ts';
import { graphMessages as t } from '../../graph/messages.en.ts';
import type { OutlookContact, OutlookEvent, OutlookTask, ZonedTime } from './entities.ts';
import { type ItemRef, parseFolderKey } from './keys.ts';
import { newContact, newEvent, newException, newTask } from './new-item.ts';
import type { OutlookMailbox } from './places.ts';
import { contactPath, encode, eventPath, type OutlookItem, PREFER, taskPath } from './read-item.ts';

const Created = v.object({ id: v.string() });
const Anything = v.unknown();
const options = { headers: PREFER };

/** Creates an item of what is known of it. What is incomplete is removed again. */
export async function createItem(
  mailbox: OutlookMailbox,
  folder: string,
  item: OutlookItem,
): Reply<ItemRef> {
  const id = parseFolderKey(folder)?.id;
  if (id === undefined) return failed('invalid', t.badName);
  switch (item.kind) {
    case 'event':
      return createEvent(mailbox, id, item.value);
    case 'contact':
      return createContact(mailbox, id, item.value);
    case 'task':
      return createTask(mailbox, id, item.value);
  }
}

const quote = (text: string | null | undefined): string => (text ?? '').replaceAll("'", "''");

/** Creates an item. If the response is lost, what was not there before is what was created. */
async function createOnce(
  client: OutlookMailbox['client'],
  path: string,
  filter: string,
  body: Readonly<Record<string, unknown>>,
): Reply<v.InferOutput<typeof Created>> {
  const link = `${path}?$filter=${encode(filter)}&$select=id&$top=${MAX_NAMESAKES}`;
  const before = await client.page(link, Created, options);
  if (!before.ok) return { ok: false, error: before.error };
  const made = await client.post(path, body, Created, options);
  if (made.ok || (made.error.kind !== 'unreachable' && made.error.kind !== 'internal')) return made;
  const after = await client.page(link, Created, options);
  const known = new Set(before.value.rows.map(({ id }) => id));
  const created = after.ok ? after.value.rows.find(({ id }) => !known.has(id)) : undefined;
  return created ? ok(created) : made;
}
const MAX_NAMESAKES = 200;

async function createEvent(
  mailbox: OutlookMailbox,
  calendar: string,
  event: OutlookEvent,
): Reply<ItemRef> {
  const { client, user } = mailbox;
  const made = await createOnce(
    client,
    `${user}/calendars/${encode(calendar)}/events`,
    `subject eq '${quote(event.subject)}'`,
    { ...newEvent(event), ...getLocalTimes(event) },
  );
  if (!made.ok) return made;
  const ref: ItemRef = { kind: 'event', id: made.value.id, list: '' };
  const path = eventPath(user, ref.id);
  const complete = await completeEvent(mailbox, path, event);
  if (complete.ok) return ok(ref);
  await client.delete(path, options);
  return complete;
}

/** A series repeats in local time, also when the clocks change. */
function getLocalTimes({ recurrence, start, end, isAllDay }: OutlookEvent) {
  const name = recurrence?.range.recurrenceTimeZone ?? null;
  const zone = findIanaZone(name);
  if (name === null || zone === null || isAllDay === true) return {};
  const local = (time: ZonedTime | null | undefined) => ({
    dateTime: readTime(time, zone)?.toFormat("yyyy-LL-dd'T'HH:mm:ss") ?? '',
    timeZone: name,
  });
  return { start: local(start), end: local(end) };
}

async function completeEvent(
  { client }: OutlookMailbox,
  path: string,
  event: OutlookEvent,
): Reply<void> {
  for (const file of event.attachments ?? []) {
    if (!file.contentBytes) continue;
    const { name, contentType, isInline, contentId, contentBytes } = file;
    const added = await client.post(
      `${path}/attachments`,
      {
        '@odata.type': '#microsoft.graph.fileAttachment',
        'name': name ?? 'attachment',
        contentType,
        'isInline': isInline === true,
        ...(contentId ? { contentId } : {}),
        contentBytes,
      },
      Anything,
      options,
    );
    if (!added.ok) return added;
  }
  for (const exception of event.exceptionOccurrences ?? []) {
    const day = exception.originalStart ? DateTime.fromISO(exception.originalStart) : null;
    const instance = day ? await findInstance(client, path, day) : ok(null);
    if (!instance.ok) return instance;
    if (instance.value === null) continue;
    const changed = await client.patch(
      `${getUser(path)}/events/${encode(instance.value)}`,
      newException(exception),
      Anything,
      options,
    );
    if (!changed.ok) return changed;
  }
  const first = readTime(
    event.start,
    findIanaZone(event.recurrence?.range.recurrenceTimeZone) ?? 'UTC',
  );
  for (const name of event.cancelledOccurrences ?? []) {
    const [, year, month, day] = /\.(\d{4})-(\d\d)-(\d\d)$/.exec(name) ?? [];
    if (year === undefined || first === null) continue;
    const at = first.set({ year: Number(year), month: Number(month), day: Number(day) });
    const instance = await findInstance(client, path, at);
    if (!instance.ok) return instance;
    if (instance.value === null) continue;
    const removed = await client.delete(
      `${getUser(path)}/events/${encode(instance.value)}`,
      options,
    );
    if (!removed.ok) return removed;
  }
  return done;
}

const getUser = (path: string): string => path.slice(0, path.lastIndexOf('/events/'));

/** The occurrence of a series that begins at this time. */
async function findInstance(
  client: OutlookMailbox['client'],
  path: string,
  at: DateTime,
): Reply<string | null> {
  const from = at.toUTC().minus({ minutes: 1 }).toISO({ suppressMilliseconds: true }) ?? '';
  const to = at.toUTC().plus({ minutes: 1 }).toISO({ suppressMilliseconds: true }) ?? '';
  const rows = await client.page(
    `${path}/instances?startDateTime=${encode(from)}&endDateTime=${encode(to)}`,
    v.object({ id: v.string(), start: v.object({ dateTime: v.string(), timeZone: v.string() }) }),
    options,
  );
  if (!rows.ok) return { ok: false, error: rows.error };
  const found = rows.value.rows.find(
    ({ start }) => readTime(start, 'UTC')?.toMillis() === at.toMillis(),
  );
  return ok(found?.id ?? null);
}

async function createContact(
  { client, user }: OutlookMailbox,
  folder: string,
  contact: OutlookContact,
): Reply<ItemRef> {
  const made = await createOnce(
    client,
    `${user}/contactFolders/${encode(folder)}/contacts`,
    `displayName eq '${quote(contact.displayName)}'`,
    newContact(contact),
  );
  if (!made.ok) return made;
  const ref: ItemRef = { kind: 'contact', id: made.value.id, list: '' };
  if (!contact.photo) return ok(ref);
  const path = contactPath(user, ref.id);
  const photo = await client.putBytes(
    `${path}/photo/$value`,
    new Uint8Array(Buffer.from(contact.photo.contentBytes, 'base64')),
    Anything,
    { headers: { 'content-type': contact.photo.contentType }, isRepeatable: true },
  );
  if (photo.ok) return ok(ref);
  await client.delete(path, options);
  return photo;
}

async function createTask(
  { client, user }: OutlookMailbox,
  list: string,
  task: OutlookTask,
): Reply<ItemRef> {
  const made = await createOnce(
    client,
    `${user}/todo/lists/${encode(list)}/tasks`,
    `title eq '${quote(task.title)}'`,
    newTask(task),
  );
  if (!made.ok) return made;
  const ref: ItemRef = { kind: 'task', id: made.value.id, list };
  const path = taskPath(user, list, ref.id);
  for (const { displayName, isChecked } of task.checklistItems ?? []) {
    const added = await client.post(
      `${path}/checklistItems`,
      { displayName, isChecked: isChecked === true },
      Anything,
      options,
    );
    if (added.ok) continue;
    await client.delete(path, options);
    return added;
  }
  return ok(ref);
}
