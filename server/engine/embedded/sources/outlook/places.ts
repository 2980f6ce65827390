import * as v from 'valibot';
import type { EngineError, EngineResult, Reply } from '#contract/engine/engine.ts';
import type { GraphClient } from '../../graph/client.ts';
import { graphMessages as t } from '../../graph/messages.en.ts';
import { done, failed, ok } from '../../../result.ts';
import type { FolderRecorder, PathPart } from '../../types.ts';
import { folderKey, groupKey, isOutlookTop, parseFolderKey, type OutlookTop } from './keys.ts';
import { encode, PREFER } from './read-item.ts';

/** A mailbox that items are written to. */
export interface OutlookMailbox {
  readonly user: string;
  readonly object: string;
  readonly client: GraphClient;
  /** Keys of folders that are known, by mailbox and path. */
  readonly folders: Map<string, string>;
}

/** Which part of the mailbox a path leads to; null: mails. */
export function getTop(path: readonly PathPart[]): OutlookTop | null {
  const wellKnown = path[0]?.wellKnown;
  return isOutlookTop(wellKnown) ? wellKnown : null;
}

const text = v.fallback(v.nullish(v.string()), undefined);
const flag = v.fallback(v.nullish(v.boolean()), undefined);
const Folder = v.object({
  id: v.string(),
  name: text,
  displayName: text,
  parentFolderId: text,
  isDefaultCalendar: flag,
  wellknownListName: text,
});
type Folder = v.InferOutput<typeof Folder>;
const options = { headers: PREFER };

/** Returns the key of the folder with this path; null if the target lacks it. */
export async function findOutlookFolder(
  mailbox: OutlookMailbox,
  path: readonly PathPart[],
): Reply<string | null> {
  let key: string | null = getTop(path);
  for (let depth = 2; depth <= path.length && key !== null; depth += 1) {
    const found: EngineResult<string | null> = await findChild(mailbox, key, path.slice(0, depth));
    if (!found.ok) return found;
    key = found.value;
  }
  return key === null ? ok(null) : resolveTop(mailbox, key);
}

/** Returns the key of the folder with this path, and creates what is missing of it. */
export async function ensureOutlookFolder(
  mailbox: OutlookMailbox,
  path: readonly PathPart[],
  recorder?: FolderRecorder,
): Reply<{ key: string; created: readonly string[] }> {
  const created: string[] = [];
  let key: string = getTop(path) ?? '';
  for (let depth = 2; depth <= path.length; depth += 1) {
    const part = path.slice(0, depth);
    const found = await findChild(mailbox, key, part);
    if (!found.ok) return found;
    if (found.value !== null) {
      key = found.value;
      continue;
    }
    await recorder?.before(part);
    const added = await createFolder(mailbox, key, part);
    if (!added.ok) {
      // Somebody else, or the request whose response was lost, has made it meanwhile.
      const other = await findChild(mailbox, key, part);
      if (!other.ok || other.value === null) return added;
      key = other.value;
      const isOwn = added.error.kind !== 'conflict';
      if (isOwn) created.push(key);
      await recorder?.after(part, isOwn ? key : null);
      continue;
    }
    key = added.value;
    created.push(key);
    mailbox.folders.set(cacheKey(mailbox, part), key);
    await recorder?.after(part, key);
  }
  const resolved = await resolveTop(mailbox, key);
  if (!resolved.ok) return resolved;
  return resolved.value === null
    ? failed('missing', t.missing)
    : ok({ key: resolved.value, created });
}

const cacheKey = ({ object }: OutlookMailbox, path: readonly PathPart[]): string =>
  JSON.stringify([
    object,
    // A mailbox has several groups of calendars.
    ...path.map(({ name, wellKnown }) =>
      wellKnown === null || wellKnown === 'calendar-group' ? `/${name}` : wellKnown,
    ),
  ]);

/** Items without a folder of their own go to the one that every mailbox has. */
async function resolveTop(mailbox: OutlookMailbox, key: string): Reply<string | null> {
  if (!isOutlookTop(key)) return ok(key);
  const part = { name: '', wellKnown: STANDARD[key] };
  return findChild(mailbox, key, [{ name: '', wellKnown: key }, part]);
}
const STANDARD = { calendars: 'calendar', contacts: 'contacts', tasks: 'defaultList' } as const;

