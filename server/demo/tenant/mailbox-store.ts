import type { Ms } from '#contract/ids.ts';
import { type FileContent, makeBytes, makePicture } from './content.ts';
import { GraphError, objectNotFound } from './graph-error.ts';
import { attachmentId, folderId, messageId, stableId } from './ids.ts';
import type { Correspondent } from './mail-content.ts';
import { type Person, findPerson } from './people.ts';
import type { Tenant } from './store.ts';

export interface FolderRow {
  readonly n: number;
  readonly id: string;
  readonly mailbox: string;
  readonly parent_id: string | null;
  readonly name: string;
  readonly well_known: string | null;
  readonly hidden: number;
  readonly seq: number;
}
export interface MessageRow {
  readonly n: number;
  readonly mailbox: string;
  readonly folder_id: string;
  readonly id: string;
  readonly stable_id: string;
  readonly moves: number;
  readonly received_at: Ms;
  readonly read: number;
  readonly size: number;
  readonly props: string;
  /** What was posted as MIME, to the byte. */
  readonly mime: Uint8Array | null;
  readonly created_at: Ms;
  readonly changed_at: Ms;
  readonly seq: number;
  readonly entered_seq: number;
}
export interface AttachmentRow {
  readonly n: number;
  readonly message_n: number;
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly inline: number;
  readonly content_id: string | null;
  readonly size: number;
  readonly content: string | null;
  readonly bytes: Uint8Array | null;
  readonly changed_at: Ms;
}

/** The properties of a message that its row has no column for. */
export interface MessageProps {
  readonly subject: string;
  readonly body: { readonly contentType: 'text' | 'html'; readonly content: string };
  readonly from: Correspondent | null;
  readonly sender: Correspondent | null;
  readonly to: readonly Correspondent[];
  readonly cc: readonly Correspondent[];
  readonly bcc: readonly Correspondent[];
  readonly replyTo: readonly Correspondent[];
  readonly conversationId: string;
  readonly internetMessageId: string;
  readonly inReplyTo: string | null;
  readonly importance: 'low' | 'normal' | 'high';
  readonly categories: readonly string[];
  readonly flag: Readonly<Record<string, unknown>>;
  readonly isDraft: boolean;
  readonly sentAt: Ms;
  readonly focused: boolean;
  readonly isReadReceiptRequested: boolean;
  readonly isDeliveryReceiptRequested: boolean;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly extended: readonly { readonly id: string; readonly value: string }[];
}

export interface NewAttachment {
  readonly name: string;
  readonly type: string;
  readonly isInline: boolean;
  readonly contentId: string | null;
  readonly content: { readonly seed: number; readonly size: number } | Uint8Array;
}

/** Folders that every mailbox has: well-known name, name, well-known name of the parent. */
const STANDARD: readonly (readonly [string, string, string | null])[] = [
  ['root', 'root', null],
  ['msgfolderroot', 'Top of Information Store', 'root'],
  ['recoverableitemsdeletions', 'Deletions', 'root'],
  ['inbox', 'Inbox', 'msgfolderroot'],
  ['drafts', 'Drafts', 'msgfolderroot'],
  ['sentitems', 'Sent Items', 'msgfolderroot'],
  ['deleteditems', 'Deleted Items', 'msgfolderroot'],
  ['junkemail', 'Junk Email', 'msgfolderroot'],
  ['archive', 'Archive', 'msgfolderroot'],
  ['outbox', 'Outbox', 'msgfolderroot'],
  ['conversationhistory', 'Conversation History', 'msgfolderroot'],
];

export function createMailbox(tenant: Tenant, mailbox: string): void {
  const ids = new Map<string, string>();
  for (const [known, name, parent] of STANDARD)
    ids.set(
      known,
      insertFolder(
        tenant,
        mailbox,
        parent === null ? null : (ids.get(parent) ?? null),
        name,
        known,
      ),
    );
  const hidden = insertFolder(
    tenant,
    mailbox,
    ids.get('msgfolderroot') ?? null,
    'Quick Step Settings',
    null,
  );
  tenant.store.run('update folder set hidden = 1 where id = ?', hidden);
}

