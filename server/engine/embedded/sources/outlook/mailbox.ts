import type { EngineResult } from '#contract/engine/engine.ts';
import type { Bytes } from '#contract/ids.ts';
import type { GraphClient } from '../../graph/client.ts';
import type { GraphPorts } from '../../graph/request.ts';
import { failed, ok } from '../../../result.ts';
import {
  FOLDERS_SCOPE,
  type ChangePage,
  type FetchedItem,
  type FolderChange,
  type ItemChange,
  type ObjectSource,
  type SourceCall,
  type SourceObject,
} from '../../types.ts';
import { graphMessages as t } from '../../graph/messages.en.ts';
import { mailSource, readMail } from '../mail.ts';
import { exportMails, MailboxIds } from '../mail-export.ts';
import { mailboxClient, userPath } from '../mailbox-client.ts';
import { inParallel } from '../parallel.ts';
import { completeChange, getChange, getParts } from './items.ts';
import { isOutlookScope, itemKey, OUTLOOK_TOPS, parseItemKey, type OutlookTop } from './keys.ts';
import { readCalendars, readContacts, readTasks } from './listing.ts';
import { readOutlookItem } from './read-item.ts';

/** Requests for one mailbox at a time. */
const BATCH_SIZE = 4;
const EXPORT_SIZE = 20;
/** The limit of an item in Exchange, with the overhead of JSON. */
const MAX_ITEM_BYTES: Bytes = 220 * 1_048_576;

const TOP_NAMES: Readonly<Record<OutlookTop, string>> = {
  calendars: t.calendars,
  contacts: t.contacts,
  tasks: t.tasks,
};
/** The folders of what isn't mail, which only Daybook has. */
export const TOP_FOLDERS: readonly FolderChange[] = OUTLOOK_TOPS.map((top) => ({
  key: top,
  parent: null,
  name: TOP_NAMES[top],
  wellKnown: top,
}));
/** What an application needs to read a part, and what the part is called. */
const PARTS = [
  { top: 'calendars', permission: 'Calendars.Read', read: readCalendars },
  { top: 'contacts', permission: 'Contacts.Read', read: readContacts },
  { top: 'tasks', permission: 'Tasks.Read.All', read: readTasks },
] as const;

/** Whole mailboxes: mails, calendars, contacts and tasks. */
export function mailboxSource(ports: GraphPorts): ObjectSource {
  const mails = mailSource(ports);
  const ids = new MailboxIds();
  return {
    kinds: ['mailbox'],
    async *changes(object, cursors, call) {
      const mailCursors = new Map([...cursors].filter(([scope]) => !isOutlookScope(scope)));
      for await (const page of mails.changes(object, mailCursors, call)) yield withTops(page);
      const client = mailboxClient(ports, object, call);
      for (const { top, permission, read } of PARTS)
        for await (const page of read(client, userPath(object), cursors)) {
          if (page.ok) {
            yield page;
            continue;
          }
          // Not every mailbox has everything, and an application may lack a permission.
          if (page.error.kind === 'forbidden')
            call.onLack?.(t.notPermitted({ what: TOP_NAMES[top], permission }), page.error.kind);
          else if (page.error.kind !== 'missing') return yield page;
          break;
        }
    },
    async *fetch(object, items, call) {
      const outlook = items.filter(({ key }) => parseItemKey(key) !== null);
      const rest = items.filter(({ key }) => parseItemKey(key) === null);
      if (rest.length > 0) yield* mails.fetch(object, rest, call);
      yield* fetchItems(mailboxClient(ports, object, call), object, outlook, ids);
    },
  };
}

/** The three folders that only Daybook has belong to the list of folders. */
const withTops = (page: EngineResult<ChangePage>): EngineResult<ChangePage> =>
  page.ok && page.value.scope === FOLDERS_SCOPE && page.value.isComplete
    ? ok({ ...page.value, folders: [...page.value.folders, ...TOP_FOLDERS] })
    : page;

async function* fetchItems(
  client: GraphClient,
  object: SourceObject,
  items: readonly ItemChange[],
  ids: MailboxIds,
): AsyncGenerator<FetchedItem, void> {
  const user = userPath(object);
  for (let from = 0; from < items.length; from += EXPORT_SIZE) {
    const chunk = items.slice(from, from + EXPORT_SIZE);
    const streams = await exportStreams(client, user, chunk, ids);
    yield* inParallel(chunk, BATCH_SIZE, (item) => fetchItem(client, user, item, streams));
  }
}

async function fetchItem(
  client: GraphClient,
  user: string,
  item: ItemChange,
  streams: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<FetchedItem> {
  const ref = parseItemKey(item.key);
  if (ref === null) throw new Error('Not an item of Outlook.');
  const read = await readOutlookItem(client, user, ref);
  if (!read.ok) return { item, ok: false, error: read.error };
  const complete = completeChange(item, read.value);
  if (complete.bytes > MAX_ITEM_BYTES) return { item, ...failed('invalid', t.itemTooLarge) };
  const stream = streams.get(ref.id);
  return {
    item: complete,
    ok: true,
    parts: [...getParts(read.value), ...(stream ? [{ as: 'fts' as const, content: stream }] : [])],
  };
}

/**
 * Only the full-fidelity stream puts a meeting back without inviting anybody. Tasks have none.
 */
async function exportStreams(
  client: GraphClient,
  user: string,
  items: readonly ItemChange[],
  ids: MailboxIds,
): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const wanted = items.flatMap((item) => {
    const ref = parseItemKey(item.key);
    return ref === null || ref.kind === 'task' ? [] : [{ ...item, key: ref.id }];
  });
  const mailbox = wanted.length === 0 ? null : await ids.find(client, user);
  if (mailbox === null) return new Map();
  const { streams, isAvailable } = await exportMails(client, mailbox, wanted);
  if (!isAvailable) ids.deny(client, user);
  return streams;
}

/** Returns the properties of a mail, event, contact or task as they are now. */
export async function readMailboxItem(
  ports: GraphPorts,
  object: SourceObject,
  key: string,
  call: SourceCall,
): Promise<EngineResult<ItemChange>> {
  const ref = parseItemKey(key);
  if (ref === null) return readMail(ports, object, key, call);
  const read = await readOutlookItem(mailboxClient(ports, object, call), userPath(object), ref);
  if (!read.ok) return read;
  // A restore knows where it is: the folder is not part of what is read.
  const change = getChange(read.value, ref.kind === 'task' ? `tasks:${ref.list}` : '');
  return ok({
    ...change,
    key: itemKey(ref.kind, ref.id, ref.kind === 'task' ? ref.list : undefined),
  });
}