/** Returns the folder that the last part of the path names; null if there is none. */
async function findChild(
  mailbox: OutlookMailbox,
  parent: string,
  path: readonly PathPart[],
): Reply<string | null> {
  const cached = mailbox.folders.get(cacheKey(mailbox, path));
  if (cached !== undefined) return ok(cached);
  const last = path.at(-1);
  if (last === undefined) return ok(null);
  const found = await lookUp(mailbox, parent, last);
  if (found.ok && found.value !== null) mailbox.folders.set(cacheKey(mailbox, path), found.value);
  return found;
}

async function lookUp(
  mailbox: OutlookMailbox,
  parent: string,
  { name, wellKnown }: PathPart,
): Reply<string | null> {
  const { client, user } = mailbox;
  const folder = parseFolderKey(parent);
  const top = isOutlookTop(parent) ? parent : (folder?.top ?? null);
  switch (top) {
    case 'calendars': {
      if (wellKnown === 'calendar') {
        const calendar = await client.get(`${user}/calendar?$select=id`, Folder, options);
        return toKey(calendar, ({ id }) => folderKey('calendars', id));
      }
      const groups = await list(client, `${user}/calendarGroups`);
      if (!groups.ok) return groups;
      if (wellKnown === 'calendar-group')
        return ok(pick(groups.value, name, (row) => groupKey(row.id)));
      for (const group of groups.value) {
        if (folder?.isGroup === true && folder.id !== group.id) continue;
        const rows = await list(client, `${user}/calendarGroups/${encode(group.id)}/calendars`);
        if (!rows.ok) return rows;
        const isOwn = rows.value.some(({ isDefaultCalendar }) => isDefaultCalendar === true);
        if (folder?.isGroup !== true && !isOwn) continue;
        return ok(pick(rows.value, name, (row) => folderKey('calendars', row.id)));
      }
      return ok(null);
    }
    case 'contacts': {
      if (wellKnown === 'contacts') {
        const standard = await client.get(`${user}/contactFolders/contacts`, Folder, options);
        return toKey(standard, ({ id }) => folderKey('contacts', id));
      }
      const rows = await list(client, contactFolders(user, folder?.id ?? null));
      return rows.ok ? ok(pick(rows.value, name, (row) => folderKey('contacts', row.id))) : rows;
    }
    case 'tasks': {
      const rows = await list(client, `${user}/todo/lists`);
      if (!rows.ok) return rows;
      const known = rows.value.find(
        (row) => wellKnown !== null && row.wellknownListName === wellKnown,
      );
      return ok(
        known
          ? folderKey('tasks', known.id)
          : pick(rows.value, name, (row) => folderKey('tasks', row.id)),
      );
    }
    case null:
      return ok(null);
  }
}

const contactFolders = (user: string, parent: string | null): string =>
  parent === null
    ? `${user}/contactFolders`
    : `${user}/contactFolders/${encode(parent)}/childFolders`;

async function list(client: GraphClient, path: string): Reply<readonly Folder[]> {
  const rows: Folder[] = [];
  for (let link: string | null = path; link !== null;) {
    const page: Awaited<ReturnType<typeof client.page<typeof Folder>>> = await client.page(
      link,
      Folder,
      options,
    );
    if (!page.ok) return page.error.kind === 'missing' ? ok(rows) : page;
    rows.push(...page.value.rows);
    link = page.value.next;
  }
  return ok(rows);
}

const pick = (
  rows: readonly Folder[],
  name: string,
  getKey: (row: Folder) => string,
): string | null => {
  const found = rows.find((row) => (row.name ?? row.displayName ?? '') === name);
  return found ? getKey(found) : null;
};

const toKey = (
  found: EngineResult<Folder>,
  getKey: (row: Folder) => string,
): EngineResult<string | null> => {
  if (found.ok) return ok(getKey(found.value));
  return found.error.kind === 'missing' ? ok(null) : found;
};

type Created = EngineResult<string> | { readonly ok: false; readonly error: EngineError };

async function createFolder(
  { client, user }: OutlookMailbox,
  parent: string,
  path: readonly PathPart[],
): Promise<Created> {
  const { name = '', wellKnown = null } = path.at(-1) ?? {};
  const folder = parseFolderKey(parent);
  const top = isOutlookTop(parent) ? parent : folder?.top;
  const post = async (
    link: string,
    body: Readonly<Record<string, string>>,
    getKey: (id: string) => string,
  ): Promise<Created> => {
    const made = await client.post(link, body, Folder, options);
    return made.ok ? ok(getKey(made.value.id)) : made;
  };
  switch (top) {
    case 'calendars': {
      // Calendars are in a group, and groups in nothing.
      if (wellKnown === 'calendar-group') return post(`${user}/calendarGroups`, { name }, groupKey);
      const link =
        folder?.isGroup === true
          ? `${user}/calendarGroups/${encode(folder.id)}/calendars`
          : `${user}/calendars`;
      return post(link, { name }, (id) => folderKey('calendars', id));
    }
    case 'contacts':
      return post(contactFolders(user, folder?.id ?? null), { displayName: name }, (id) =>
        folderKey('contacts', id),
      );
    case 'tasks':
      return post(`${user}/todo/lists`, { displayName: name }, (id) => folderKey('tasks', id));
    default:
      return failed('invalid', t.badName);
  }
}

