import { badRequest, objectNotFound } from '../graph-error.ts';
import { type GraphApp, type GraphContext, openMailbox } from '../graph-env.ts';
import { readView } from '../mail-entities.ts';
import {
  type GraphEntity,
  graphUrl,
  pageEntities,
  listPage,
  selectProperties,
  readJson,
  readQuery,
} from '../odata.ts';
import type { Person } from '../people.ts';
import type { Tenant } from '../store.ts';
import { checkUnchanged } from './calendar-routes.ts';
import { outlookFolderDelta, outlookItemDelta } from './delta.ts';
import {
  type OutlookFolder,
  type OutlookItem,
  type Props,
  addOutlookFolder,
  addOutlookItem,
  changeOutlookFolder,
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

const PAGES = { normal: 10, max: 1000 };
const LISTS = ['categories', 'imAddresses', 'businessPhones', 'homePhones', 'children'];
const TEXTS = [
  'fileAs',
  'displayName',
  'givenName',
  'initials',
  'middleName',
  'nickName',
  'surname',
  'title',
  'yomiGivenName',
  'yomiSurname',
  'yomiCompanyName',
  'generation',
  'jobTitle',
  'companyName',
  'department',
  'officeLocation',
  'profession',
  'businessHomePage',
  'assistantName',
  'manager',
  'mobilePhone',
  'spouseName',
  'personalNotes',
  'birthday',
];
const ADDRESSES = ['homeAddress', 'businessAddress', 'otherAddress'];

/** Contact folders and contacts with their photos. */
export function addContactRoutes(app: GraphApp, tenant: Tenant): void {
  const open = (c: GraphContext, action: 'readContacts' | 'writeContacts'): Person => {
    const person = openMailbox(tenant, c, c.req.param('user') ?? '', action);
    ensureOutlookFolders(tenant, person.id);
    return person;
  };
  const folderAt = (c: GraphContext, { id }: Person): OutlookFolder =>
    findOutlookFolder(tenant, id, 'contactFolder', c.req.param('folder') ?? '');
  const contactAt = (c: GraphContext, { id }: Person): OutlookItem =>
    findOutlookItem(tenant, id, 'contact', c.req.param('contact') ?? '');
  const create = (owner: Person, parent: OutlookFolder | null, json: Props): OutlookFolder =>
    addOutlookFolder(tenant, {
      mailbox: owner.id,
      kind: 'contactFolder',
      name: getRequiredText(json, 'displayName'),
      parentId: parent?.id ?? null,
    });

  app.get('/users/:user/contactFolders', (c) => {
    const owner = open(c, 'readContacts');
    const rows = listOutlookFolders(tenant, owner.id, 'contactFolder').filter(
      ({ parent_id: parent, well_known: wellKnown }) => parent === null && wellKnown === null,
    );
    return c.json(
      listPage(tenant, c.req.raw, rows, folderEntity, { type: 'contactFolder', ...PAGES }),
    );
  });
  app.get('/users/:user/contactFolders/delta', (c) =>
    c.json(
      outlookFolderDelta(tenant, c.req.raw, open(c, 'readContacts').id, {
        type: 'contactFolder',
        kind: 'contactFolder',
        entity: folderEntity,
      }),
    ),
  );
  app.post('/users/:user/contactFolders', async (c) => {
    const owner = open(c, 'writeContacts');
    return c.json(folderEntity(create(owner, null, await readJson(c.req.raw))), 201);
  });
  const folderPath = '/users/:user/contactFolders/:folder';
  app.get(folderPath, (c) => c.json(folderEntity(folderAt(c, open(c, 'readContacts')))));
  app.patch(folderPath, async (c) => {
    const owner = open(c, 'writeContacts');
    const folder = folderAt(c, owner);
    const json = await readJson(c.req.raw);
    const parent = json['parentFolderId'];
    const changed = changeOutlookFolder(tenant, folder, {
      ...('displayName' in json && { name: getRequiredText(json, 'displayName') }),
      ...(typeof parent === 'string' && {
        parent_id:
          parent === ROOT ? null : findOutlookFolder(tenant, owner.id, 'contactFolder', parent).id,
      }),
    });
    return c.json(folderEntity(changed));
  });
  app.delete(folderPath, (c) => {
    removeOutlookFolder(tenant, folderAt(c, open(c, 'writeContacts')));
    return c.body(null, 204);
  });
  app.get(`${folderPath}/childFolders`, (c) => {
    const owner = open(c, 'readContacts');
    const parent = folderAt(c, owner);
    const rows = listOutlookFolders(tenant, owner.id, 'contactFolder').filter(
      (row) => row.parent_id === parent.id,
    );
    return c.json(
      listPage(tenant, c.req.raw, rows, folderEntity, { type: 'contactFolder', ...PAGES }),
    );
  });
  app.post(`${folderPath}/childFolders`, async (c) => {
    const owner = open(c, 'writeContacts');
    const folder = create(owner, folderAt(c, owner), await readJson(c.req.raw));
    return c.json(folderEntity(folder), 201);
  });
  app.get(`${folderPath}/contacts/delta`, (c) => {
    const folder = folderAt(c, open(c, 'readContacts'));
    const { hasStableIds } = readView(c.req.raw);
    return c.json(
      outlookItemDelta(tenant, c.req.raw, folder, {
        type: 'contact',
        hasStableIds,
        entity: (row) => contactEntity(tenant, row, hasStableIds),
      }),
    );
  });
  app.get(`${folderPath}/contacts`, (c) => {
    const folder = folderAt(c, open(c, 'readContacts'));
    const { hasStableIds } = readView(c.req.raw);
    const entities = listOutlookItems(tenant, folder).map((row) =>
      contactEntity(tenant, row, hasStableIds),
    );
    return c.json(pageEntities(tenant, c.req.raw, entities, { type: 'contact', ...PAGES }));
  });
  app.post(`${folderPath}/contacts`, async (c) => {
    const folder = folderAt(c, open(c, 'writeContacts'));
    const row = addOutlookItem(tenant, folder, 'contact', readContact(await readJson(c.req.raw)));
    return c.json(contactEntity(tenant, row, readView(c.req.raw).hasStableIds), 201);
  });

  const path = '/users/:user/contacts/:contact';
  app.get(path, (c) => {
    const row = contactAt(c, open(c, 'readContacts'));
    const { select } = readQuery(new URL(c.req.url));
    return c.json({
      '@odata.context': `${graphUrl(tenant)}/$metadata#users('${row.mailbox}')/contacts/$entity`,
      ...selectProperties(
        contactEntity(tenant, row, readView(c.req.raw).hasStableIds),
        select,
        'contact',
      ),
    });
  });
  app.patch(path, async (c) => {
    const row = contactAt(c, open(c, 'writeContacts'));
    checkUnchanged(tenant, c.req.raw, row);
    const props = readContact(await readJson(c.req.raw));
    const changed = updateOutlookItem(tenant, row, { props });
    return c.json(contactEntity(tenant, changed, readView(c.req.raw).hasStableIds));
  });
  app.delete(path, (c) => {
    const row = contactAt(c, open(c, 'writeContacts'));
    checkUnchanged(tenant, c.req.raw, row);
    removeOutlookItem(tenant, row);
    return c.body(null, 204);
  });
  app.get(`${path}/photo/$value`, (c) => {
    const { photo } = contactAt(c, open(c, 'readContacts'));
    if (!photo) throw objectNotFound('The photo wasn\u2019t found.');
    return c.body(new Uint8Array(photo), 200, { 'content-type': 'image/png' });
  });
  app.put(`${path}/photo/$value`, async (c) => {
    const row = contactAt(c, open(c, 'writeContacts'));
    updateOutlookItem(tenant, row, { photo: new Uint8Array(await c.req.raw.arrayBuffer()) });
    return c.body(null, 200);
  });
}

/** The folder of the mailbox in which its contact folders are. */
const ROOT = 'AAMkADgContactRoot';
const folderEntity = ({ id, parent_id: parent, name }: OutlookFolder): GraphEntity => ({
  id,
  parentFolderId: parent ?? ROOT,
  displayName: name,
});

export function contactEntity(
  tenant: Tenant,
  row: OutlookItem,
  hasStableIds: boolean,
): GraphEntity {
  const props = readItemProps(row);
  return {
    ...outlookItemEntity(tenant, row, hasStableIds),
    parentFolderId: row.folder_id,
    ...Object.fromEntries(LISTS.map((name) => [name, props[name] ?? []])),
    ...Object.fromEntries(TEXTS.map((name) => [name, props[name] ?? null])),
    ...Object.fromEntries(ADDRESSES.map((name) => [name, props[name] ?? {}])),
    emailAddresses: props['emailAddresses'] ?? [],
  };
}

/** @throws GraphError a property that contacts don't have, or that only Outlook sets */
function readContact(json: Props): Props {
  const known = new Set([...LISTS, ...TEXTS, ...ADDRESSES, 'emailAddresses', '@odata.type']);
  for (const name of Object.keys(json))
    if (!known.has(name))
      throw badRequest(`The property '${name}' does not exist on type 'microsoft.graph.contact'.`);
  return json;
}

export function getRequiredText(json: Props, name: string): string {
  const value = json[name];
  if (typeof value !== 'string' || value.trim() === '')
    throw badRequest(`The property '${name}' is required.`);
  return value;
}
