import { badRequest } from '../graph-error.ts';
import { type GraphApp, type GraphContext, openMailbox } from '../graph-env.ts';
import { guid, isoTime } from '../ids.ts';
import { type GraphEntity, graphUrl, pageEntities, listPage, readJson } from '../odata.ts';
import type { Person } from '../people.ts';
import type { Tenant } from '../store.ts';
import { getRequiredText } from './contact-routes.ts';
import { outlookFolderDelta, outlookItemDelta } from './delta.ts';
import {
  type OutlookFolder,
  type OutlookItem,
  type Props,
  addOutlookFolder,
  addOutlookItem,
  ensureOutlookFolders,
  findOutlookFolder,
  findOutlookItem,
  outlookItemEntity,
  listOutlookFolders,
  listOutlookItems,
  readItemProps,
  removeOutlookFolder,
  removeOutlookItem,
  updateOutlookItem,
} from './store.ts';

const PAGES = { normal: 100, max: 1000 };
const WRITABLE = new Set([
  '@odata.type',
  'body',
  'categories',
  'completedDateTime',
  'dueDateTime',
  'importance',
  'isReminderOn',
  'linkedResources',
  'recurrence',
  'reminderDateTime',
  'startDateTime',
  'status',
  'title',
]);

/** Lists of Microsoft To Do and their tasks. */
export function addTodoRoutes(app: GraphApp, tenant: Tenant): void {
  const open = (c: GraphContext, action: 'readTasks' | 'writeTasks'): Person => {
    const person = openMailbox(tenant, c, c.req.param('user') ?? '', action);
    ensureOutlookFolders(tenant, person.id);
    return person;
  };
  const listAt = (c: GraphContext, { id }: Person): OutlookFolder =>
    findOutlookFolder(tenant, id, 'taskList', c.req.param('list') ?? '');
  const taskAt = (c: GraphContext, { id }: Person): OutlookItem =>
    findOutlookItem(tenant, id, 'task', c.req.param('task') ?? '');

  const lists = '/users/:user/todo/lists';
  app.get(lists, (c) => {
    const rows = listOutlookFolders(tenant, open(c, 'readTasks').id, 'taskList');
    return c.json(
      listPage(tenant, c.req.raw, rows, listEntity, { type: 'todoTaskList', ...PAGES }),
    );
  });
  app.get(`${lists}/delta`, (c) =>
    c.json(
      outlookFolderDelta(tenant, c.req.raw, open(c, 'readTasks').id, {
        type: 'todoTaskList',
        kind: 'taskList',
        entity: listEntity,
      }),
    ),
  );
  app.post(lists, async (c) => {
    const folder = addOutlookFolder(tenant, {
      mailbox: open(c, 'writeTasks').id,
      kind: 'taskList',
      name: getRequiredText(await readJson(c.req.raw), 'displayName'),
      parentId: null,
    });
    return c.json(listEntity(folder), 201);
  });
  app.get(`${lists}/:list`, (c) => c.json(listEntity(listAt(c, open(c, 'readTasks')))));
  app.delete(`${lists}/:list`, (c) => {
    removeOutlookFolder(tenant, listAt(c, open(c, 'writeTasks')));
    return c.body(null, 204);
  });

  const tasks = `${lists}/:list/tasks`;
  app.get(`${tasks}/delta`, (c) =>
    c.json(
      outlookItemDelta(tenant, c.req.raw, listAt(c, open(c, 'readTasks')), {
        type: 'todoTask',
        hasStableIds: false,
        entity: (row) => taskEntity(tenant, row),
      }),
    ),
  );
  app.get(tasks, (c) => {
    const rows = listOutlookItems(tenant, listAt(c, open(c, 'readTasks')));
    return c.json(
      listPage(tenant, c.req.raw, rows, (row) => taskEntity(tenant, row), {
        type: 'todoTask',
        ...PAGES,
      }),
    );
  });
  app.post(tasks, async (c) => {
    const list = listAt(c, open(c, 'writeTasks'));
    const json = readTask(await readJson(c.req.raw));
    getRequiredText(json, 'title');
    const resources = Array.isArray(json['linkedResources']) ? json['linkedResources'] : [];
    const row = addOutlookItem(tenant, list, 'task', {
      ...json,
      linkedResources: resources.map((one: Props, n) => ({
        ...one,
        id: partId(tenant, 'link', n),
      })),
    });
    return c.json(taskEntity(tenant, row), 201);
  });
  const path = `${tasks}/:task`;
  app.get(path, (c) => {
    const row = taskAt(c, open(c, 'readTasks'));
    const expand = (c.req.query('$expand') ?? '').split(',');
    const { checklistItems = [], linkedResources = [] } = readItemProps(row);
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#users('${row.mailbox}')/todo/lists('${row.folder_id}')/tasks/$entity`,
      ...taskEntity(tenant, row),
      ...(expand.includes('checklistItems') ? { checklistItems } : {}),
      ...(expand.includes('linkedResources') ? { linkedResources } : {}),
    });
  });
  app.patch(path, async (c) => {
    const row = taskAt(c, open(c, 'writeTasks'));
    const changed = updateOutlookItem(tenant, row, { props: readTask(await readJson(c.req.raw)) });
    return c.json(taskEntity(tenant, changed));
  });
  app.delete(path, (c) => {
    removeOutlookItem(tenant, taskAt(c, open(c, 'writeTasks')));
    return c.body(null, 204);
  });
  for (const part of ['checklistItems', 'linkedResources'] as const) {
    const parts = (row: OutlookItem): readonly GraphEntity[] =>
      (readItemProps(row)[part] as readonly GraphEntity[] | undefined) ?? [];
    app.get(`${path}/${part}`, (c) =>
      c.json(
        pageEntities(tenant, c.req.raw, parts(taskAt(c, open(c, 'readTasks'))), {
          type: part.slice(0, -1),
          ...PAGES,
        }),
      ),
    );
    app.post(`${path}/${part}`, async (c) => {
      const row = taskAt(c, open(c, 'writeTasks'));
      const json = await readJson(c.req.raw);
      const added = {
        id: partId(tenant, part, 0),
        ...(part === 'checklistItems'
          ? { isChecked: false, createdDateTime: isoTime(tenant.now()) }
          : {}),
        ...json,
      };
      updateOutlookItem(tenant, row, { props: { [part]: [...parts(row), added] } });
      return c.json(added, 201);
    });
  }
}

