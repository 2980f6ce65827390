import { Hono } from 'hono';
import * as v from 'valibot';
import {
  type FolderRow,
  type MessageProps,
  type MessageRow,
  type NewAttachment,
  addAttachment,
  addMessage,
  findFolder,
  findMailbox,
  findMessage,
  listAttachments,
  listChildFolders,
  readAttachment,
  readProps,
  updateMessage,
} from './mailbox-store.ts';
import { GraphError, badRequest, errorResponse, resourceNotFound } from './graph-error.ts';
import type { GraphApp, GraphContext } from './graph-env.ts';
import { findUser } from './directory.ts';
import { changeKey, digest, isoTime } from './ids.ts';
import { folderDelta, messageDelta } from './mail-delta.ts';
import { folderEntity, readView } from './mail-entities.ts';
import {
  type GraphEntity,
  graphUrl,
  pageEntities,
  listPage,
  selectProperties,
  readJson,
  readQuery,
} from './odata.ts';
import { findOutlookItemById, importOutlookItem, outlookStream } from './outlook/streams.ts';
import type { Person } from './people.ts';
import { type Action, checkPermission } from './permissions.ts';
import type { Tenant } from './store.ts';

export const OUTLOOK = 'outlook.office365.com';
const MAX_EXPORT = 20;
const SESSION_MS = 3_600_000;

/** Full-fidelity export and import of mailbox items (`/admin/exchange/mailboxes`). */
export function addExchangeRoutes(app: GraphApp, tenant: Tenant): void {
  app.get('/users/:user/settings/exchange', (c) => {
    checkPermission(c.get('caller'), 'readUsers');
    const person = findUser(tenant, c.req.param('user'));
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#users('${person.id}')/settings/exchange`,
      'primaryMailboxId': person.mailbox === 'none' ? null : mailboxId(tenant, person),
    });
  });
  const open = (c: GraphContext, action: Action): Person => {
    checkPermission(c.get('caller'), action);
    return findByMailboxId(tenant, c.req.param('mailbox') ?? '');
  };
  const base = '/admin/exchange/mailboxes/:mailbox';
  app.get(`${base}/folders`, (c) => {
    const { id } = open(c, 'readMailboxFolders');
    return c.json(folderPage(tenant, c.req.raw, findFolder(tenant, id, 'msgfolderroot')));
  });
  app.get(`${base}/folders/delta`, (c) => {
    const { id } = open(c, 'readMailboxFolders');
    return c.json(
      folderDelta(tenant, c.req.raw, id, {
        type: 'mailboxFolder',
        entity: (folder) => mailboxFolderEntity(tenant, folder),
        hasHidden: true,
      }),
    );
  });
  app.get(`${base}/folders/:folder/childFolders`, (c) => {
    const { id } = open(c, 'readMailboxFolders');
    return c.json(folderPage(tenant, c.req.raw, findFolder(tenant, id, c.req.param('folder'))));
  });
  app.get(`${base}/folders/:folder/items`, (c) => {
    const { id } = open(c, 'readMailboxItems');
    const folder = findFolder(tenant, id, c.req.param('folder'));
    const view = readView(c.req.raw);
    const rows = tenant.store.all<MessageRow>(
      'select * from message where folder_id = ? order by n',
      folder.id,
    );
    return c.json(
      listPage(tenant, c.req.raw, rows, (row) => itemEntity(tenant, row, view.hasStableIds), {
        type: 'mailboxItem',
        normal: 10,
        max: 1000,
      }),
    );
  });
  app.get(`${base}/folders/:folder/items/delta`, (c) => {
    const { id } = open(c, 'readMailboxItems');
    const { hasStableIds } = readView(c.req.raw);
    return c.json(
      messageDelta(tenant, c.req.raw, findFolder(tenant, id, c.req.param('folder')), {
        type: 'mailboxItem',
        hasStableIds,
        entity: (row, select) =>
          selectProperties(itemEntity(tenant, row, hasStableIds), select, 'mailboxItem'),
      }),
    );
  });
  app.get(`${base}/folders/:folder/items/:item`, (c) => {
    const { id } = open(c, 'readMailboxItems');
    const { select } = readQuery(new URL(c.req.url));
    const row = findMessage(tenant, id, c.req.param('item'));
    return c.json(
      selectProperties(
        itemEntity(tenant, row, readView(c.req.raw).hasStableIds),
        select,
        'mailboxItem',
      ),
    );
  });
  app.get(`${base}/folders/:folder`, (c) => {
    const { id } = open(c, 'readMailboxFolders');
    return c.json(mailboxFolderEntity(tenant, findFolder(tenant, id, c.req.param('folder'))));
  });
  app.post(`${base}/exportItems`, async (c) => {
    const person = open(c, 'exportItems');
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#Collection(microsoft.graph.exportItemResponse)`,
      'value': exportItems(tenant, person, await readJson(c.req.raw)),
    });
  });
  app.post(`${base}/createImportSession`, (c) => {
    const person = open(c, 'importItems');
    const until = tenant.now() + SESSION_MS;
    const ticket = `${until}.${getTicket(tenant, person.id, until)}`;
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#microsoft.graph.mailboxItemImportSession`,
      'importUrl': `${tenant.origin(OUTLOOK)}/api/gv1.0/Mailboxes('${mailboxId(tenant, person)}')/importItem?authtoken=${ticket}`,
      'expirationDateTime': isoTime(until),
    });
  });
}