function insertFolder(
  tenant: Tenant,
  mailbox: string,
  parentId: string | null,
  name: string,
  wellKnown: string | null,
): string {
  const { store } = tenant;
  const n = store.nextN('folder');
  const id = folderId(tenant, n);
  store.insert('folder', {
    n,
    id,
    mailbox,
    parent_id: parentId,
    name,
    well_known: wellKnown,
    seq: store.nextSeq(),
  });
  return id;
}

/**
 * Returns the owner of a mailbox that Graph can reach.
 * @throws GraphError 404
 */
export function findMailbox(tenant: Tenant, key: string): Person {
  const person = findPerson(tenant, key);
  if (!person || person.removed)
    throw new GraphError(404, 'ErrorInvalidUser', `The requested user '${key}' is invalid.`);
  if (person.mailbox === 'none' || person.mailbox === 'inactive')
    throw new GraphError(
      404,
      'MailboxNotEnabledForRESTAPI',
      'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
    );
  const known = tenant.store.get('select 1 from folder where mailbox = ? limit 1', person.id);
  if (!known) tenant.store.transaction(() => createMailbox(tenant, person.id));
  return person;
}

/**
 * Returns a folder of the mailbox by id or well-known name.
 * @throws GraphError 404
 */
export function findFolder({ store }: Tenant, mailbox: string, key: string): FolderRow {
  const row = store.get<FolderRow>(
    'select * from folder where mailbox = ? and (id = ? or well_known = ?)',
    mailbox,
    key,
    key.toLowerCase(),
  );
  if (!row) throw objectNotFound();
  return row;
}

export const listFolders = ({ store }: Tenant, mailbox: string): FolderRow[] =>
  store.all<FolderRow>('select * from folder where mailbox = ? order by n', mailbox);

export const listChildFolders = ({ store }: Tenant, parentId: string): FolderRow[] =>
  store.all<FolderRow>('select * from folder where parent_id = ? order by name', parentId);

/** @throws GraphError 409 if the parent has a folder of this name */
export function addFolder(
  tenant: Tenant,
  mailbox: string,
  parentId: string,
  name: string,
): FolderRow {
  checkFolderName(tenant, parentId, name);
  return findFolder(tenant, mailbox, insertFolder(tenant, mailbox, parentId, name, null));
}

function checkFolderName({ store }: Tenant, parentId: string | null, name: string): void {
  if (
    store.get(
      'select 1 from folder where parent_id = ? and name = ? collate nocase',
      parentId,
      name,
    )
  )
    throw new GraphError(
      409,
      'ErrorFolderExists',
      'A folder with the specified name already exists.',
    );
}

export function renameFolder(tenant: Tenant, folder: FolderRow, name: string): FolderRow {
  if (name.toLowerCase() !== folder.name.toLowerCase())
    checkFolderName(tenant, folder.parent_id, name);
  tenant.store.run(
    'update folder set name = ?, seq = ? where n = ?',
    name,
    tenant.store.nextSeq(),
    folder.n,
  );
  return findFolder(tenant, folder.mailbox, folder.id);
}

export function moveFolder(tenant: Tenant, folder: FolderRow, target: FolderRow): FolderRow {
  checkFolderName(tenant, target.id, folder.name);
  tenant.store.run(
    'update folder set parent_id = ?, seq = ? where n = ?',
    target.id,
    tenant.store.nextSeq(),
    folder.n,
  );
  return findFolder(tenant, folder.mailbox, folder.id);
}

