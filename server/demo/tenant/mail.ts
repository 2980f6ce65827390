import { badRequest } from './graph-error.ts';
import { type GraphApp, openMailbox } from './graph-env.ts';
import { changeKey } from './ids.ts';
import { folderDelta, messageDelta } from './mail-delta.ts';
import {
  type MessageView,
  attachmentEntity,
  expandMessage,
  folderEntity,
  isMessageDefault,
  messageEntity,
  readView,
} from './mail-entities.ts';
import {
  type FolderRow,
  type MessageRow,
  findFolder,
  findMessage,
  listAttachments,
  listChildFolders,
  readAttachment,
  readProps,
} from './mailbox-store.ts';
import { writeMime } from './mime.ts';
import {
  type GraphEntity,
  graphUrl,
  linkTo,
  pageEntities,
  pageSize,
  selectProperties,
  readQuery,
} from './odata.ts';
import { matchesFilter } from './odata-filter.ts';
import { objectNotFound } from './graph-error.ts';
import type { Tenant } from './store.ts';

/** Reading mailboxes: folders, messages, attachments, MIME, changes. */
export function addMailRoutes(app: GraphApp, tenant: Tenant): void {
  app.get('/users/:user/mailFolders', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMailBasic');
    return c.json(folderPage(tenant, c.req.raw, findFolder(tenant, id, 'msgfolderroot')));
  });
  app.get('/users/:user/mailFolders/delta', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMailBasic');
    return c.json(folderDelta(tenant, c.req.raw, id));
  });
  app.get('/users/:user/mailFolders/:folder', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMailBasic');
    const folder = findFolder(tenant, id, c.req.param('folder'));
    const { select } = readQuery(new URL(c.req.url));
    return c.json(selectProperties(folderEntity(tenant, folder), select, 'mailFolder'));
  });
  app.get('/users/:user/mailFolders/:folder/childFolders', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMailBasic');
    return c.json(folderPage(tenant, c.req.raw, findFolder(tenant, id, c.req.param('folder'))));
  });

  app.get('/users/:user/messages', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
    return c.json(messagePage(tenant, c.req.raw, id, null));
  });
  app.get('/users/:user/mailFolders/:folder/messages', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
    const folder = findFolder(tenant, id, c.req.param('folder'));
    return c.json(messagePage(tenant, c.req.raw, id, folder));
  });
  app.get('/users/:user/mailFolders/:folder/messages/delta', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
    const folder = findFolder(tenant, id, c.req.param('folder'));
    const view = readView(c.req.raw);
    return c.json(
      messageDelta(tenant, c.req.raw, folder, {
        type: 'message',
        hasStableIds: view.hasStableIds,
        entity: (row, select) => projectMessage(messageEntity(tenant, row, view), select),
      }),
    );
  });

  for (const base of MESSAGE_PATHS) {
    app.get(base, (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
      const row = findMessageAt(tenant, id, c.req.param());
      return c.json(oneMessage(tenant, c.req.raw, row));
    });
    app.get(`${base}/$value`, (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
      const row = findMessageAt(tenant, id, c.req.param());
      return c.body(getMime(tenant, row), 200, {
        'content-type': 'text/plain',
        'etag': `W/"${changeKey(tenant, row.n, row.seq)}"`,
      });
    });
    app.get(`${base}/attachments`, (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
      const row = findMessageAt(tenant, id, c.req.param());
      const entities = listAttachments(tenant, row.n).map((file) => attachmentEntity(file, true));
      return c.json(
        pageEntities(tenant, c.req.raw, entities, { type: 'attachment', normal: 10, max: 1000 }),
      );
    });
    app.get(`${base}/attachments/:attachment/$value`, (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
      const params: Record<string, string> = c.req.param();
      const file = findAttachment(tenant, findMessageAt(tenant, id, params), params['attachment']);
      return c.body(new Uint8Array(readAttachment(file)), 200, { 'content-type': file.type });
    });
    app.get(`${base}/attachments/:attachment`, (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'readMail');
      const params: Record<string, string> = c.req.param();
      const file = findAttachment(tenant, findMessageAt(tenant, id, params), params['attachment']);
      const { select } = readQuery(new URL(c.req.url));
      return c.json(selectProperties(attachmentEntity(file, true), select, 'fileAttachment'));
    });
  }
}

