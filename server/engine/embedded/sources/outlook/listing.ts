import * as v from 'valibot';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { GraphClient } from '../../graph/client.ts';
import { ok } from '../../../result.ts';
import type { ChangePage, FolderChange, ItemChange } from '../../types.ts';
import { latestRows, readDelta } from '../delta.ts';
import { OutlookContact, OutlookEvent, OutlookTask } from './entities.ts';
import { getContactChange, getEventChange, getTaskChange } from './items.ts';
import { folderKey, groupKey, itemKey, type OutlookTop } from './keys.ts';
import { encode, PREFER } from './read-item.ts';

type Pages = AsyncGenerator<EngineResult<ChangePage>, void>;
type Cursors = ReadonlyMap<string, string>;

const text = v.fallback(v.nullish(v.string()), undefined);
const flag = v.fallback(v.nullish(v.boolean()), undefined);
const Removed = v.optional(v.object({}));

/** Collections without a delta query are listed each time. */
const LISTED = 'listed';
const wholePage = (
  scope: string,
  folders: readonly FolderChange[],
  items: readonly ItemChange[],
): ChangePage => ({
  scope,
  restart: true,
  folders,
  items,
  removed: [],
  cursor: LISTED,
  isComplete: true,
});

// ---- calendars

const Group = v.object({ id: v.string(), name: text });
const Calendar = v.object({ id: v.string(), name: text, isDefaultCalendar: flag });
const EVENT_FIELDS =
  'id,changeKey,subject,start,end,organizer,attendees,importance,categories,hasAttachments,createdDateTime,lastModifiedDateTime';

/**
 * Graph's v1.0 has changes only of a view of a calendar between two dates, which misses what is
 * outside of it. So the keys of all events are listed, and those that have changed are read.
 */
export async function* readCalendars(client: GraphClient, user: string): Pages {
  const calendars = await listCalendars(client, user);
  if (!calendars.ok) return yield calendars;
  yield ok(wholePage('calendars', calendars.value.folders, []));
  for (const id of calendars.value.ids) {
    const scope = folderKey('calendars', id);
    const events = await listEvents(client, `${user}/calendars/${encode(id)}/events`);
    // The calendar was removed after it was listed: the next list says so.
    if (!events.ok && events.error.kind === 'missing') continue;
    if (!events.ok) return yield events;
    yield ok(
      wholePage(
        scope,
        [],
        events.value.map((event) => getEventChange(event, scope)),
      ),
    );
  }
}

async function listCalendars(
  client: GraphClient,
  user: string,
): Promise<EngineResult<{ readonly folders: FolderChange[]; readonly ids: string[] }>> {
  const groups = await listAll(client, `${user}/calendarGroups`, Group);
  if (!groups.ok) return groups;
  const folders: FolderChange[] = [];
  const ids: string[] = [];
  for (const group of groups.value) {
    const calendars = await listAll(
      client,
      `${user}/calendarGroups/${encode(group.id)}/calendars`,
      Calendar,
    );
    if (!calendars.ok && calendars.error.kind === 'missing') continue;
    if (!calendars.ok) return calendars;
    // Calendars of the person's own group are shown without it.
    const isOwn = calendars.value.some(({ isDefaultCalendar }) => isDefaultCalendar === true);
    if (!isOwn)
      folders.push({
        key: groupKey(group.id),
        parent: 'calendars',
        name: group.name ?? '',
        wellKnown: 'calendar-group',
      });
    for (const { id, name, isDefaultCalendar } of calendars.value) {
      ids.push(id);
      folders.push({
        key: folderKey('calendars', id),
        parent: isOwn ? 'calendars' : groupKey(group.id),
        name: name ?? '',
        wellKnown: isDefaultCalendar === true ? 'calendar' : null,
      });
    }
  }
  return ok({ folders, ids });
}

