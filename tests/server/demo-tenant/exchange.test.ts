import { expect, test } from 'vitest';
import { checkEntity } from '../../fakes/graph-schema.ts';
import { type Answer, aCloud } from './fixtures.ts';

const ROLES = [
  'User.Read.All',
  'Mail.Read',
  'MailboxFolder.Read.All',
  'MailboxItem.Read.All',
  'MailboxItem.ImportExport.All',
];

async function anExchange(roles = ROLES) {
  const cloud = await aCloud({ roles, size: { minMails: 60, maxMails: 60 } });
  const user = cloud.tenant.admin.listUsers().find(({ mailbox }) => mailbox === 'user')?.id ?? '';
  const { primaryMailboxId } = await cloud.one(
    'exchangeSettings',
    `/users/${user}/settings/exchange`,
  );
  const base = `/admin/exchange/mailboxes/${encodeURIComponent(primaryMailboxId)}`;
  const post = (path: string, json: object): Promise<Answer> =>
    cloud.call(path, { method: 'POST', body: JSON.stringify(json) });
  const upload = async (url: string, json: object): Promise<Answer> => {
    const response = await cloud.tenant.fetch(
      new Request(url, { method: 'POST', body: JSON.stringify(json) }),
    );
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return { ...cloud, user, mailboxId: primaryMailboxId as string, base, post, upload };
}

/** What an import changes of a message. */
const OTHER = [
  '@odata.etag',
  '@odata.context',
  'id',
  'changeKey',
  'parentFolderId',
  'webLink',
  'lastModifiedDateTime',
];

/** Returns what a message says, wherever it is. */
function getContent(mail: Answer['body']): Record<string, unknown> {
  const rest = Object.entries(mail).filter(([name]) => !OTHER.includes(name));
  const attachments = mail.attachments.map(
    ({ name, contentBytes, isInline }: Record<string, unknown>) => ({
      name,
      contentBytes,
      isInline,
    }),
  );
  return { ...Object.fromEntries(rest), attachments };
}

test('GRAPH-12: items are exported twenty at once and imported with everything that they had', async () => {
  const { post, upload, base, mailboxId, user, tenant, call, one } = await anExchange();
  const rows = tenant.admin.listMessages(user).slice(0, 20);
  const { body } = await post(`${base}/exportItems`, {
    itemIds: [...rows.map(({ id }) => id).slice(0, 19), 'missing'],
  });
  expect(body.value).toHaveLength(20);
  for (const item of body.value) expect(checkEntity('exportItemResponse', item)).toEqual([]);
  expect(body.value[19]).toMatchObject({ itemId: 'missing', error: { code: 'ErrorItemNotFound' } });
  expect(
    await post(`${base}/exportItems`, { itemIds: Array.from({ length: 21 }, () => 'x') }),
  ).toMatchObject({ status: 400 });
  const session = await post(`${base}/createImportSession`, {});
  expect(checkEntity('mailboxItemImportSession', session.body)).toEqual([]);
  expect(session.body.importUrl).toContain(
    `https://outlook.office365.com/api/gv1.0/Mailboxes('${mailboxId}')/importItem?`,
  );
  const archive = tenant.admin.listFolders(user).find(({ well_known }) => well_known === 'archive');
  for (const { itemId, data } of body.value.slice(0, 19)) {
    const imported = await upload(session.body.importUrl, {
      FolderId: archive?.id,
      Mode: 'create',
      Data: data,
    });
    expect(imported).toMatchObject({
      status: 200,
      body: { itemId: expect.any(String), changeKey: expect.any(String) },
    });
    const [before, after] = [
      await one('message', `/users/${user}/messages/${itemId}?$expand=attachments`),
      await one('message', `/users/${user}/messages/${imported.body.itemId}?$expand=attachments`),
    ];

    expect(getContent(after)).toEqual(getContent(before));
    expect(after.parentFolderId).toBe(archive?.id);
    const [first, second] = [itemId, imported.body.itemId].map((id) =>
      call(`/users/${user}/messages/${id}/$value`),
    );
    expect((await first)?.body.equals((await second)?.body)).toBe(true);
  }
});

test('GRAPH-12: an import updates the state that it names, and its address expires', async () => {
  const { post, upload, base, user, tenant, clock, call } = await anExchange();
  const [row, other] = tenant.admin.listMessages(user, 'inbox');
  const { body } = await post(`${base}/exportItems`, { itemIds: [row?.id, other?.id] });
  const { importUrl } = (await post(`${base}/createImportSession`, {})).body;
  const update = {
    FolderId: row?.folder_id,
    Mode: 'update',
    Data: body.value[1].data,
    ItemId: row?.id,
  };
  expect(await upload(importUrl, { ...update, ChangeKey: 'another' })).toMatchObject({
    status: 409,
  });
  const updated = await upload(importUrl, { ...update, ChangeKey: body.value[0].changeKey });
  expect(updated).toMatchObject({ status: 200, body: { itemId: row?.id } });
  expect(updated.body.changeKey).not.toBe(body.value[0].changeKey);
  const [now, source] = [row?.id, other?.id].map((id) => call(`/users/${user}/messages/${id}`));
  expect((await now)?.body.subject).toBe((await source)?.body.subject);
  const create = { FolderId: row?.folder_id, Mode: 'create', Data: body.value[0].data };
  expect(await upload(importUrl, { ...create, ItemId: row?.id })).toMatchObject({ status: 400 });
  expect(await upload(importUrl.replace(/authtoken=.*/, 'authtoken=1.x'), create)).toMatchObject({
    status: 401,
  });
  clock.now += 3_700_000;
  expect(await upload(importUrl, create)).toMatchObject({ status: 401 });
});

test('GRAPH-12: folders and items of a mailbox are listed and followed by delta', async () => {
  const { base, all, page, user, tenant } = await anExchange();
  const folders = await all('mailboxFolder', `${base}/folders?$top=4`);
  expect(folders.map(({ displayName }) => displayName)).toContain('Inbox');
  const everything = await all('mailboxFolder', `${base}/folders/delta`);
  expect(everything.length).toBeGreaterThan(folders.length);
  const inbox = tenant.admin.listFolders(user).find(({ well_known }) => well_known === 'inbox');
  const { body } = await page('mailboxItem', `${base}/folders/${inbox?.id}/items/delta`, {
    prefer: 'odata.maxpagesize=1000',
  });
  expect(body.value.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    tenant.admin
      .listMessages(user, 'inbox')
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(await all('mailboxItem', `${base}/folders/${inbox?.id}/items`)).toHaveLength(
    body.value.length,
  );
  const added = tenant.admin.addMessage(user);
  tenant.admin.deleteMessage(user, body.value[0].id);
  const second = await page('mailboxItem', body['@odata.deltaLink']);
  expect(second.body.value).toMatchObject([
    { id: added.id, type: 'IPM.Note' },
    { 'id': body.value[0].id, '@removed': {} },
  ]);
});

test('GRAPH-12: exporting needs another permission than reading, importing yet another', async () => {
  const { post, base, all } = await anExchange([
    'User.Read.All',
    'MailboxFolder.Read.All',
    'MailboxItem.Export.All',
  ]);
  await all('mailboxFolder', `${base}/folders`);
  expect(await post(`${base}/exportItems`, { itemIds: ['x'] })).toMatchObject({ status: 200 });
  expect(await post(`${base}/createImportSession`, {})).toMatchObject({ status: 403 });
});
