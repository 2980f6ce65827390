import { GraphError, badRequest } from './graph-error.ts';
import { type GraphApp, openMailbox } from './graph-env.ts';
import { changeKey } from './ids.ts';
import { attachmentEntity, folderEntity } from './mail-entities.ts';
import {
  checkDraftOnly,
  completeProps,
  parseAttachment,
  readMessage,
  readMimeMessage,
} from './mail-input.ts';
import { MESSAGE_PATHS, findMessageAt, oneMessage } from './mail.ts';
import {
  type FolderRow,
  type MessageRow,
  addAttachment,
  addFolder,
  addMessage,
  copyMessage,
  deleteMessage,
  findFolder,
  moveFolder,
  moveMessage,
  purgeMessage,
  readProps,
  removeFolder,
  renameFolder,
  updateMessage,
} from './mailbox-store.ts';
import { readJson } from './odata.ts';
import type { Tenant } from './store.ts';

/** Writing to mailboxes: folders, messages in JSON and MIME, moving, deleting. */
export function addMailWritingRoutes(app: GraphApp, tenant: Tenant): void {
  addFolderRoutes(app, tenant);
  const create = async (request: Request, folder: FolderRow): Promise<MessageRow> => {
    if ((request.headers.get('content-type') ?? '').startsWith('text/plain')) {
      const { props, attachments, mime } = readMimeMessage(await request.text());
      return addMessage(tenant, {
        folder,
        props: completeProps(tenant, props),
        receivedAt: Math.floor(tenant.now() / 1000) * 1000,
        isRead: true,
        attachments,
        mime,
      });
    }
    const input = readMessage(await readJson(request));
    return addMessage(tenant, {
      folder,
      props: completeProps(tenant, input.props),
      receivedAt: input.receivedAt ?? Math.floor(tenant.now() / 1000) * 1000,
      isRead: input.isRead ?? true,
      attachments: input.attachments,
    });
  };
  app.post('/users/:user/messages', async (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
    const row = await create(c.req.raw, findFolder(tenant, id, 'drafts'));
    return c.json(oneMessage(tenant, c.req.raw, row), 201);
  });
  app.post('/users/:user/mailFolders/:folder/messages', async (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
    const row = await create(c.req.raw, findFolder(tenant, id, c.req.param('folder')));
    return c.json(oneMessage(tenant, c.req.raw, row), 201);
  });

  for (const base of MESSAGE_PATHS) {
    app.patch(base, async (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
      const row = findMessageAt(tenant, id, c.req.param());
      checkUnchanged(tenant, c.req.raw, row);
      const json = await readJson(c.req.raw);
      checkDraftOnly(json, readProps(row).isDraft);
      const { props, isRead } = readMessage(json);
      const changed = updateMessage(tenant, row, {
        props,
        ...(isRead === undefined ? {} : { isRead }),
      });
      return c.json(oneMessage(tenant, c.req.raw, changed));
    });
    app.delete(base, (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
      const row = findMessageAt(tenant, id, c.req.param());
      checkUnchanged(tenant, c.req.raw, row);
      deleteMessage(tenant, row);
      return c.body(null, 204);
    });
    app.post(`${base}/permanentDelete`, (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
      purgeMessage(tenant, findMessageAt(tenant, id, c.req.param()));
      return c.body(null, 204);
    });
    for (const verb of ['move', 'copy'] as const)
      app.post(`${base}/${verb}`, async (c) => {
        const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
        const row = findMessageAt(tenant, id, c.req.param());
        const target = findFolder(tenant, id, getText(await readJson(c.req.raw), 'destinationId'));
        const result =
          verb === 'move' ? moveMessage(tenant, row, target) : copyMessage(tenant, row, target);
        return c.json(oneMessage(tenant, c.req.raw, result), 201);
      });
    app.post(`${base}/attachments`, async (c) => {
      const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
      const row = findMessageAt(tenant, id, c.req.param());
      const added = addAttachment(tenant, row, parseAttachment(await readJson(c.req.raw)));
      return c.json(attachmentEntity(added, true), 201);
    });
  }
}

function addFolderRoutes(app: GraphApp, tenant: Tenant): void {
  const create = (
    mailbox: string,
    parent: string,
    json: Readonly<Record<string, unknown>>,
  ): FolderRow => {
    const folder = addFolder(
      tenant,
      mailbox,
      findFolder(tenant, mailbox, parent).id,
      getText(json, 'displayName'),
    );
    if (json['isHidden'] === true)
      tenant.store.run('update folder set hidden = 1 where n = ?', folder.n);
    return findFolder(tenant, mailbox, folder.id);
  };
  app.post('/users/:user/mailFolders', async (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
    const folder = create(id, 'msgfolderroot', await readJson(c.req.raw));
    return c.json(folderEntity(tenant, folder), 201);
  });
  app.post('/users/:user/mailFolders/:folder/childFolders', async (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
    const folder = create(id, c.req.param('folder'), await readJson(c.req.raw));
    return c.json(folderEntity(tenant, folder), 201);
  });
  app.post('/users/:user/mailFolders/:folder/move', async (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
    const folder = findFolder(tenant, id, c.req.param('folder'));
    const target = findFolder(tenant, id, getText(await readJson(c.req.raw), 'destinationId'));
    return c.json(folderEntity(tenant, moveFolder(tenant, folder, target)), 201);
  });
  app.patch('/users/:user/mailFolders/:folder', async (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
    const folder = findFolder(tenant, id, c.req.param('folder'));
    const renamed = renameFolder(tenant, folder, getText(await readJson(c.req.raw), 'displayName'));
    return c.json(folderEntity(tenant, renamed));
  });
  app.delete('/users/:user/mailFolders/:folder', (c) => {
    const { id } = openMailbox(tenant, c, c.req.param('user'), 'writeMail');
    removeFolder(tenant, findFolder(tenant, id, c.req.param('folder')));
    return c.body(null, 204);
  });
}

function getText(json: Readonly<Record<string, unknown>>, name: string): string {
  const value = json[name];
  if (typeof value !== 'string' || value.trim() === '')
    throw badRequest(`The property '${name}' is required.`);
  return value;
}

/** @throws GraphError 412 if the message isn't in the state of `If-Match` */
function checkUnchanged(tenant: Tenant, request: Request, row: MessageRow): void {
  const wanted = request.headers.get('if-match');
  const tag = `W/"${changeKey(tenant, row.n, row.seq)}"`;
  if (wanted !== null && wanted !== '*' && wanted !== tag)
    throw new GraphError(
      412,
      'ErrorIrresolvableConflict',
      'The send or update operation could not be performed because the change key passed in the request does not match the current change key for the item.',
    );
}