/** What changes while pages are read can push an event past their border: then they are read again. */
async function listEvents(
  client: GraphClient,
  path: string,
): Promise<EngineResult<readonly OutlookEvent[]>> {
  const link = `${path}?$select=${EVENT_FIELDS}&$top=${PAGE}`;
  let last = await listAll(client, link, OutlookEvent);
  for (let reads = 1; last.ok && last.value.length > PAGE && reads < MAX_READS; reads += 1) {
    const known = new Set(last.value.map(({ id }) => id));
    const again = await listAll(client, link, OutlookEvent);
    if (!again.ok) return again;
    const isSame =
      again.value.length === known.size && again.value.every(({ id }) => known.has(id));
    last = again;
    if (isSame) break;
  }
  return last;
}
const PAGE = 500;
const MAX_READS = 4;

async function listAll<S extends v.GenericSchema>(
  client: GraphClient,
  path: string,
  row: S,
): Promise<EngineResult<readonly v.InferOutput<S>[]>> {
  const rows: v.InferOutput<S>[] = [];
  for (let link: string | null = path; link !== null;) {
    const page: Awaited<ReturnType<typeof client.page<S>>> = await client.page(link, row, {
      headers: PREFER,
    });
    if (!page.ok) return page;
    rows.push(...page.value.rows);
    link = page.value.next;
  }
  return ok(rows);
}

// ---- contacts and tasks

/** What is asked of contacts and of tasks, in the same way. */
interface Deltas<S extends v.GenericSchema> {
  readonly top: OutlookTop;
  readonly folders: string;
  readonly folderRow: v.GenericSchema<
    unknown,
    {
      readonly 'id': string;
      readonly '@removed'?: object | undefined;
      readonly 'displayName'?: string | null | undefined;
      readonly 'parentFolderId'?: string | null | undefined;
      readonly 'wellknownListName'?: string | null | undefined;
    }
  >;
  readonly items: (folder: string) => string;
  readonly row: S;
  readonly change: (row: v.InferOutput<S>, folder: string) => ItemChange;
  readonly key: (id: string, folder: string) => string;
}

const ContactFolder = v.object({
  'id': v.string(),
  '@removed': Removed,
  'displayName': text,
  'parentFolderId': text,
});
const TaskList = v.object({
  'id': v.string(),
  '@removed': Removed,
  'displayName': text,
  'wellknownListName': text,
});

export async function* readContacts(client: GraphClient, user: string, cursors: Cursors): Pages {
  const folders = `${user}/contactFolders`;
  // The standard folder is not among the others.
  const standard = await client.get(`${folders}/contacts`, ContactFolder, { headers: PREFER });
  if (!standard.ok && standard.error.kind !== 'missing') return yield standard;
  yield* readDeltas(
    client,
    {
      top: 'contacts',
      folders: `${folders}/delta`,
      folderRow: ContactFolder,
      items: (folder) => `${folders}/${encode(folder)}/contacts/delta`,
      row: v.object({ ...OutlookContact.entries, '@removed': Removed }),
      change: (row, folder) => getContactChange(row, folderKey('contacts', folder)),
      key: (id) => itemKey('contact', id),
    },
    cursors,
    standard.ok ? [{ ...standard.value, wellknownListName: 'contacts' }] : [],
  );
}

export async function* readTasks(client: GraphClient, user: string, cursors: Cursors): Pages {
  const lists = `${user}/todo/lists`;
  yield* readDeltas(
    client,
    {
      top: 'tasks',
      folders: `${lists}/delta`,
      folderRow: TaskList,
      items: (list) => `${lists}/${encode(list)}/tasks/delta`,
      row: v.object({ ...OutlookTask.entries, '@removed': Removed }),
      change: getTaskChange,
      key: (id, list) => itemKey('task', id, list),
    },
    cursors,
    [],
  );
}

/**
 * `unread`: folders that were named but have no cursor of their own yet. `orphans`: folders whose parent
 * was not named so far, and which are at the top until it is. Absent: none.
 */
const FolderCursor = v.object({
  link: v.string(),
  unread: v.array(v.string()),
  orphans: v.optional(
    v.array(v.object({ id: v.string(), parentFolderId: v.string(), displayName: text })),
    [],
  ),
});

async function* readDeltas<
  S extends v.GenericSchema<unknown, { readonly 'id': string; '@removed'?: object | undefined }>,
