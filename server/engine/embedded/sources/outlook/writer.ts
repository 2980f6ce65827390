import * as v from 'valibot';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { GraphPorts } from '../../graph/request.ts';
import { graphMessages as t } from '../../graph/messages.en.ts';
import { done, failed, ok } from '../../../result.ts';
import type {
  BeforeRemoval,
  FoundObject,
  Place,
  SourceCall,
  SourceObject,
  StoredItem,
  WriteInput,
  Writer,
  Written,
} from '../../types.ts';
import { readContent } from '../content.ts';
import { MailboxIds } from '../mail-export.ts';
import { mailboxClient, userPath } from '../mailbox-client.ts';
import { importMail } from '../mail-import.ts';
import type { ReadStored } from '../mail-edits.ts';
import { mailWriter } from '../mail-writer.ts';
import { describeMove, isInPlace } from '../moved-folder.ts';
import { createItem } from './create-item.ts';
import { OutlookContact, OutlookEvent, OutlookTask } from './entities.ts';
import { type Fingerprint, getFingerprint, parseHash } from './fingerprint.ts';
import { getChange } from './items.ts';
import { itemKey, parseFolderKey, parseItemKey, type ItemRef } from './keys.ts';
import {
  ensureOutlookFolder,
  findOutlookFolder,
  getTop,
  type OutlookMailbox,
  readOutlookPath,
  removeOutlookFolder,
} from './places.ts';
import {
  contactPath,
  encode,
  eventPath,
  type OutlookItem,
  PREFER,
  readOutlookItem,
  taskPath,
} from './read-item.ts';

const MAX_ITEM_BYTES: Bytes = 220 * 1_048_576;
const options = { headers: PREFER };

interface Mailbox extends OutlookMailbox {
  readonly ids: MailboxIds;
}

const isMail = ({ path }: Place): boolean => getTop(path) === null;

/** Writes back what mailboxes hold: mails, events, contacts and tasks. Nobody is invited by that. */
export function mailboxWriter(ports: GraphPorts, read: ReadStored | null = null): Writer {
  const mails = mailWriter(ports, read);
  const folders = new Map<string, string>();
  const ids = new MailboxIds();
  const open = (object: SourceObject, call: SourceCall): Mailbox => ({
    user: userPath(object),
    object: object.id,
    folders,
    ids,
    client: mailboxClient(ports, object, call),
  });
  return {
    find: (place, item, call) =>
      isMail(place)
        ? mails.find(place, item, call)
        : findItem(open(place.object, call), place, item),
    async findCopy(place, item, others, call) {
      if (isMail(place)) return mails.findCopy(place, item, others, call);
      const mailbox = open(place.object, call);
      const folder = await findOutlookFolder(mailbox, place.path);
      if (!folder.ok || folder.value === null) return folder.ok ? ok(null) : folder;
      return findSame(mailbox, folder.value, item, others);
    },
    findFolder: (place, call) =>
      isMail(place)
        ? mails.findFolder(place, call)
        : findOutlookFolder(open(place.object, call), place.path),
    describePlace: (place, folder, call) =>
      isMail(place)
        ? (mails.describePlace?.(place, folder, call) ?? Promise.resolve(ok(null)))
        : describeFolder(open(place.object, call), place.path, folder),
    ensureFolder: (place, call, recorder) =>
      isMail(place)
        ? mails.ensureFolder(place, call, recorder)
        : ensureOutlookFolder(open(place.object, call), place.path, recorder),
    write: (place, item, input, call) =>
      isMail(place)
        ? mails.write(place, item, input, call)
        : writeItem(open(place.object, call), place, item, input),
    remove: (object, written, call, before) =>
      parseItemKey(written.key) === null
        ? mails.remove(object, written, call, before)
        : removeItem(open(object, call), written, before),
    removeFolder: (object, key, call, removal) =>
      parseFolderKey(key) === null
        ? mails.removeFolder(object, key, call, removal)
        : removeOutlookFolder(open(object, call), key),
  };
}

/** Folders that are in their place are known, and cost no request. */
async function describeFolder(
  mailbox: Mailbox,
  path: Place['path'],
  key: string,
): Reply<string | null> {
  const other = await findOutlookFolder(mailbox, path);
  if (!other.ok) return other;
  if (other.value === key) return ok(null);
  const below = await readOutlookPath(mailbox, key);
  if (!below.ok || below.value === null) return below.ok ? ok(null) : below;
  const names = [path[0]?.name ?? '', ...below.value];
  return ok(isInPlace(names, path) ? null : describeMove(names, path, other.value !== null));
}

// ---- finding

const Named = v.object({ id: v.string() });
const Parent = v.object({
  id: v.string(),
  parentFolderId: v.fallback(v.nullish(v.string()), undefined),
});

async function findItem(
  mailbox: Mailbox,
  place: Place,
  item: StoredItem,
): Reply<FoundObject | null> {
  const folder = await findOutlookFolder(mailbox, place.path);
  if (!folder.ok || folder.value === null) return folder.ok ? ok(null) : folder;
  const own = await findOwn(mailbox, folder.value, item);
  if (!own.ok || own.value?.isSame === true) return own;
  const same = await findSame(mailbox, folder.value, item, own.value ? [own.value.key] : []);
  return same.ok && same.value === null ? own : same;
}