const getTicket = ({ seed }: Tenant, mailbox: string, until: number): string =>
  digest(seed, 'import', mailbox, until).toString('base64url');

const mailboxId = (tenant: Tenant, { id }: Person): string => `MBX:${id}@${tenant.id}`;

/** @throws GraphError 404 */
function findByMailboxId(tenant: Tenant, id: string): Person {
  const match = /^MBX:([^@]+)@(.+)$/.exec(decodeURIComponent(id));
  if (!match || match[2] !== tenant.id) throw resourceNotFound(id);
  return findMailbox(tenant, match[1] ?? '');
}

function folderPage(tenant: Tenant, request: Request, parent: FolderRow): GraphEntity {
  const entities = listChildFolders(tenant, parent.id).map((folder) =>
    mailboxFolderEntity(tenant, folder),
  );
  return pageEntities(tenant, request, entities, { type: 'mailboxFolder', normal: 10, max: 1000 });
}

function mailboxFolderEntity(tenant: Tenant, folder: FolderRow): GraphEntity {
  const { id, displayName, parentFolderId, childFolderCount, totalItemCount } = folderEntity(
    tenant,
    folder,
  );
  return { id, displayName, parentFolderId, childFolderCount, totalItemCount, type: 'IPF.Note' };
}

function itemEntity(tenant: Tenant, row: MessageRow, hasStableIds: boolean): GraphEntity {
  const key = changeKey(tenant, row.n, row.seq);
  return {
    '@odata.etag': `W/"${key}"`,
    'id': hasStableIds ? row.stable_id : row.id,
    'createdDateTime': isoTime(row.created_at),
    'lastModifiedDateTime': isoTime(row.changed_at),
    'changeKey': key,
    'categories': readProps(row).categories,
    'type': 'IPM.Note',
    'size': row.size,
  };
}

/** A whole item, as the opaque stream holds it. */
interface Stream {
  readonly props: MessageProps;
  readonly receivedAt: number;
  readonly createdAt: number;
  readonly isRead: boolean;
  readonly mime: string | null;
  readonly attachments: readonly (Omit<NewAttachment, 'content'> & { readonly content: string })[];
}

const exportInput = v.object({
  itemIds: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_EXPORT)),
});

function exportItems(tenant: Tenant, person: Person, json: unknown): GraphEntity[] {
  const parsed = v.safeParse(exportInput, json);
  if (!parsed.success) throw badRequest(`itemIds: ${parsed.issues[0].message}`);
  return parsed.output.itemIds.map((itemId) => {
    try {
      const item = findOutlookItemById(tenant, person.id, itemId);
      if (item)
        return {
          itemId,
          changeKey: changeKey(tenant, item.n, item.seq),
          data: outlookStream(item),
        };
      const row = findMessage(tenant, person.id, itemId);
      return { itemId, changeKey: changeKey(tenant, row.n, row.seq), data: toStream(tenant, row) };
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      return { itemId, error: { code: error.code, message: error.message } };
    }
  });
}