/** A message is found with and without its folder. */
export const MESSAGE_PATHS = [
  '/users/:user/messages/:message',
  '/users/:user/mailFolders/:folder/messages/:message',
] as const;

export function findMessageAt(
  tenant: Tenant,
  mailbox: string,
  params: Readonly<Record<string, string>>,
): MessageRow {
  const row = findMessage(tenant, mailbox, params['message'] ?? '');
  const { folder } = params;
  if (folder !== undefined && findFolder(tenant, mailbox, folder).id !== row.folder_id)
    throw objectNotFound();
  return row;
}

function findAttachment(tenant: Tenant, row: MessageRow, id: string | undefined) {
  const file = listAttachments(tenant, row.n).find((attachment) => attachment.id === id);
  if (!file) throw objectNotFound();
  return file;
}

/** Returns the message as MIME: what was posted, or what its properties make. */
export function getMime(tenant: Tenant, row: MessageRow): Uint8Array<ArrayBuffer> {
  if (row.mime) return new Uint8Array(row.mime);
  return new Uint8Array(writeMime(readProps(row), listAttachments(tenant, row.n)));
}

const projectMessage = (entity: GraphEntity, select: readonly string[] | null): GraphEntity =>
  selectProperties(entity, select, 'message', Object.keys(entity).filter(isMessageDefault));

export function oneMessage(tenant: Tenant, request: Request, row: MessageRow): GraphEntity {
  const url = new URL(request.url);
  const { select } = readQuery(url);
  return {
    '@odata.context': `${graphUrl(tenant)}/$metadata#users('${row.mailbox}')/messages/$entity`,
    ...projectMessage(messageEntity(tenant, row, readView(request)), select),
    ...expandMessage(tenant, row, url.searchParams.get('$expand') ?? ''),
  };
}

function folderPage(tenant: Tenant, request: Request, parent: FolderRow): GraphEntity {
  const url = new URL(request.url);
  const hasHidden = url.searchParams.get('includeHiddenFolders') === 'true';
  const entities = listChildFolders(tenant, parent.id)
    .filter((folder) => hasHidden || folder.hidden === 0)
    .map((folder) => folderEntity(tenant, folder));
  return pageEntities(tenant, request, entities, { type: 'mailFolder', normal: 10, max: 1000 });
}

/** Messages, newest first, `$skip` by `$skip`; only the page's rows become entities. */
function messagePage(
  tenant: Tenant,
  request: Request,
  mailbox: string,
  folder: FolderRow | null,
): GraphEntity {
  const url = new URL(request.url);
  const query = readQuery(url);
  const view = readView(request);
  const direction = readDirection(query.orderBy);
  const rows = tenant.store.all<MessageRow>(
    `select * from message where mailbox = ?1 and (?2 is null or folder_id = ?2)
     order by received_at ${direction}, n ${direction}`,
    mailbox,
    folder?.id ?? null,
  );
  const found = query.filter === null ? rows : filterMessages(tenant, rows, query.filter, view);
  const size = pageSize(request, query, 10, 1000);
  const from = Number(url.searchParams.get('$skip') ?? 0);
  const next = new URL(url);
  next.searchParams.set('$skip', String(from + size));
  const expand = url.searchParams.get('$expand') ?? '';
  return {
    '@odata.context': `${graphUrl(tenant)}/$metadata#users('${mailbox}')/messages`,
    ...(query.count ? { '@odata.count': found.length } : {}),
    'value': found.slice(from, from + size).map((row) => ({
      ...projectMessage(messageEntity(tenant, row, view), query.select),
      ...expandMessage(tenant, row, expand),
    })),
    ...(from + size < found.length ? { '@odata.nextLink': linkTo(tenant, next) } : {}),
  };
}

function filterMessages(
  tenant: Tenant,
  rows: readonly MessageRow[],
  filter: string,
  view: MessageView,
): MessageRow[] {
  return rows.filter((row) => matchesFilter(messageEntity(tenant, row, view), filter));
}

function readDirection(orderBy: string | null): 'asc' | 'desc' {
  const match = /^receivedDateTime(?:\s+(asc|desc))?$/i.exec(orderBy ?? 'receivedDateTime desc');
  if (!match) throw badRequest('The restriction or sort order is too complex for this operation.');
  return match[1]?.toLowerCase() === 'desc' ? 'desc' : 'asc';
}
