import type { Bytes } from '#contract/ids.ts';
import type { MailContent, MailState } from '../mail/mail-content.ts';
import { makeSubnodes } from './data.ts';
import { makePstFile } from './file.ts';
import { LAYOUTS } from './layouts.ts';
import { addMessage, getMailMessage, type PstMessage } from './message.ts';
import { getNameMap } from './named-properties.ts';
import { addProperties } from './property-context.ts';
import { binary, boolean, int32, type Property, stringProperty, TYPES } from './properties.ts';
import type { PlacedBytes } from './space.ts';
import { makeTable, type PstTable } from './table-context.ts';

/** Names of folders from the top of the mailbox. */
type FolderPath = readonly string[];

/**
 * Writes a Unicode PST file ([MS-PST]) in one pass. What is in memory beside the current mail: less than
 * 100 bytes for a mail, and up to 16 kB for a folder.
 */
export interface PstWriter {
  /** `holds`: what it is for, also if it stays empty. */
  addFolder(path: FolderPath, holds?: PstMessage['kind']): void;
  addMail(path: FolderPath, mail: MailContent, state: MailState): void;
  /** Adds an event, contact or task, to a folder of its kind. */
  addItem(path: FolderPath, item: PstMessage): void;
  /** How large the file is so far, without the tables of its folders. */
  readonly bytes: Bytes;
  /** Returns what is to be written to the file since the last call. */
  takeWritten(): PlacedBytes[];
  /** Ends the file. Returns the rest. */
  finish(): PlacedBytes[];
}
interface PstOptions {
  readonly name: string;
  /** 16 bytes by which programs tell files apart. The same input gives the same file. */
  readonly uid: Uint8Array;
}

interface Folder {
  readonly nid: number;
  readonly parent: number;
  readonly name: string;
  readonly contents: PstTable;
  readonly children: Folder[];
  /** What it is for, once it has an item. */
  holds: PstMessage['kind'] | null;
  items: number;
  unread: number;
}

/** Nodes that every file has, [MS-PST] 2.7.1. */
const NODES = {
  store: 0x21,
  names: 0x61,
  folderTemplate: 0xa1,
  root: 0x122,
  searchQueue: 0x1e1,
  searchActivity: 0x201,
  hierarchyTemplate: 0x60d,
  contentsTemplate: 0x60e,
  hiddenTemplate: 0x60f,
  foundTemplate: 0x610,
  attachmentsTemplate: 0x671,
  recipientsTemplate: 0x692,
  top: 0x8022,
  searchRoot: 0x8042,
  deleted: 0x8062,
} as const;
/** Node types that differ from that of their folder alone. */
const FOLDER_TYPE = 0x02;
const HIERARCHY_TYPE = 0x0d;
const CONTENTS_TYPE = 0x0e;
const HIDDEN_TYPE = 0x0f;
const MESSAGE_TYPE = 0x04;
/** Text of a cell beyond this is in the message alone. */
const CELL_BYTES: Bytes = 510;