/**
 * The present names from below the top to a folder, by its key; null: the mailbox has no such folder.
 */
export async function readOutlookPath(
  mailbox: OutlookMailbox,
  key: string,
): Reply<readonly string[] | null> {
  const { client, user } = mailbox;
  const folder = parseFolderKey(key);
  if (folder === null) return ok(null);
  if (folder.top === 'calendars') return readCalendarPath(mailbox, folder);
  if (folder.top === 'contacts') return readContactPath(mailbox, folder.id);
  const now = await client.get(`${user}/todo/lists/${encode(folder.id)}`, Folder, options);
  if (now.ok) return ok([now.value.displayName ?? '']);
  return now.error.kind === 'missing' ? ok(null) : { ok: false, error: now.error };
}

/** Calendars of the person's own group are shown without it. */
async function readCalendarPath(
  { client, user }: OutlookMailbox,
  { id, isGroup }: { readonly id: string; readonly isGroup: boolean },
): Reply<readonly string[] | null> {
  const groups = await list(client, `${user}/calendarGroups`);
  if (!groups.ok) return groups;
  if (isGroup) {
    const group = groups.value.find((one) => one.id === id);
    return ok(group ? [group.name ?? ''] : null);
  }
  for (const group of groups.value) {
    const rows = await list(client, `${user}/calendarGroups/${encode(group.id)}/calendars`);
    if (!rows.ok) return rows;
    const calendar = rows.value.find((row) => row.id === id);
    if (calendar === undefined) continue;
    const isOwn = rows.value.some(({ isDefaultCalendar }) => isDefaultCalendar === true);
    return ok([...(isOwn ? [] : [group.name ?? '']), calendar.name ?? '']);
  }
  return ok(null);
}

/** What is not in another contact folder is at the top. */
async function readContactPath(
  { client, user }: OutlookMailbox,
  id: string,
): Reply<readonly string[] | null> {
  const read = (key: string): Reply<Folder> =>
    client.get(`${user}/contactFolders/${encode(key)}`, Folder, options);
  const standard = await read('contacts');
  if (!standard.ok && standard.error.kind !== 'missing') return standard;
  const root = standard.ok ? standard.value.parentFolderId : null;
  const names: string[] = [];
  const seen = new Set<string>();
  for (let at: string | null = id; at !== null && !seen.has(at) && at !== root;) {
    seen.add(at);
    const folder = await read(at);
    if (!folder.ok && folder.error.kind !== 'missing') return folder;
    if (!folder.ok) break;
    names.unshift(folder.value.displayName ?? '');
    at = folder.value.parentFolderId ?? null;
  }
  return ok(names.length === 0 ? null : names);
}

/** For undo: removes a folder that a restore created if it is empty. */
export async function removeOutlookFolder(mailbox: OutlookMailbox, key: string): Reply<void> {
  const { client, user, folders } = mailbox;
  const folder = parseFolderKey(key);
  if (folder === null) return failed('invalid', t.badName);
  const id = encode(folder.id);
  const [path, below] = {
    calendars: folder.isGroup
      ? ([`${user}/calendarGroups/${id}`, ['calendars']] as const)
      : ([`${user}/calendars/${id}`, ['events']] as const),
    contacts: [`${user}/contactFolders/${id}`, ['contacts', 'childFolders']] as const,
    tasks: [`${user}/todo/lists/${id}`, ['tasks']] as const,
  }[folder.top];
  for (const part of below) {
    const rows = await client.page(`${path}/${part}?$top=1`, v.object({ id: v.string() }), options);
    if (!rows.ok) return rows.error.kind === 'missing' ? done : { ok: false, error: rows.error };
    if (rows.value.rows.length > 0) return failed('conflict', t.folderInUse);
  }
  for (const [name, known] of folders) if (known === key) folders.delete(name);
  const deleted = await client.delete(path, options);
  return deleted.ok ? done : { ok: false, error: deleted.error };
}