/** The item itself, if it is still in the folder. */
async function findOwn(
  mailbox: Mailbox,
  folder: string,
  item: StoredItem,
): Reply<FoundObject | null> {
  const ref = parseItemKey(item.key);
  if (ref === null) return ok(null);
  const isHere = await isInFolder(mailbox, folder, ref);
  if (!isHere.ok || !isHere.value) return isHere.ok ? ok(null) : isHere;
  const now = await readOutlookItem(mailbox.client, mailbox.user, ref);
  if (!now.ok) return isAbsent(now) ? ok(null) : now;
  const { changeKey } = getChange(now.value, folder);
  const known = parseHash(item.flags.hash);
  const { core, rest } = getFingerprint(now.value);
  const isSame =
    changeKey === item.changeKey || (known !== null && known.core === core && known.rest === rest);
  // Known before the restore, so that a dry run shows it.
  const isRefused = !isSame && isOwnMeeting(now.value);
  return ok({
    key: item.key,
    changeKey,
    isSame,
    ...(isRefused && { refusal: t.meetingNotReplaceable }),
  });
}

/** A meeting whose attendees Exchange would write to. */
const isOwnMeeting = (item: OutlookItem): boolean =>
  item.kind === 'event' &&
  item.value.isOrganizer === true &&
  (item.value.attendees ?? []).length > 0;

async function isInFolder({ client, user }: Mailbox, folder: string, ref: ItemRef): Reply<boolean> {
  const id = parseFolderKey(folder)?.id;
  if (ref.kind === 'task') return ok(ref.list === id);
  const path =
    ref.kind === 'event' ? `${eventPath(user, ref.id)}/calendar` : contactPath(user, ref.id);
  const select = ref.kind === 'event' ? 'id' : 'id,parentFolderId';
  const parent = await client.get(`${path}?$select=${select}`, Parent, options);
  if (!parent.ok) return isAbsent(parent) ? ok(false) : parent;
  return ok((ref.kind === 'event' ? parent.value.id : parent.value.parentFolderId) === id);
}

const isAbsent = <T>(read: EngineResult<T>): boolean =>
  !read.ok && (read.error.kind === 'missing' || read.error.kind === 'invalid');

/** Another item of the folder, without these keys, that an earlier restore of this version has made. */
async function findSame(
  mailbox: Mailbox,
  folder: string,
  item: StoredItem,
  others: readonly string[],
): Reply<FoundObject | null> {
  const { client, user } = mailbox;
  const known = parseHash(item.flags.hash);
  const id = parseFolderKey(folder)?.id;
  if (known === null || id === undefined) return ok(null);
  const text = encode(item.title.replaceAll("'", "''"));
  const kind = item.kind as ItemRef['kind'];
  const list = kind === 'task' ? id : '';
  const path = {
    event: `${user}/calendars/${encode(id)}/events?$filter=subject eq '${text}'`,
    contact: `${user}/contactFolders/${encode(id)}/contacts?$filter=displayName eq '${text}'`,
    task: `${user}/todo/lists/${encode(id)}/tasks?$filter=title eq '${text}'`,
  }[kind];
  const rows = await client.page(`${path}&$top=${MAX_CANDIDATES}`, Named, options);
  if (!rows.ok) return isAbsent(rows) ? ok(null) : { ok: false, error: rows.error };
  for (const row of rows.value.rows) {
    const ref: ItemRef = { kind, id: row.id, list };
    const key = itemKey(ref.kind, ref.id, ref.kind === 'task' ? list : undefined);
    if (others.includes(key)) continue;
    const now = await readOutlookItem(client, user, ref);
    if (!now.ok && !isAbsent(now)) return now;
    if (now.ok && isLike(item, key, getFingerprint(now.value)))
      return ok({ key, changeKey: getChange(now.value, folder).changeKey, isSame: true });
  }
  return ok(null);
}
const MAX_CANDIDATES = 25;

/** The item itself is compared in full. What a restore made of a version is not another version. */
function isLike(item: StoredItem, key: string, now: Fingerprint): boolean {
  const { otherVersions = [] } = item;
  const isSame = ({ flags }: StoredItem): boolean => {
    const hash = parseHash(flags.hash);
    return hash?.core === now.core && hash.rest === now.rest;
  };
  if (isSame(item)) return true;
  const hasCore = parseHash(item.flags.hash)?.core === now.core;
  return hasCore && !otherVersions.some(isSame) && (otherVersions.length === 0 || key !== item.key);
}

// ---- writing

async function writeItem(
  mailbox: Mailbox,
  place: Place,
  item: StoredItem,
  input: WriteInput,
): Reply<Written> {
  const { replaces } = input;
  const folder = await ensureOutlookFolder(mailbox, place.path);
  if (!folder.ok) return folder;
  if (replaces !== null) {
    const removable = await checkRemovable(mailbox, replaces, t.meetingNotReplaceable);
    if (!removable.ok) return removable;
  }
  const imported = await importItem(mailbox, folder.value.key, item, input);
  if (!imported.ok) return imported;
  const written =
    imported.value === null
      ? await createFromJson(mailbox, folder.value.key, item, input)
      : ok(imported.value);
  if (!written.ok || replaces === null) return written;
  const removed = await deleteItem(mailbox, replaces);
  if (removed.ok) return written;
  await deleteItem(mailbox, written.value);
  return removed;
}

