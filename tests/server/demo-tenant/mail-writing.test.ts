import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { checkEntity } from '../../fakes/graph-schema.ts';
import { type Answer, aCloud, byText } from './fixtures.ts';

const ROLES = ['Mail.ReadWrite', 'User.Read.All'];

async function aMailbox(roles = ROLES) {
  const cloud = await aCloud({ roles });
  const user = cloud.tenant.admin.listUsers().find(({ mailbox }) => mailbox === 'user')?.id ?? '';
  const send = async (
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    cloud.call(`/users/${user}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  return { ...cloud, user, send };
}

const MAIL = {
  subject: 'Übergabe der Pläne',
  body: { contentType: 'html', content: '<p>Grüße</p>' },
  from: { emailAddress: { name: 'Marit Solheim', address: 'marit@fjord.example.org' } },
  toRecipients: [{ emailAddress: { name: 'Ada', address: 'ada@example.com' } }],
  importance: 'high',
  categories: ['Project'],
  isRead: false,
  internetMessageId: '<restored-1@fjord.example.org>',
};

test('GRAPH-7: a message in JSON keeps its dates, sender and flags, and isn’t a draft if it says so', async () => {
  const { send, one, user } = await aMailbox();
  const draft = await send('POST', '/mailFolders/archive/messages', MAIL);
  expect(draft).toMatchObject({ status: 201, body: { isDraft: true, subject: MAIL.subject } });
  const { status, body } = await send('POST', '/mailFolders/archive/messages', {
    ...MAIL,
    singleValueExtendedProperties: [
      { id: 'Integer 0x0E07', value: '0' },
      { id: 'SystemTime 0x0039', value: '2025-02-03T04:05:06Z' },
      { id: 'SystemTime 0x0E06', value: '2025-02-03T04:05:09Z' },
    ],
    attachments: [
      {
        '@odata.type': '#microsoft.graph.fileAttachment',
        'name': 'Plan.txt',
        'contentType': 'text/plain',
        'contentBytes': Buffer.from('plan').toString('base64'),
      },
    ],
  });
  expect(status).toBe(201);
  expect(checkEntity('message', body)).toEqual([]);
  expect(await one('message', `/users/${user}/messages/${body.id}`)).toMatchObject({
    subject: MAIL.subject,
    from: MAIL.from,
    importance: 'high',
    categories: ['Project'],
    isRead: false,
    isDraft: false,
    hasAttachments: true,
    internetMessageId: MAIL.internetMessageId,
    sentDateTime: '2025-02-03T04:05:06Z',
    receivedDateTime: '2025-02-03T04:05:09Z',
  });
  const expanded = await one(
    'message',
    `/users/${user}/messages/${body.id}?$expand=singleValueExtendedProperties($filter=id eq 'Integer 0x0E07' or id eq 'SystemTime 0x0E06')`,
  );
  expect(expanded.singleValueExtendedProperties).toEqual([
    { id: 'Integer 0x0E07', value: '0' },
    { id: 'SystemTime 0x0E06', value: '2025-02-03T04:05:09Z' },
  ]);
  expect(await send('POST', '/messages', { subjekt: 'x' })).toMatchObject({ status: 400 });
});

test('GRAPH-7: a message posted as MIME is a draft with the same bytes', async () => {
  const { call, one, user } = await aMailbox();
  const mime = [
    'From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>',
    'To: "Doe, Ada" <ada@example.com>, x@example.net',
    'Subject: =?utf-8?B?w5xiZXJzaWNodA==?= of',
    ' the week',
    'Date: Mon, 02 Feb 2026 10:11:12 +0100',
    'Message-ID: <posted@example.org>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b=1"',
    '',
    '--b=1',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=FC=DFe',
    '--b=1',
    'Content-Type: text/csv; name="a.csv"',
    'Content-Disposition: attachment; filename="a.csv"',
    'Content-Transfer-Encoding: base64',
    '',
    'MTsy',
    '--b=1--',
    '',
  ].join('\r\n');
  const post = (body: string) =>
    call(`/users/${user}/mailFolders/inbox/messages`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body,
    });
  const { status, body } = await post(Buffer.from(mime).toString('base64'));
  expect(status).toBe(201);
  expect(
    await one('message', `/users/${user}/messages/${body.id}?$expand=attachments`),
  ).toMatchObject({
    subject: 'Übersicht of the week',
    isDraft: true,
    from: { emailAddress: { name: 'Jürgen', address: 'j@example.org' } },
    toRecipients: [
      { emailAddress: { name: 'Doe, Ada', address: 'ada@example.com' } },
      { emailAddress: { name: 'x@example.net', address: 'x@example.net' } },
    ],
    body: { contentType: 'text', content: 'Grüße' },
    sentDateTime: '2026-02-02T09:11:12Z',
    internetMessageId: '<posted@example.org>',
    attachments: [{ name: 'a.csv', contentBytes: 'MTsy' }],
  });
  expect((await call(`/users/${user}/messages/${body.id}/$value`)).body.toString()).toBe(mime);
  expect(await post('no base64!')).toMatchObject({
    status: 400,
    body: { error: { code: 'ErrorMimeContentInvalidBase64String' } },
  });
});

const key = ({ name, contentBytes }: Record<string, unknown>): unknown[] => [name, contentBytes];

test('GRAPH-7: the MIME of any mailbox can be posted again and says the same', async () => {
  const { call, all, user } = await aMailbox();
  for (const mail of await all('message', `/users/${user}/messages?$top=60&$expand=attachments`)) {
    const { body: mime } = await call(`/users/${user}/messages/${mail.id}/$value`);
    const { body } = await call(`/users/${user}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: mime.toString('base64'),
    });
    const { subject, from, toRecipients, ccRecipients, internetMessageId, sentDateTime } = mail;
    expect(body).toMatchObject({
      subject,
      from,
      toRecipients,
      ccRecipients,
      internetMessageId,
      sentDateTime,
    });
    expect(body.body.contentType).toBe(mail.body.contentType);
    expect(body.body.content.trim()).toBe(
      mail.body.content.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n').trim(),
    );
    const { value } = (await call(`/users/${user}/messages/${body.id}/attachments?$top=50`)).body;
    expect(value.map(key).toSorted(byText)).toEqual(mail.attachments.map(key).toSorted(byText));
    expect((await PostalMime.parse(mime)).subject).toBe(subject);
  }
});