>(
  client: GraphClient,
  of: Deltas<S>,
  cursors: Cursors,
  always: readonly v.InferOutput<Deltas<S>['folderRow']>[],
): Pages {
  const { top } = of;
  const prefix = folderKey(top, '');
  const read = v.safeParse(FolderCursor, JSON.parse(cursors.get(top) ?? 'null'));
  const last = read.success ? read.output : null;
  const known = new Set([...cursors.keys()].filter((key) => key.startsWith(prefix)));
  const unread = new Set((last?.unread ?? []).filter((id) => !known.has(folderKey(top, id))));
  const orphans = new Map((last?.orphans ?? []).map((row) => [row.id, row]));
  const removed = new Set<string>();
  const ids = new Set<string>([
    ...always.map(({ id }) => id),
    ...[...known].map((key) => key.slice(prefix.length)),
    ...unread,
  ]);
  /** The folder of the mailbox that the standard one is in: what is there is at the top. */
  const root = always[0]?.parentFolderId;
  const toFolder = (row: v.InferOutput<typeof of.folderRow>): FolderChange => ({
    key: folderKey(top, row.id),
    parent:
      row.parentFolderId != null && ids.has(row.parentFolderId)
        ? folderKey(top, row.parentFolderId)
        : top,
    name: row.displayName ?? '',
    wellKnown:
      row.wellknownListName == null || row.wellknownListName === 'none'
        ? null
        : row.wellknownListName,
  });
  for await (const page of readDelta(client, {
    start: of.folders,
    cursor: last?.link,
    row: of.folderRow,
    headers: PREFER,
  })) {
    if (!page.ok) return yield page;
    const { rows, restart, cursor, isComplete } = page.value;
    if (restart) {
      unread.clear();
      orphans.clear();
    }
    const latest = latestRows(rows);
    const gone = latest.filter((row) => row['@removed']).map(({ id }) => id);
    const named = [
      ...always,
      ...latest.filter((row) => !row['@removed'] && !always.some(({ id }) => id === row.id)),
    ];
    for (const id of gone) {
      removed.add(folderKey(top, id));
      unread.delete(id);
      orphans.delete(id);
      ids.delete(id);
    }
    for (const { id } of named) {
      ids.add(id);
      removed.delete(folderKey(top, id));
      if (!known.has(folderKey(top, id))) unread.add(id);
      orphans.delete(id);
    }
    // A parent may be named after what is in it, as when a folder was moved into a new one.
    const adopted = [...orphans.values()].filter((row) => ids.has(row.parentFolderId));
    for (const { id } of adopted) orphans.delete(id);
    for (const { id, parentFolderId, displayName } of named)
      if (parentFolderId != null && parentFolderId !== root && !ids.has(parentFolderId))
        orphans.set(id, { id, parentFolderId, displayName });
    yield ok({
      scope: top,
      restart,
      folders: [...adopted, ...named].map(toFolder),
      items: [],
      removed: gone.map((id) => folderKey(top, id)),
      cursor: JSON.stringify({
        link: cursor,
        unread: [...unread],
        ...(orphans.size > 0 && { orphans: [...orphans.values()] }),
      }),
      isComplete,
    });
  }
  const scopes = [...known].filter((key) => !removed.has(key));
  for (const id of [...scopes.map((key) => key.slice(prefix.length)), ...unread])
    yield* readItems(client, of, id, cursors.get(folderKey(top, id)));
}

async function* readItems<
  S extends v.GenericSchema<unknown, { readonly 'id': string; '@removed'?: object | undefined }>,
>(client: GraphClient, of: Deltas<S>, folder: string, cursor: string | undefined): Pages {
  for await (const page of readDelta(client, {
    start: of.items(folder),
    cursor,
    row: of.row,
    headers: PREFER,
  })) {
    // The folder was removed after it was listed: the next list of folders says so.
    if (!page.ok && page.error.kind === 'missing') return;
    if (!page.ok) return yield page;
    const { rows, restart, isComplete, cursor: state } = page.value;
    const latest = latestRows(rows);
    yield ok({
      scope: folderKey(of.top, folder),
      restart,
      folders: [],
      items: latest.filter((row) => !row['@removed']).map((row) => of.change(row, folder)),
      removed: latest.filter((row) => row['@removed']).map(({ id }) => of.key(id, folder)),
      cursor: state,
      isComplete,
    });
  }
}