/** Removes a folder with all folders and messages in it. */
export function removeFolder(tenant: Tenant, folder: FolderRow): void {
  const { store } = tenant;
  if (folder.well_known !== null)
    throw new GraphError(
      403,
      'ErrorDeleteDistinguishedFolder',
      'Distinguished folders cannot be deleted.',
    );
  store.transaction(() => {
    for (const child of listChildFolders(tenant, folder.id)) removeFolder(tenant, child);
    for (const { n } of store.all<{ n: number }>(
      'select n from message where folder_id = ?',
      folder.id,
    )) {
      store.run('delete from attachment where message_n = ?', n);
      store.run('delete from message where n = ?', n);
    }
    store.run('delete from folder where n = ?', folder.n);
    depart(tenant, `folders:${folder.mailbox}`, folder.id, folder.id);
  });
}

/** Remembers that something has left a collection, for delta queries. */
export function depart({ store }: Tenant, scope: string, id: string, stable: string): void {
  store.run(
    'insert or replace into departure (scope, id, stable_id, seq) values (?, ?, ?, ?)',
    scope,
    id,
    stable,
    store.nextSeq(),
  );
}

/** @throws GraphError 404 */
export function findMessage({ store }: Tenant, mailbox: string, key: string): MessageRow {
  const row = store.get<MessageRow>(
    'select * from message where mailbox = ? and (id = ? or stable_id = ?)',
    mailbox,
    key,
    key,
  );
  if (!row) throw objectNotFound();
  return row;
}

export const readProps = ({ props }: MessageRow): MessageProps => JSON.parse(props) as MessageProps;

export interface NewMessage {
  readonly folder: FolderRow;
  readonly props: MessageProps;
  readonly receivedAt: Ms;
  readonly isRead: boolean;
  readonly attachments: readonly NewAttachment[];
  /** What was posted as MIME. */
  readonly mime?: Uint8Array | null;
  readonly createdAt?: Ms;
}

export function addMessage(tenant: Tenant, input: NewMessage): MessageRow {
  const { store } = tenant;
  return store.transaction(() => {
    const n = store.nextN('message');
    const seq = store.nextSeq();
    const at = input.createdAt ?? Math.floor(tenant.now() / 1000) * 1000;
    const id = messageId(tenant, n, 0);
    store.insert('message', {
      n,
      mailbox: input.folder.mailbox,
      folder_id: input.folder.id,
      id,
      stable_id: stableId(tenant, n),
      received_at: input.receivedAt,
      read: input.isRead ? 1 : 0,
      size: Buffer.byteLength(input.props.body.content) + 1500,
      props: JSON.stringify(input.props),
      mime: input.mime ?? null,
      created_at: at,
      changed_at: at,
      seq,
      entered_seq: seq,
    });
    for (const attachment of input.attachments) insertAttachment(tenant, n, attachment, at);
    return findMessage(tenant, input.folder.mailbox, id);
  });
}

function insertAttachment(tenant: Tenant, messageN: number, input: NewAttachment, at: Ms): string {
  const { store } = tenant;
  const n = store.nextN('attachment');
  const id = attachmentId(tenant, n);
  const made = input.content instanceof Uint8Array ? null : input.content;
  const size = input.content instanceof Uint8Array ? input.content.length : input.content.size;
  store.insert('attachment', {
    n,
    message_n: messageN,
    id,
    name: input.name,
    type: input.type,
    inline: input.isInline ? 1 : 0,
    content_id: input.contentId,
    size,
    content: made === null ? null : JSON.stringify(made),
    bytes: input.content instanceof Uint8Array ? input.content : null,
    changed_at: at,
  });
  store.run('update message set size = size + ? where n = ?', size, messageN);
  return id;
}

/** Adds an attachment to a stored message: the message has changed by it. */
export function addAttachment(
  tenant: Tenant,
  message: MessageRow,
  input: NewAttachment,
): AttachmentRow {
  return tenant.store.transaction(() => {
    const id = insertAttachment(tenant, message.n, input, tenant.now());
    touch(tenant, message.n);
    const row = listAttachments(tenant, message.n).find((attachment) => attachment.id === id);
    if (!row) throw objectNotFound();
    return row;
  });
}