test('GRAPH-7: changes need the current state, and only drafts change their content', async () => {
  const { send, tenant, user, one } = await aMailbox();
  const [row] = tenant.admin.listMessages(user, 'inbox');
  const path = `/messages/${row?.id}`;
  const before = await one('message', `/users/${user}${path}`);
  const changed = await send(
    'PATCH',
    path,
    { isRead: !before.isRead, categories: ['A'] },
    { 'if-match': before['@odata.etag'] },
  );
  expect(changed).toMatchObject({
    status: 200,
    body: { isRead: !before.isRead, categories: ['A'] },
  });
  expect(changed.body.changeKey).not.toBe(before.changeKey);
  const stale = { 'if-match': before['@odata.etag'] };
  expect(await send('PATCH', path, { isRead: true }, stale)).toMatchObject({ status: 412 });
  expect(await send('DELETE', path, undefined, stale)).toMatchObject({ status: 412 });
  expect(await send('PATCH', path, { subject: 'x' })).toMatchObject({ status: 400 });
  const { body: draft } = await send('POST', '/messages', MAIL);
  expect(await send('PATCH', `/messages/${draft.id}`, { subject: 'x' })).toMatchObject({
    status: 200,
    body: { subject: 'x' },
  });
  const attached = await send('POST', `/messages/${draft.id}/attachments`, {
    '@odata.type': '#microsoft.graph.fileAttachment',
    'name': 'a.txt',
    'contentBytes': 'YQ==',
  });
  expect(attached).toMatchObject({ status: 201, body: { name: 'a.txt', size: 1 } });
});