function toStream(tenant: Tenant, row: MessageRow): string {
  const stream: Stream = {
    props: readProps(row),
    receivedAt: row.received_at,
    createdAt: row.created_at,
    isRead: row.read === 1,
    mime: row.mime ? Buffer.from(row.mime).toString('base64') : null,
    attachments: listAttachments(tenant, row.n).map((attachment) => ({
      name: attachment.name,
      type: attachment.type,
      isInline: attachment.inline === 1,
      contentId: attachment.content_id,
      content: Buffer.from(readAttachment(attachment)).toString('base64'),
    })),
  };
  return Buffer.from(JSON.stringify(stream)).toString('base64');
}

function fromStream(data: string): Stream {
  try {
    return JSON.parse(Buffer.from(data, 'base64').toString()) as Stream;
  } catch {
    throw new GraphError(400, 'ErrorInvalidRequest', 'The data is not an exported item.');
  }
}

const importInput = v.variant('Mode', [
  v.strictObject({
    FolderId: v.string(),
    Mode: v.literal('create'),
    Data: v.pipe(v.string(), v.base64()),
  }),
  v.strictObject({
    FolderId: v.string(),
    Mode: v.literal('update'),
    Data: v.pipe(v.string(), v.base64()),
    ItemId: v.string(),
    ChangeKey: v.string(),
  }),
]);

/** The host that imports exported items; its addresses need no token. */
export function outlookApp(tenant: Tenant): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    if (!(error instanceof GraphError)) throw error;
    return errorResponse(c, error, tenant.now());
  });
  app.post('/api/gv1.0/:mailbox/importItem', async (c) => {
    const id = /^Mailboxes\('(.+)'\)$/.exec(c.req.param('mailbox'))?.[1] ?? '';
    const person = findByMailboxId(tenant, id);
    const [until = '', ticket = ''] = (c.req.query('authtoken') ?? '').split('.');
    if (ticket !== getTicket(tenant, person.id, Number(until)) || Number(until) <= tenant.now())
      throw new GraphError(401, 'ErrorAccessDenied', 'The import session has expired.');
    const parsed = v.safeParse(importInput, await readJson(c.req.raw));
    if (!parsed.success) throw new GraphError(400, 'ErrorInvalidRequest', parsed.issues[0].message);
    const row =
      importOutlookItem(tenant, person, parsed.output) ?? importItem(tenant, person, parsed.output);
    return c.json({
      '@odata.context': `${tenant.origin(OUTLOOK)}/api/gv1.0/$metadata#microsoft.graph.importMailboxItemResponse`,
      'itemId': row.id,
      'changeKey': changeKey(tenant, row.n, row.seq),
    });
  });
  return app;
}

function importItem(
  tenant: Tenant,
  person: Person,
  input: v.InferOutput<typeof importInput>,
): MessageRow {
  const { store } = tenant;
  const folder = findFolder(tenant, person.id, input.FolderId);
  const stream = fromStream(input.Data);
  const attachments = stream.attachments.map((attachment) => ({
    ...attachment,
    content: new Uint8Array(Buffer.from(attachment.content, 'base64')),
  }));
  const mime = stream.mime === null ? null : new Uint8Array(Buffer.from(stream.mime, 'base64'));
  if (input.Mode === 'create') return addMessage(tenant, { ...stream, folder, attachments, mime });
  const row = findMessage(tenant, person.id, input.ItemId);
  if (row.folder_id !== folder.id || changeKey(tenant, row.n, row.seq) !== input.ChangeKey)
    throw new GraphError(
      409,
      'ErrorIrresolvableConflict',
      'The change key does not match the item.',
    );
  return store.transaction(() => {
    store.run('delete from attachment where message_n = ?', row.n);
    for (const attachment of attachments) addAttachment(tenant, row, attachment);
    const { props, isRead, receivedAt } = stream;
    const updated = updateMessage(tenant, row, { props, isRead });
    store.run('update message set received_at = ?, mime = ? where n = ?', receivedAt, mime, row.n);
    return updated;
  });
}
