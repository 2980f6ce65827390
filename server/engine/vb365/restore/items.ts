import { parseTime } from '../times.ts';
import type { OpenExplorer } from './explorers.ts';
import { makeNodeId, type ShownNode } from './nodes.ts';
import { getCommon, getName } from './pages.ts';
import type { Vb365DriveItem, Vb365MailItem } from './shapes.ts';

/** Shows an item of a mailbox. */
export function toMailNode(explorer: OpenExplorer, object: string, row: Vb365MailItem): ShownNode {
  const at = [row.received, row.sent, row.startTime, row.startDate, row.postedOn, row.date]
    .map(parseTime)
    .find((one) => one !== null);
  const name = getName(row.subject, row.name, row.displayAs, row.fullName);
  return {
    node: {
      ...getCommon(explorer, makeNodeId('item', object, row.id), name, at ?? null),
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

/** Shows a folder or a file of a drive. */
export function toDriveItem(
  explorer: OpenExplorer,
  object: string,
  kind: 'dir' | 'file',
  row: Vb365DriveItem,
): ShownNode {
  const common = {
    ...getCommon(
      explorer,
      makeNodeId('document', object, row.id),
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