const partId = (tenant: Tenant, what: string, n: number): string =>
  guid(tenant.seed, what, tenant.store.seq(), n);

const listEntity = ({ id, name, well_known: wellKnown }: OutlookFolder): GraphEntity => ({
  id,
  displayName: name,
  isOwner: true,
  isShared: false,
  wellknownListName: wellKnown ?? 'none',
});

/** Tasks have no key of their version in Graph, only an ETag. */
function taskEntity(tenant: Tenant, row: OutlookItem): GraphEntity {
  const { checklistItems: _items, linkedResources: _links, ...props } = readItemProps(row);
  const base = outlookItemEntity(tenant, row, false);
  return {
    '@odata.etag': base['@odata.etag'],
    'importance': 'normal',
    'isReminderOn': false,
    'status': 'notStarted',
    'categories': [],
    'hasAttachments': false,
    'body': { content: '', contentType: 'text' },
    ...props,
    'id': row.id,
    'createdDateTime': base['createdDateTime'],
    'lastModifiedDateTime': base['lastModifiedDateTime'],
    'bodyLastModifiedDateTime': base['lastModifiedDateTime'],
  };
}

/** @throws GraphError a property that tasks don't have, or that only To Do sets */
function readTask(json: Props): Props {
  for (const name of Object.keys(json))
    if (!WRITABLE.has(name))
      throw badRequest(`The property '${name}' does not exist on type 'microsoft.graph.todoTask'.`);
  return json;
}