export function makePstWriter({ name, uid }: PstOptions): PstWriter {
  const file = makePstFile();
  const folders = new Map<string, Folder>();
  let nextFolder = 0x404;
  let nextMessage = 0x1_0001;

  const root = makeFolder(NODES.root, NODES.root, '');
  const top = makeFolder(NODES.top, NODES.root, 'Top of Personal Folders');
  const searchRoot = makeFolder(NODES.searchRoot, NODES.root, 'Search Root');
  const deleted = makeFolder(NODES.deleted, NODES.top, 'Deleted Items');
  root.children.push(top, searchRoot);
  top.children.push(deleted);
  folders.set('', top);
  folders.set(getPathKey('', deleted.name), deleted);

  function makeFolder(nid: number, parent: number, folderName: string): Folder {
    const contents = makeTable(file, LAYOUTS.contents);
    return {
      nid,
      parent,
      name: folderName,
      contents,
      children: [],
      holds: null,
      items: 0,
      unread: 0,
    };
  }

  function getFolder(path: FolderPath): Folder {
    let at = top;
    let key = '';
    for (const part of path) {
      key = getPathKey(key, part);
      const next = folders.get(key) ?? makeFolder((nextFolder++ << 5) | FOLDER_TYPE, at.nid, part);
      if (!folders.has(key)) {
        folders.set(key, next);
        at.children.push(next);
      }
      at = next;
    }
    return at;
  }

  function addFolderNodes(folder: Folder): void {
    const { nid, parent, contents, children } = folder;
    const subnodes = makeSubnodes(file);
    const data = addProperties(file, subnodes, getFolderProperties(folder));
    file.addNode(nid, { data, subnodes: subnodes.finish() }, parent);
    const hierarchy = makeTable(file, LAYOUTS.hierarchy);
    for (const child of children) hierarchy.addRow(child.nid, getFolderProperties(child));
    const index = nid & ~0x1f;
    file.addNode(index | HIERARCHY_TYPE, hierarchy.finish());
    file.addNode(index | CONTENTS_TYPE, contents.finish());
    file.addNode(index | HIDDEN_TYPE, makeTable(file, LAYOUTS.hidden).finish());
  }

  function addPropertyNode(nid: number, properties: readonly Property[]): void {
    const subnodes = makeSubnodes(file);
    const data = addProperties(file, subnodes, properties);
    file.addNode(nid, { data, subnodes: subnodes.finish() });
  }

  /** The message store, templates, and the map of named properties. */
  function addFixedNodes(): void {
    const entryId = (nid: number): Buffer => {
      const id = Buffer.alloc(24);
      id.set(uid, 4);
      id.writeUInt32LE(nid, 20);
      return id;
    };
    addPropertyNode(NODES.store, [
      binary(0x0ff9, uid),
      stringProperty(0x3001, name),
      int32(0x35df, 0x89),
      binary(0x35e0, entryId(NODES.top)),
      binary(0x35e3, entryId(NODES.deleted)),
      binary(0x35e7, entryId(NODES.searchRoot)),
      int32(0x67ff, 0),
    ]);
    addPropertyNode(NODES.names, getNameMap());
    addPropertyNode(
      NODES.folderTemplate,
      getFolderProperties({ name: '', holds: null, items: 0, unread: 0, children: [] }),
    );
    file.addNode(NODES.searchQueue, { data: 0, subnodes: 0 });
    file.addNode(NODES.searchActivity, { data: 0, subnodes: 0 });
    for (const [nid, layout] of TEMPLATES) file.addNode(nid, makeTable(file, layout).finish());
  }

  function add(path: FolderPath, message: PstMessage, isRead: boolean): void {
    const folder = getFolder(path);
    const nid = (nextMessage++ << 5) | MESSAGE_TYPE;
    file.addNode(nid, addMessage(file, message), folder.nid);
    folder.contents.addRow(nid, message.properties.map(toCell));
    // An item that can't be read is in its folder as a mail.
    if (folder.holds === null || folder.holds === 'mail') folder.holds = message.kind;
    folder.items += 1;
    if (!isRead) folder.unread += 1;
  }

  return {
    addFolder(path, holds = 'mail') {
      getFolder(path).holds ??= holds;
    },
    addMail: (path, mail, state) => add(path, getMailMessage(mail, state), state.isRead),
    addItem: (path, item) => add(path, item, true),
    get bytes() {
      return file.bytes;
    },
    takeWritten: () => file.takeWritten(),
    finish() {
      for (const folder of [root, searchRoot, ...folders.values()]) addFolderNodes(folder);
      addFixedNodes();
      return file.finish();
    },
  };
}

const TEMPLATES = [
  [NODES.hierarchyTemplate, LAYOUTS.hierarchy],
  [NODES.contentsTemplate, LAYOUTS.contents],
  [NODES.hiddenTemplate, LAYOUTS.hidden],
  [NODES.foundTemplate, LAYOUTS.found],
  [NODES.attachmentsTemplate, LAYOUTS.attachments],
  [NODES.recipientsTemplate, LAYOUTS.recipients],
] as const;

/** A name may have any character: its length tells where it ends. */
const getPathKey = (parent: string, name: string): string => `${parent}${name.length}/${name}`;

const getFolderProperties = ({
  name,
  holds,
  items,
  unread,
  children,
}: Pick<Folder, 'name' | 'holds' | 'items' | 'unread' | 'children'>): Property[] => [
  stringProperty(0x3001, name),
  int32(0x3602, items),
  int32(0x3603, unread),
  boolean(0x360a, children.length > 0),
  stringProperty(0x3613, FOLDER_CLASSES[holds ?? 'mail']),
];

/** [MS-OXOSFLD] 2.2.2: programs show a folder by it. */
const FOLDER_CLASSES: Readonly<Record<PstMessage['kind'], string>> = {
  mail: 'IPF.Note',
  event: 'IPF.Appointment',
  contact: 'IPF.Contact',
  task: 'IPF.Task',
};

function toCell(property: Property): Property {
  const { type, value } = property;
  return type === TYPES.string && value.length > CELL_BYTES
    ? stringProperty(
        property.id,
        value
          .toString('utf16le')
          .slice(0, CELL_BYTES / 2)
          .toWellFormed(),
      )
    : property;
}