test('GRAPH-7: deleted messages are recoverable until they are deleted for good', async () => {
  const { send, tenant, user, call } = await aMailbox();
  const [row] = tenant.admin.listMessages(user, 'inbox');
  expect(await send('DELETE', `/messages/${row?.id}`)).toMatchObject({ status: 204 });
  expect(await call(`/users/${user}/messages/${row?.id}`)).toMatchObject({ status: 404 });
  const [deleted] = tenant.admin.listMessages(user, 'recoverableitemsdeletions');
  expect(deleted?.stable_id).toBe(row?.stable_id);
  expect(await send('DELETE', `/messages/${deleted?.id}`)).toMatchObject({
    status: 403,
    body: { error: { code: 'ErrorCannotDeleteObject' } },
  });
  const moved = await send('POST', `/messages/${deleted?.id}/move`, { destinationId: 'inbox' });
  expect(moved.status).toBe(201);
  const copied = await send('POST', `/messages/${moved.body.id}/copy`, {
    destinationId: 'archive',
  });
  expect(copied.body).toMatchObject({
    subject: moved.body.subject,
    internetMessageId: moved.body.internetMessageId,
  });
  expect(await send('POST', `/messages/${moved.body.id}/permanentDelete`)).toMatchObject({
    status: 204,
  });
  expect(await call(`/users/${user}/messages/${row?.stable_id}`)).toMatchObject({ status: 404 });
});

test('GRAPH-7: folders are created, renamed, moved and deleted, and names are unique', async () => {
  const { send, tenant, user, page } = await aMailbox();
  const { body: start } = await page('mailFolder', `/users/${user}/mailFolders/delta`, {
    prefer: 'odata.maxpagesize=100',
  });
  const { status, body } = await send('POST', '/mailFolders', { displayName: 'Restored' });
  expect(status).toBe(201);
  expect(await send('POST', '/mailFolders', { displayName: 'restored' })).toMatchObject({
    status: 409,
    body: { error: { code: 'ErrorFolderExists' } },
  });
  const child = await send('POST', `/mailFolders/${body.id}/childFolders`, {
    displayName: 'Inner',
  });
  await send('POST', `/mailFolders/${child.body.id}/messages`, MAIL);
  expect(
    await send('PATCH', `/mailFolders/${child.body.id}`, { displayName: 'Renamed' }),
  ).toMatchObject({ status: 200 });
  expect(
    await send('POST', `/mailFolders/${child.body.id}/move`, { destinationId: 'inbox' }),
  ).toMatchObject({
    status: 201,
    body: {
      parentFolderId: tenant.admin
        .listFolders(user)
        .find(({ well_known }) => well_known === 'inbox')?.id,
    },
  });
  const second = await page('mailFolder', start['@odata.deltaLink']);
  expect(second.body.value).toMatchObject([
    { displayName: 'Restored' },
    { displayName: 'Renamed' },
  ]);
  expect(await send('DELETE', `/mailFolders/${child.body.id}`)).toMatchObject({ status: 204 });
  expect(await send('DELETE', '/mailFolders/inbox')).toMatchObject({ status: 403 });
  const third = await page('mailFolder', second.body['@odata.deltaLink']);
  expect(third.body.value).toMatchObject([
    { 'id': child.body.id, '@removed': { reason: 'deleted' } },
  ]);
});

test('GRAPH-7: an application that may only read writes nothing', async () => {
  const { send, tenant, user } = await aMailbox(['Mail.Read', 'User.Read.All']);
  const before = tenant.admin.listMessages(user);
  const [row] = before;
  for (const [method, path, json] of [
    ['POST', '/messages', MAIL],
    ['POST', '/mailFolders', { displayName: 'x' }],
    ['PATCH', `/messages/${row?.id}`, { isRead: true }],
    ['DELETE', `/messages/${row?.id}`, undefined],
    ['DELETE', '/mailFolders/archive', undefined],
  ] as const)
    expect(await send(method, path, json)).toMatchObject({
      status: 403,
      body: { error: { code: 'ErrorAccessDenied' } },
    });
  expect(tenant.admin.listMessages(user)).toEqual(before);
});

test('GRAPH-7: the id of a message that was removed for good never becomes that of another', async () => {
  const { send } = await aMailbox();
  const ids = new Set<string>();
  for (let n = 0; n < 3; n += 1) {
    const { body } = await send('POST', '/mailFolders/archive/messages', MAIL);
    ids.add(String(body.id));
    expect(await send('POST', `/messages/${body.id}/permanentDelete`)).toMatchObject({
      status: 204,
    });
  }
  expect(ids.size).toBe(3);
});
