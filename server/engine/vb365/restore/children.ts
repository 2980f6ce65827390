import type { EngineResult, ListChildrenInput, Node } from '#contract/engine/engine.ts';
import type { NodeId } from '#contract/ids.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { failed, ok } from '../../result.ts';
import type { Vb365Client } from '../client.ts';
import type { OpenExplorer } from './explorers.ts';
import { toDriveItem, toMailNode } from './items.ts';
import { type KnownNode, makeNodeId, type ShownNode } from './nodes.ts';
import {
  DRIVES,
  findObjects,
  getCommon,
  getName,
  type ServerListInput,
  MAILBOXES,
  part,
  readPage,
  type ShownPage,
} from './pages.ts';
import { readOffset } from './points.ts';
import { searchBelow } from './search.ts';
import {
  DriveItemShape,
  DriveShape,
  MailboxShape,
  MailFolderShape,
  MailItemShape,
  type Vb365Drive,
  type Vb365DriveItem,
  type Vb365Mailbox,
  type Vb365MailFolder,
  type Vb365MailItem,
} from './shapes.ts';
import { LISTS_CURSOR, listSites } from './sites.ts';
import { listTeams } from './teams.ts';

/**
 * Lists what the session has below a node, in the order of the server and a page at a time: it has no
 * totals. `parent` null: mailboxes or drives.
 */
export async function listChildren(
  client: Vb365Client,
  explorer: OpenExplorer,
  parent: KnownNode | null,
  { only, text, cursor, offset: skipped = 0, limit }: ServerListInput,
): Promise<EngineResult<ShownPage>> {
  if (parent !== null && text !== null)
    return searchBelow(client, explorer, parent, { only, text, cursor, offset: skipped, limit });
  const offset = cursor === null ? skipped : readOffset(cursor.replace(LISTS_CURSOR, ''));
  if (offset === null) return failed('invalid', explorerMessages.wrongCursor, { field: 'cursor' });
  if (explorer.workload === 'sharepoint')
    return listSites(client, explorer, parent, { only, text, offset, cursor, limit });
  if (explorer.workload === 'teams')
    return listTeams(client, explorer, parent, { only, text, offset, limit });
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
              show: (row: Vb365MailItem) => toMailNode(explorer, object, row),
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

/** Leaves out what is of other kinds than those that are asked for. */
export function chooseKinds(
  { page, shown }: ShownPage,
  { kinds, cursor, offset = 0 }: Pick<ListChildrenInput, 'kinds' | 'cursor' | 'offset'>,
): ShownPage {
  const isChosen = ({ kind }: Node): boolean => kinds === undefined || kinds.includes(kind);
  const rows = page.rows.filter(isChosen);
  if (rows.length === page.rows.length) return { page, shown };
  const isAll = cursor === null && offset === 0 && page.next === null;
  return {
    page: { ...page, rows, count: isAll ? rows.length : null },
    shown: shown.filter(({ node }) => isChosen(node)),
  };
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

function toMailbox(explorer: OpenExplorer, row: Vb365Mailbox): ShownNode {
  const kind = row.isArchive === true ? 'archive' : 'mailbox';
  const common = getCommon(
    explorer,
    makeNodeId('mailbox', row.id, ''),
    getName(row.name, row.email),
    null,
  );
  return { node: { ...common, kind, children: null }, object: row.id, item: '' };
}

function toDrive(explorer: OpenExplorer, row: Vb365Drive): ShownNode {
  const common = getCommon(
    explorer,
    makeNodeId('drive', row.id, ''),
    getName(row.name, row.url),
    null,
  );
  return { node: { ...common, kind: 'drive', children: null }, object: row.id, item: '' };
}

const HOLDS: Readonly<Record<string, 'calendars' | 'contacts' | 'tasks'>> = {
  Appointment: 'calendars',
  Contact: 'contacts',
  Task: 'tasks',
};
function toFolder(explorer: OpenExplorer, object: string, row: Vb365MailFolder): ShownNode {
  const holds = HOLDS[row.type ?? ''];
  const common = getCommon(explorer, makeNodeId('folder', object, row.id), getName(row.name), null);
  return {
    node: { ...common, kind: 'folder', children: null, ...(holds !== undefined && { holds }) },
    object,
    item: row.id,
  };
}
