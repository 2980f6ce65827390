import { PSTFile, PSTFolder, PSTMessage } from 'pst-extractor';
import type { DescriptorIndexNode } from 'pst-extractor/dist/DescriptorIndexNode.class.js';
import { PSTUtil } from 'pst-extractor/dist/PSTUtil.class.js';
import {
  type ArchivedState,
  type ArchiveEntry,
  type ArchiveFile,
  DamagedMailArchive,
  type LoadedEntry,
} from './archive.ts';
import { composeMime } from './compose-mime.ts';
import { cleanName, toFolderPath } from './folder-path.ts';
import { get, readPstText, readPstTime, readMessage } from './pst-message.ts';
import {
  findNames,
  type ItemProperties,
  type NameMap,
  readProperties,
} from './pst-items/item-properties.ts';
import { getItemKind, readPstItem } from './pst-items/read-outlook-item.ts';
import { getImportance } from './pst-items/shared-fields.ts';

/** Folders in folders. Damaged files have rings of them. */
const MAX_DEPTH = 64;
/** The folder with everything that a person sees in Outlook: its names in PST and OST files. */
const TOP = /^(?:top of .*|ipm_subtree|personal folders|outlook data file)$/i;

/** Kinds of nodes, by the last bits of their numbers ([MS-PST] 2.2.2.1). */
const NORMAL_FOLDER = 0x02;
const NORMAL_MESSAGE = 0x04;
const ROOT_FOLDER = 0x122;
const getKind = ({ descriptorIdentifier }: Node): number => descriptorIdentifier & 0x1f;

type Node = DescriptorIndexNode;
interface FoundFolder {
  readonly id: number;
  readonly path: readonly string[];
  readonly messages: readonly Node[];
}

/** A data file of Outlook ([MS-PST]): PST, or the OST of a cached mailbox. */
export async function* readPst(file: ArchiveFile): AsyncGenerator<ArchiveEntry, void> {
  const { pst, children } = await open(file);
  try {
    yield* readItems(file, pst, children);
  } finally {
    pst.close();
  }
}

function* readItems(
  file: ArchiveFile,
  pst: PSTFile,
  children: Children,
): Generator<ArchiveEntry, void> {
  const names = findNames(pst);
  const all = [...findFolders(pst, children)];
  const known = findStandardFolders(pst, children);
  const tops = all.filter(({ path }) => TOP.test(path.at(-1) ?? ''));
  const total = all.reduce((sum, { messages }) => sum + messages.length, 0);
  let n = 0;
  for (const { id, path, messages } of all) {
    const top = tops.find((one) => one.path.every((name, at) => path[at] === name));
    n += messages.length;
    const standard = known.get(id) ?? null;
    // What Outlook keeps for itself is in no folder that a person sees.
    if (tops.length > 0 && top === undefined) continue;
    const shown = toFolderPath(top === undefined ? path : path.slice(top.path.length));
    for (const [at, node] of messages.entries())
      yield {
        path: shown.length === 0 ? [file.stem] : shown,
        name: `#${at + 1}`,
        position: Math.floor((file.bytes * (n - messages.length + at + 1)) / total),
        load: async () => {
          await Promise.resolve();
          return load(pst, node, names, standard);
        },
      };
  }
}

/** The tree of all nodes by the node above them. Tables of contents aren't used: they may be wrong. */
type Children = ReadonlyMap<number, readonly Node[]>;

async function open(
  file: ArchiveFile,
): Promise<{ readonly pst: PSTFile; readonly children: Children }> {
  try {
    const pst =
      file.filePath === null
        ? new PSTFile(await file.read(0, file.bytes))
        : new PSTFile(file.filePath);
    return { pst, children: pst.getChildDescriptorTree() };
  } catch {
    throw new DamagedMailArchive();
  }
}

function* findFolders(pst: PSTFile, children: Children): Generator<FoundFolder, void> {
  const seen = new Set<number>([ROOT_FOLDER]);
  const waiting = [{ id: ROOT_FOLDER, path: [] as readonly string[] }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { id, path } = at;
    const below = children.get(id) ?? [];
    const messages = below.filter((node) => getKind(node) === NORMAL_MESSAGE);
    if (messages.length > 0 || path.length > 0) yield { id, path, messages };
    if (path.length >= MAX_DEPTH) continue;
    const folders = below.filter(
      (node) => getKind(node) === NORMAL_FOLDER && !seen.has(node.descriptorIdentifier),
    );
    for (const { descriptorIdentifier } of folders) seen.add(descriptorIdentifier);
    waiting.push(
      ...folders
        .map((node) => ({ id: node.descriptorIdentifier, path: [...path, getName(pst, node)] }))
        .toReversed(),
    );
  }
}

