import type { Bytes } from '#contract/ids.ts';
import type { MailContent, MailState } from '../mail/mail-content.ts';
import { makeSubnodes } from './data.ts';
import { makePstFile } from './file.ts';
import { LAYOUTS } from './layouts.ts';
import { CATEGORIES_ID, getMailProperties } from './mail-properties.ts';
import { addMessage } from './message.ts';
import { addProperties } from './property-context.ts';
import { binary, boolean, int32, type Property, text, TYPES } from './properties.ts';
import { getChecksum, type Placed } from './space.ts';
import { makeTable, type Table } from './table-context.ts';

/** Names of folders from the top of the mailbox. */
type FolderPath = readonly string[];

/**
 * Writes a Unicode PST file ([MS-PST]) in one pass. What is in memory beside the current mail: about
 * 100 bytes for a mail, and up to 16 kB for a folder.
 */
export interface PstWriter {
  addFolder(path: FolderPath): void;
  addMail(path: FolderPath, mail: MailContent, state: MailState): void;
  /** How large the file is so far, without the tables of its folders. */
  readonly bytes: Bytes;
  /** Returns what is to be written to the file since the last call. */
  takeWritten(): Placed[];
  /** Ends the file. Returns the rest. */
  finish(): Placed[];
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
  readonly contents: Table;
  readonly children: Folder[];
  mails: number;
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
    return { nid, parent, name: folderName, contents, children: [], mails: 0, unread: 0 };
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
      text(0x3001, name),
      int32(0x35df, 0x89),
      binary(0x35e0, entryId(NODES.top)),
      binary(0x35e3, entryId(NODES.deleted)),
      binary(0x35e7, entryId(NODES.searchRoot)),
      int32(0x67ff, 0),
    ]);
    addPropertyNode(NODES.names, getNameMap());
    addPropertyNode(
      NODES.folderTemplate,
      getFolderProperties({ name: '', mails: 0, unread: 0, children: [] }),
    );
    file.addNode(NODES.searchQueue, { data: 0, subnodes: 0 });
    file.addNode(NODES.searchActivity, { data: 0, subnodes: 0 });
    for (const [nid, layout] of TEMPLATES) file.addNode(nid, makeTable(file, layout).finish());
  }

  return {
    addFolder(path) {
      getFolder(path);
    },
    addMail(path, mail, state) {
      const folder = getFolder(path);
      const nid = (nextMessage++ << 5) | MESSAGE_TYPE;
      const properties = getMailProperties(mail, state);
      file.addNode(nid, addMessage(file, mail, properties), folder.nid);
      folder.contents.addRow(nid, properties.map(toCell));
      folder.mails += 1;
      if (!state.isRead) folder.unread += 1;
    },
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
  mails,
  unread,
  children,
}: Pick<Folder, 'name' | 'mails' | 'unread' | 'children'>): Property[] => [
  text(0x3001, name),
  int32(0x3602, mails),
  int32(0x3603, unread),
  boolean(0x360a, children.length > 0),
  text(0x3613, 'IPF.Note'),
];

function toCell(property: Property): Property {
  const { type, value } = property;
  return type === TYPES.string && value.length > CELL_BYTES
    ? text(
        property.id,
        value
          .toString('utf16le')
          .slice(0, CELL_BYTES / 2)
          .toWellFormed(),
      )
    : property;
}

const BUCKETS = 251;
const KEYWORDS = 'Keywords';
/** PSETID_Common: readers take a map without any set for a damaged one. */
const COMMON_SET = Buffer.from('0820060000000000c000000000000046', 'hex');
/** PS_PUBLIC_STRINGS, and that the name is text ([MS-PST] 2.4.7.1). */
const PUBLIC_STRINGS = (2 << 1) | 1;

/** [MS-PST] 2.4.7: the one named property that mails have. */
function getNameMap(): Property[] {
  const label = Buffer.from(KEYWORDS, 'utf16le');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(label.length, 0);
  const hash = getChecksum(label);
  const entry = (id: number): Buffer => {
    const out = Buffer.alloc(8);
    out.writeUInt32LE(id, 0);
    out.writeUInt16LE(PUBLIC_STRINGS, 4);
    out.writeUInt16LE(CATEGORIES_ID - 0x8000, 6);
    return out;
  };
  return [
    int32(0x0001, BUCKETS),
    binary(0x0002, COMMON_SET),
    binary(0x0003, entry(0)),
    binary(0x0004, Buffer.concat([length, label])),
    binary(0x1000 + (((hash ^ PUBLIC_STRINGS) >>> 0) % BUCKETS), entry(hash)),
  ];
}