/** Imports the full-fidelity stream of an event or contact. Null: there is none, or the target takes none. */
async function importItem(
  mailbox: Mailbox,
  folder: string,
  item: StoredItem,
  { content, others = [] }: WriteInput,
): Reply<Written | null> {
  const { client, user, ids } = mailbox;
  const id = parseFolderKey(folder)?.id;
  if (id === undefined || item.kind === 'task' || !item.parts.some(({ as }) => as === 'fts'))
    return ok(null);
  const target = await ids.find(client, user);
  if (target === null) return ok(null);
  const stream = await readContent(await content('fts'), MAX_ITEM_BYTES);
  if (!stream.ok) return stream;
  const imported = await importMail(client, target, id, stream.value);
  if (!imported.ok) {
    // A stream that the target can't read: what is known of the item remains.
    if (imported.error.kind === 'invalid' || imported.error.kind === 'damaged') return ok(null);
    const isUnknown = imported.error.kind === 'unreachable' || imported.error.kind === 'internal';
    const known = [item.key, ...others];
    const lost = isUnknown ? await findSame(mailbox, folder, item, known) : ok(null);
    return lost.ok && lost.value !== null ? ok(lost.value) : { ok: false, error: imported.error };
  }
  if (imported.value === null) {
    ids.deny(client, user);
    return ok(null);
  }
  const kind = item.kind === 'contact' ? 'contact' : 'event';
  const path = kind === 'contact' ? contactPath : eventPath;
  const made = await client.get(
    `${path(user, imported.value)}?$select=id,changeKey`,
    v.object({ id: v.string(), changeKey: v.string() }),
    options,
  );
  return made.ok
    ? ok({ key: itemKey(kind, made.value.id), changeKey: made.value.changeKey })
    : { ok: false, error: made.error };
}

async function createFromJson(
  mailbox: Mailbox,
  folder: string,
  item: StoredItem,
  input: WriteInput,
): Reply<Written> {
  const json = await readContent(await input.content('json'), MAX_ITEM_BYTES);
  if (!json.ok) return json;
  const stored = parseItem(item, json.value);
  if (stored === null) return failed('damaged', t.badItem);
  const made = await createItem(mailbox, folder, stored);
  if (!made.ok) return made;
  const now = await readOutlookItem(mailbox.client, mailbox.user, made.value);
  if (!now.ok) return now;
  const { key, changeKey } = getChange(now.value, folder);
  return ok({ key, changeKey });
}

function parseItem({ kind }: StoredItem, bytes: Uint8Array): OutlookItem | null {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return null;
  }
  switch (kind) {
    case 'event': {
      const event = v.safeParse(OutlookEvent, json);
      return event.success ? { kind, value: event.output } : null;
    }
    case 'contact': {
      const contact = v.safeParse(OutlookContact, json);
      return contact.success ? { kind, value: contact.output } : null;
    }
    case 'task': {
      const task = v.safeParse(OutlookTask, json);
      return task.success ? { kind, value: task.output } : null;
    }
    default:
      return null;
  }
}

// ---- removing

/**
 * An error `conflict` if the item is not in the state in which it was found or written, and
 * `unsupported` if Exchange would write to its attendees. Returns whether it is still there.
 */
async function checkRemovable(
  { client, user }: Mailbox,
  state: Written,
  meeting: string,
): Reply<boolean> {
  const ref = parseItemKey(state.key);
  if (ref === null) return failed('invalid', t.missing);
  const now = await readOutlookItem(client, user, ref);
  if (!now.ok) return isAbsent(now) ? ok(false) : now;
  if (getChange(now.value, '').changeKey !== state.changeKey) return failed('conflict', t.conflict);
  return isOwnMeeting(now.value) ? failed('unsupported', meeting) : ok(true);
}

async function removeItem(
  mailbox: Mailbox,
  written: Written,
  before: BeforeRemoval | undefined,
): Reply<void> {
  const removable = await checkRemovable(mailbox, written, t.meetingStays);
  if (!removable.ok) return removable;
  if (!removable.value) return failed('missing', t.missing);
  await before?.();
  return deleteItem(mailbox, written);
}

async function deleteItem({ client, user }: Mailbox, { key, changeKey }: Written): Reply<void> {
  const ref = parseItemKey(key);
  if (ref === null) return failed('invalid', t.missing);
  const path = {
    event: () => eventPath(user, ref.id),
    contact: () => contactPath(user, ref.id),
    task: () => taskPath(user, ref.list, ref.id),
  }[ref.kind]();
  const headers = ref.kind === 'task' ? PREFER : { ...PREFER, 'if-match': `W/"${changeKey}"` };
  const deleted = await client.delete(path, { headers });
  return deleted.ok ? done : { ok: false, error: deleted.error };
}
