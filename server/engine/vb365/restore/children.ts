import type { EngineResult, ListChildrenInput, Node, Page } from '#contract/engine/engine.ts';
import type { Ms, NodeId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText, lineOfText } from '#contract/stored-text.ts';
import { explorerMessages } from '../../embedded/explorer/messages.en.ts';
import { failed, ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import { getNextOffset } from '../paging.ts';
import { parseTime } from '../times.ts';
import type { OpenExplorer } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { type KnownNode, nodeId, type ShownNode } from './nodes.ts';
import { readOffset } from './points.ts';
import {
  DriveItemShape,
  DriveShape,
  MailboxShape,
  MailFolderShape,
  MailItemShape,
  toPageShape,
  type Vb365Drive,
  type Vb365DriveItem,
  type Vb365Mailbox,
  type Vb365MailFolder,
  type Vb365MailItem,
} from './shapes.ts';

export interface ShownPage {
  readonly page: Page<Node>;
  readonly shown: readonly ShownNode[];
}
type Input = Pick<
  ListChildrenInput,
  'only' | 'text' | 'cursor' | 'offset' | 'limit' | 'sort' | 'descending'
>;

/** How paths of a session begin on the server. */
export const MAILBOXES = 'organization/mailboxes';
export const DRIVES = 'Organization/OneDrives';
export const part = (key: string): string => encodeURIComponent(key);
export const inSession = ({ key }: Pick<OpenExplorer, 'key'>, path: string): string =>
  `RestoreSessions/${key}/${path}`;

/**
 * Lists what the session has below a node, in the order of the server and a page at a time: it has no
 * totals. `parent` null: mailboxes or drives.
 */
export async function listChildren(
  client: Vb365Client,
  explorer: OpenExplorer,
  parent: KnownNode | null,
  { only, text, cursor, offset: skipped = 0, limit }: Input,
): Promise<EngineResult<ShownPage>> {
  const offset = cursor === null ? skipped : readOffset(cursor);
  if (offset === null) return failed('invalid', explorerMessages.wrongCursor, { field: 'cursor' });
  const isMail = explorer.workload === 'outlook';
  if (parent === null) {
    const list = isMail
      ? {
          path: MAILBOXES,
          row: MailboxShape,
          show: (row: Vb365Mailbox): ShownNode => toMailbox(explorer, row),
        }
      : {
          path: DRIVES,
          row: DriveShape,
          show: (row: Vb365Drive): ShownNode => toDrive(explorer, row),
        };
    return text === null
      ? ok(await readPage(client, explorer, list, { offset, limit }))
      : ok(await findObjects(client, explorer, list, text));
  }
  if (text !== null) return failed('unsupported', t.notOffered);
  const { object_key: object, item_key: item } = parent;
  // Without a parent, the server lists everything below.
  const query = `parentId=${part(item === '' ? 'root' : item)}`;
  const range = { offset, limit };
  if (isMail) {
    const base = `${MAILBOXES}/${part(object)}`;
    return ok(
      only === 'folders'
        ? await readPage(
            client,
            explorer,
            {
              path: `${base}/folders?${query}`,
              row: MailFolderShape,
              show: (row: Vb365MailFolder) => toFolder(explorer, object, row),
            },
            range,
          )
        : await readPage(
            client,
            explorer,
            {
              path: `${base}/items?${query}`,
              row: MailItemShape,
              show: (row: Vb365MailItem) => toItem(explorer, object, row),
            },
            range,
          ),
    );
  }
  const base = `${DRIVES}/${part(object)}`;
  const kind = only === 'folders' ? 'dir' : 'file';
  return ok(
    await readPage(
      client,
      explorer,
      {
        path:
          kind === 'dir'
            ? `${base}/Folders?${query}`
            : `${base}/Documents?${query}&includeFolders=false`,
        row: DriveItemShape,
        show: (row: Vb365DriveItem) => toDriveItem(explorer, object, kind, row),
      },
      range,
    ),
  );
}

/** What was listed, as a parent of what is below it. */
export const toParent = ({ node, object, item }: ShownNode): KnownNode => ({
  id: node.id,
  object_id: '' as NodeId,
  kind: node.kind,
  object_key: object,
  item_key: item,
  name: node.name,
  people: '',
  bytes: null,
  at: null,
});

interface List<R> {
  readonly path: string;
  readonly row: Parameters<typeof toPageShape>[0];
  readonly show: (row: R) => ShownNode;
}

async function readPage<R>(
  client: Vb365Client,
  explorer: OpenExplorer,
  { path, row, show }: List<R>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<ShownPage> {
  const query = `limit=${limit}&offset=${offset}`;
  const page = await client.read(
    inSession(explorer, `${path}${path.includes('?') ? '&' : '?'}${query}`),
    toPageShape(row),
  );
  const shown = (page.results as readonly R[]).map(show);
  const next = getNextOffset(page, offset, limit);
  return {
    shown,
    page: {
      rows: shown.map(({ node }) => node),
      next: next === null ? null : String(next),
      // With the last page, all are known.
      count: next === null ? offset + shown.length : null,
    },
  };
}

/** Finds mailboxes or drives by a part of their name. The server's lists have no filter. */
async function findObjects<R>(
  client: Vb365Client,
  explorer: OpenExplorer,
  list: List<R>,
  text: string,
): Promise<ShownPage> {
  const wanted = text.toLowerCase();
  const found: ShownNode[] = [];
  for (let offset = 0; found.length < MAX_FOUND;) {
    const { shown, page } = await readPage(client, explorer, list, { offset, limit: SCAN_ROWS });
    found.push(...shown.filter(({ node }) => node.name.toLowerCase().includes(wanted)));
    if (page.next === null) break;
    offset = Number(page.next);
  }
  const rows = found.slice(0, MAX_FOUND);
  return {
    shown: rows,
    page: { rows: rows.map(({ node }) => node), next: null, count: rows.length },
  };
}
const SCAN_ROWS = 1_000;
const MAX_FOUND = 500;

const getCommon = ({ pointAt }: OpenExplorer, id: NodeId, name: string, at: Ms | null) => ({
  id,
  name,
  at,
  sizeBytes: null,
  deleted: false,
  // The server doesn't say at which other points it has it.
  seen: { first: pointAt, last: pointAt },
});

function toMailbox(explorer: OpenExplorer, row: Vb365Mailbox): ShownNode {
  const kind = row.isArchive === true ? 'archive' : 'mailbox';
  const common = getCommon(
    explorer,
    nodeId('mailbox', row.id, ''),
    getName(row.name, row.email),
    null,
  );
  return { node: { ...common, kind, children: null }, object: row.id, item: '' };
}

function toDrive(explorer: OpenExplorer, row: Vb365Drive): ShownNode {
  const common = getCommon(explorer, nodeId('drive', row.id, ''), getName(row.name, row.url), null);
  return { node: { ...common, kind: 'drive', children: null }, object: row.id, item: '' };
}

const HOLDS: Readonly<Record<string, 'calendars' | 'contacts' | 'tasks'>> = {
  Appointment: 'calendars',
  Contact: 'contacts',
  Task: 'tasks',
};
function toFolder(explorer: OpenExplorer, object: string, row: Vb365MailFolder): ShownNode {
  const holds = HOLDS[row.type ?? ''];
  const common = getCommon(explorer, nodeId('folder', object, row.id), getName(row.name), null);
  return {
    node: { ...common, kind: 'folder', children: null, ...(holds !== undefined && { holds }) },
    object,
    item: row.id,
  };
}

function toItem(explorer: OpenExplorer, object: string, row: Vb365MailItem): ShownNode {
  const at = [row.received, row.sent, row.startTime, row.startDate, row.postedOn, row.date]
    .map(parseTime)
    .find((one) => one !== null);
  const name = getName(row.subject, row.name, row.displayAs, row.fullName);
  return {
    node: {
      ...getCommon(explorer, nodeId('item', object, row.id), name, at ?? null),
      kind: getItemKind(row.itemClass ?? ''),
      people: getName(
        [row.from ?? row.organizer ?? row.owner ?? row.email, row.to]
          .flatMap((names) => names?.split(/;\s*/) ?? [])
          .filter((name) => name !== '')
          .join(', '),
      ),
      attachments: row.attachments?.length ?? 0,
      // The server doesn't say which are unread.
      read: true,
    },
    object,
    item: row.id,
  };
}

/** By the class of the item, as Exchange has it. */
function getItemKind(itemClass: string): 'mail' | 'event' | 'contact' | 'task' | 'note' {
  const [, word = ''] = itemClass.toLowerCase().split('.');
  switch (word) {
    case 'appointment':
      return 'event';
    case 'contact':
    case 'distlist':
      return 'contact';
    case 'task':
      return 'task';
    case 'stickynote':
      return 'note';
    default:
      return 'mail';
  }
}

function toDriveItem(
  explorer: OpenExplorer,
  object: string,
  kind: 'dir' | 'file',
  row: Vb365DriveItem,
): ShownNode {
  const common = {
    ...getCommon(
      explorer,
      nodeId('document', object, row.id),
      getName(row.name),
      parseTime(row.modificationTime),
    ),
    sizeBytes: kind === 'file' ? (row.sizeBytes ?? null) : null,
  };
  return {
    node:
      kind === 'dir'
        ? { ...common, kind, children: null }
        : { ...common, kind, version: row.version ?? '', author: row.modifiedBy ?? '' },
    object,
    item: row.id,
  };
}

/** The first of several names that has any text, as a row can have it. */
const getName = (...names: readonly (string | null | undefined)[]): string =>
  cutText(
    lineOfText(names.find((name) => Boolean(name?.trim())) ?? '').trim(),
    LIMITS.messageChars,
  );
