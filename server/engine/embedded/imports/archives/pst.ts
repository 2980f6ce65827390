import { type PSTAttachment, PSTFile, PSTFolder, PSTMessage, PSTRecipient } from 'pst-extractor';
import type { DescriptorIndexNode } from 'pst-extractor/dist/DescriptorIndexNode.class.js';
import { PSTUtil } from 'pst-extractor/dist/PSTUtil.class.js';
import type { Bytes, Ms } from '#contract/ids.ts';
import {
  type ArchiveEntry,
  type ArchiveFile,
  DamagedArchive,
  type LoadedEntry,
  MAX_MAIL_BYTES,
} from './archive.ts';
import {
  type ArchivedFile,
  type ArchivedMail,
  type ArchivedPerson,
  composeMime,
  MESSAGE_TYPE,
} from './compose-mime.ts';
import { cleanName, toFolderPath } from './folder-path.ts';

/** Folders in folders. Damaged files have rings of them. */
const MAX_DEPTH = 64;
/** A mail in a mail in a mail … is left out from this depth on. */
const MAX_MESSAGE_DEPTH = 8;
/** The folder with everything that a person sees in Outlook: its names in PST and OST files. */
const TOP = /^(?:top of .*|ipm_subtree|personal folders|outlook data file)$/i;

/** Kinds of nodes, by the last bits of their numbers ([MS-PST] 2.2.2.1). */
const NORMAL_FOLDER = 0x02;
const NORMAL_MESSAGE = 0x04;
const ROOT_FOLDER = 0x122;
const getKind = ({ descriptorIdentifier }: Node): number => descriptorIdentifier & 0x1f;

type Node = DescriptorIndexNode;
interface FoundFolder {
  readonly path: readonly string[];
  readonly messages: readonly Node[];
}

/** A data file of Outlook ([MS-PST]): PST, or the OST of a cached mailbox. */
export async function* readPst(file: ArchiveFile): AsyncGenerator<ArchiveEntry, void> {
  const { pst, children } = await open(file);
  const all = [...findFolders(pst, children)];
  const tops = all.filter(({ path }) => TOP.test(path.at(-1) ?? ''));
  const total = all.reduce((sum, { messages }) => sum + messages.length, 0);
  let n = 0;
  for (const { path, messages } of all) {
    const top = tops.find((one) => one.path.every((name, at) => path[at] === name));
    n += messages.length;
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
          return load(pst, node);
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
    throw new DamagedArchive();
  }
}