/** A folder whose name is damaged has its number. */
function getName(pst: PSTFile, node: Node): string {
  const folder = get<unknown>(() => PSTUtil.detectAndLoadPSTObject(pst, node), null);
  const name = folder instanceof PSTFolder ? cleanName(readPstText(() => folder.displayName)) : '';
  return name === '' ? `#${node.descriptorIdentifier}` : name;
}

/** Where the numbers of the folders are that every mailbox has ([MS-OXOSFLD] 2.2.3). */
const STANDARD_FOLDERS = [
  [0x36d0, 'event'],
  [0x36d1, 'contact'],
  [0x36d4, 'task'],
] as const;
/** In front of the number: flags, and the id of the file ([MS-PST] 2.4.3.2). */
const FOLDER_NUMBER_AT = 20;

/** Returns the folders for items without another place, whatever their names are. */
function findStandardFolders(pst: PSTFile, children: Children): ReadonlyMap<number, StandardKind> {
  const found = new Map<number, StandardKind>();
  const folders = [...children.values()].flat().filter((node) => getKind(node) === NORMAL_FOLDER);
  for (const node of folders) {
    const folder = get<unknown>(() => PSTUtil.detectAndLoadPSTObject(pst, node), null);
    if (!(folder instanceof PSTFolder)) continue;
    const { bytes } = readProperties(folder, NO_NAMES);
    for (const [id, kind] of STANDARD_FOLDERS) {
      const entry = bytes(id);
      if (entry !== null && entry.length >= FOLDER_NUMBER_AT + 4)
        found.set(entry.readUInt32LE(FOLDER_NUMBER_AT), kind);
    }
  }
  return found;
}
type StandardKind = (typeof STANDARD_FOLDERS)[number][1];
const NO_NAMES: NameMap = new Map();

/** Meeting requests, reports and notes are mails. */
const MAIL = /^(?:IPM|IPM\.(?:NOTE|SCHEDULE|POST|DOCUMENT|STICKYNOTE)(?:\..*)?|REPORT\..*)?$/;

function load(
  pst: PSTFile,
  node: Node,
  names: NameMap,
  standard: StandardKind | null,
): LoadedEntry {
  const message: unknown = PSTUtil.detectAndLoadPSTObject(pst, node);
  if (!(message instanceof PSTMessage)) return { kind: 'failed', reason: 'damaged' };
  const messageClass = readPstText(() => message.messageClass).toUpperCase();
  const kind = getItemKind(messageClass);
  if (kind !== null) {
    const read = readPstItem({ pst, node }, message, names, kind);
    if (read === 'too-large') return { kind: 'skipped', reason: 'too-large' };
    return { kind: 'outlook', ...read, isStandard: standard === kind };
  }
  if (!MAIL.test(messageClass)) return { kind: 'skipped', reason: 'other-item' };
  const mail = readMessage({ pst, node }, message);
  if (mail === 'too-large') return { kind: 'skipped', reason: 'too-large' };
  const properties = readProperties(message, names);
  const importance = getImportance(properties);
  return {
    kind: 'mail',
    mime: composeMime({ ...mail, importance }),
    state: {
      receivedAt: readPstTime(() => message.messageDeliveryTime),
      isRead: get(() => message.isRead, true),
      ...getMarks(properties, importance),
    },
  };
}

/** [MS-OXOFLAG] 2.2.1.1 */
const FLAGGED = 2;
/** Answers to the sender, and to all ([MS-OXOMSG] 2.2.1.4). */
const ANSWERS: ReadonlySet<number> = new Set([102, 103]);

const getMarks = (
  properties: ItemProperties,
  importance: ReturnType<typeof getImportance>,
): Omit<ArchivedState, 'receivedAt' | 'isRead'> => ({
  isFlagged: properties.int(0x1090) === FLAGGED,
  isAnswered: ANSWERS.has(properties.int(0x1081) ?? 0),
  importance,
  categories: properties.texts('categories'),
});