export const listAttachments = ({ store }: Tenant, messageN: number): AttachmentRow[] =>
  store.all<AttachmentRow>('select * from attachment where message_n = ? order by n', messageN);

export function readAttachment(row: AttachmentRow): Uint8Array {
  if (row.bytes) return row.bytes;
  const made = JSON.parse(row.content ?? '{"seed":0,"size":0}') as { seed: number; size: number };
  if (row.inline === 1 && row.type === 'image/png') return makePicture(made.seed);
  const content: FileContent = { kind: 'made', seed: made.seed, revision: 0, name: row.name };
  return makeBytes(content, made.size);
}

function touch({ store, now }: Tenant, messageN: number): void {
  store.run(
    'update message set seq = ?, changed_at = ? where n = ?',
    store.nextSeq(),
    Math.floor(now() / 1000) * 1000,
    messageN,
  );
}

export function updateMessage(
  tenant: Tenant,
  message: MessageRow,
  change: { readonly props?: Partial<MessageProps>; readonly isRead?: boolean },
): MessageRow {
  const props = { ...readProps(message), ...change.props };
  return tenant.store.transaction(() => {
    tenant.store.run(
      'update message set props = ?, read = ?, mime = ? where n = ?',
      JSON.stringify(props),
      (change.isRead ?? message.read === 1) ? 1 : 0,
      change.props?.body || change.props?.subject ? null : message.mime,
      message.n,
    );
    touch(tenant, message.n);
    return findMessage(tenant, message.mailbox, message.stable_id);
  });
}

/** Moves a message: it gets another id, and keeps its immutable one. */
export function moveMessage(tenant: Tenant, message: MessageRow, target: FolderRow): MessageRow {
  const { store } = tenant;
  if (target.id === message.folder_id) return message;
  return store.transaction(() => {
    depart(tenant, message.folder_id, message.id, message.stable_id);
    store.run(
      'delete from departure where scope = ? and stable_id = ?',
      target.id,
      message.stable_id,
    );
    const seq = store.nextSeq();
    store.run(
      'update message set folder_id = ?, id = ?, moves = ?, seq = ?, entered_seq = ?, changed_at = ? where n = ?',
      target.id,
      messageId(tenant, message.n, message.moves + 1),
      message.moves + 1,
      seq,
      seq,
      Math.floor(tenant.now() / 1000) * 1000,
      message.n,
    );
    return findMessage(tenant, message.mailbox, message.stable_id);
  });
}

/** Copies a message with its attachments into a folder. */
export function copyMessage(tenant: Tenant, message: MessageRow, target: FolderRow): MessageRow {
  return addMessage(tenant, {
    folder: target,
    props: readProps(message),
    receivedAt: message.received_at,
    isRead: message.read === 1,
    mime: message.mime,
    attachments: listAttachments(tenant, message.n).map((row) => ({
      name: row.name,
      type: row.type,
      isInline: row.inline === 1,
      contentId: row.content_id,
      content: readAttachment(row),
    })),
  });
}

/** Deletes a message as Graph does: it can be recovered from the folder of deletions. */
export function deleteMessage(tenant: Tenant, message: MessageRow): void {
  const deletions = findFolder(tenant, message.mailbox, 'recoverableitemsdeletions');
  if (message.folder_id === deletions.id)
    throw new GraphError(403, 'ErrorCannotDeleteObject', 'Object cannot be deleted.');
  moveMessage(tenant, message, deletions);
}

/** Deletes a message permanently. */
export function purgeMessage(tenant: Tenant, message: MessageRow): void {
  tenant.store.transaction(() => {
    depart(tenant, message.folder_id, message.id, message.stable_id);
    tenant.store.run('delete from attachment where message_n = ?', message.n);
    tenant.store.run('delete from message where n = ?', message.n);
  });
}