function* findFolders(pst: PSTFile, children: Children): Generator<FoundFolder, void> {
  const seen = new Set<number>([ROOT_FOLDER]);
  const waiting = [{ id: ROOT_FOLDER, path: [] as readonly string[] }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { id, path } = at;
    const below = children.get(id) ?? [];
    const messages = below.filter((node) => getKind(node) === NORMAL_MESSAGE);
    if (messages.length > 0 || path.length > 0) yield { path, messages };
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
  const name = folder instanceof PSTFolder ? cleanName(getText(() => folder.displayName)) : '';
  return name === '' ? `#${node.descriptorIdentifier}` : name;
}

function load(pst: PSTFile, node: Node): LoadedEntry {
  const message: unknown = PSTUtil.detectAndLoadPSTObject(pst, node);
  if (!(message instanceof PSTMessage)) return { kind: 'failed', reason: 'damaged' };
  // Meeting requests and reports are mails. Entries of a calendar, contacts and tasks are not.
  const kind = getText(() => message.messageClass).toUpperCase();
  if (!/^(?:IPM|IPM\.(?:NOTE|SCHEDULE|POST|DOCUMENT)(?:\..*)?|REPORT\..*)?$/.test(kind))
    return { kind: 'skipped', reason: 'other-item' };
  const mail = readMessage({ pst, node }, message, 0);
  if (mail === 'too-large') return { kind: 'skipped', reason: 'too-large' };
  return {
    kind: 'mail',
    mime: composeMime(mail),
    state: {
      receivedAt: getTime(() => message.messageDeliveryTime),
      isRead: get(() => message.isRead, true),
      isFlagged: false,
    },
  };
}

interface Place {
  readonly pst: PSTFile;
  readonly node: Node;
}

function readMessage(place: Place, message: PSTMessage, depth: number): ArchivedMail | 'too-large' {
  const attachments: ArchivedFile[] = [];
  let bytes: Bytes = 0;
  const count = get(() => message.numberOfAttachments, 0);
  widen(place.pst, message['attachmentTable'] as object | null);
  for (let n = 0; n < count; n++) {
    const file = readAttachment(place, message.getAttachment(n), n, depth);
    if (file === 'too-large') return file;
    if (file === null) continue;
    bytes += file.bytes.byteLength;
    if (bytes > MAX_MAIL_BYTES) return 'too-large';
    attachments.push(file);
  }
  const text = getText(() => message.body);
  const html = getText(() => message.bodyHTML);
  const rtf = text === '' && html === '' ? getText(() => message.bodyRTF) : '';
  if (rtf !== '')
    attachments.push({
      name: 'message.rtf',
      mediaType: 'application/rtf',
      contentId: '',
      bytes: Buffer.from(rtf, 'latin1'),
    });
  const recipients = readRecipients(place.pst, message);
  const by = (kind: number): readonly ArchivedPerson[] =>
    recipients.filter((one) => one.kind === kind);
  const address =
    getText(() => message.senderEmailAddress) ||
    getText(() => message.sentRepresentingEmailAddress);
  const name = getText(() => message.senderName) || getText(() => message.sentRepresentingName);
  return {
    headers: getText(() => message.transportMessageHeaders),
    subject: getText(() => message.subject),
    from: name === '' && address === '' ? null : { name, address },
    to: by(1),
    cc: by(2),
    bcc: by(3),
    sentAt: getTime(() => message.clientSubmitTime) ?? getTime(() => message.messageDeliveryTime),
    messageId: getText(() => message.internetMessageId),
    inReplyTo: getText(() => message.inReplyToId),
    text,
    html,
    attachments,
  };
}

/** The data of a block in an OST file of Outlook 2013 or newer ([MS-PST] 2.2.2.8.3.1 has the others). */
const LARGE_BLOCK_BYTES: Bytes = 65_512;

/** The library takes the blocks of all files for small ones. Rows beyond the first would be wrong. */
function widen(pst: PSTFile, table: object | null): void {
  if (table !== null && pst.pstFileType === PSTFile.PST_TYPE_2013_UNICODE)
    Object.assign(table, { BLOCK_SIZE: LARGE_BLOCK_BYTES });
}

interface RecipientTable {
  getItems(): readonly ConstructorParameters<typeof PSTRecipient>[1][];
}

/** `kind`: 1 to, 2 cc, 3 bcc. */
function readRecipients(
  pst: PSTFile,
  message: PSTMessage,
): readonly (ArchivedPerson & { readonly kind: number })[] {
  if (get(() => message.numberOfRecipients, 0) === 0) return [];
  const table = message['recipientTable'] as RecipientTable | null;
  widen(pst, table);
  // For a single one, the library reads all of them.
  const rows = get(() => table?.getItems() ?? [], []);
  return rows.map((row) => {
    const recipient = new PSTRecipient(pst, row);
    return {
      kind: get(() => recipient.recipientType, 1),
      name: getText(() => recipient.displayName),
      address: getText(() => recipient.smtpAddress) || getText(() => recipient.emailAddress),
    };
  });
}

/** Returns null for one without content, such as a link to a file. */
function readAttachment(
  place: Place,
  attachment: PSTAttachment,
  n: number,
  depth: number,
): ArchivedFile | 'too-large' | null {
  const contentId = getText(() => attachment.contentId);
  // Without a node, the library finds no mail in a mail.
  Object.assign(attachment, { descriptorIndexNode: place.node });
  const embedded = attachment.embeddedPSTMessage;
  if (embedded !== null) {
    if (depth >= MAX_MESSAGE_DEPTH) return null;
    const mail = readMessage(place, embedded, depth + 1);
    if (mail === 'too-large') return mail;
    return {
      name: `${mail.subject || `message-${n + 1}`}.eml`,
      mediaType: MESSAGE_TYPE,
      contentId: '',
      bytes: composeMime(mail),
    };
  }
  const stream = attachment.fileInputStream;
  if (stream === null) return null;
  const bytes = stream.length.toNumber();
  if (bytes > MAX_MAIL_BYTES) return 'too-large';
  const content = Buffer.alloc(bytes);
  if (bytes > 0) stream.readCompletely(content);
  return {
    name:
      getText(() => attachment.longFilename) ||
      getText(() => attachment.filename) ||
      `attachment-${n + 1}`,
    mediaType: getText(() => attachment.mimeTag),
    contentId,
    bytes: content,
  };
}

/** A property that is damaged is as if the mail didn't have it. */
function get<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
const getText = (read: () => string): string => {
  const text: unknown = get<unknown>(read, '');
  return typeof text === 'string' ? text.replaceAll('\0', '') : '';
};
const getTime = (read: () => Date | null): Ms | null => {
  const time = get(read, null)?.getTime() ?? null;
  return time === null || Number.isNaN(time) ? null : time;
};
