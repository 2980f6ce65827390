import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { type Cloud, aCloud, byText } from './fixtures.ts';

const getMailbox = ({ tenant }: Cloud): string =>
  tenant.admin.listUsers().find(({ mailbox }) => mailbox === 'user')?.id ?? '';

test('GRAPH-4: a mailbox has its folders, nested and well-known ones, with their counts', async () => {
  const cloud = await aCloud();
  const user = getMailbox(cloud);
  const top = await cloud.all('mailFolder', `/users/${user}/mailFolders?$top=3`);
  expect(top.map(({ displayName }) => displayName)).toEqual(
    expect.arrayContaining([
      'Inbox',
      'Sent Items',
      'Drafts',
      'Deleted Items',
      'Junk Email',
      'Archive',
    ]),
  );
  const hidden = await cloud.all(
    'mailFolder',
    `/users/${user}/mailFolders?includeHiddenFolders=true`,
  );
  expect(hidden.length).toBe(top.length + 1);
  const everything: { id: string; displayName: string; totalItemCount: number }[] = [];
  const walk = async (folders: typeof top): Promise<void> => {
    for (const folder of folders) {
      everything.push(folder);
      const children = await cloud.all(
        'mailFolder',
        `/users/${user}/mailFolders/${folder.id}/childFolders`,
      );
      expect(children).toHaveLength(folder.childFolderCount);
      await walk(children);
    }
  };
  await walk(top);
  expect(everything).toHaveLength(15);
  for (const { id, totalItemCount } of everything) {
    const mails = await cloud.all(
      'message',
      `/users/${user}/mailFolders/${id}/messages?$top=50&$select=id`,
    );
    expect(mails).toHaveLength(totalItemCount);
  }
  for (const known of ['inbox', 'sentitems', 'drafts', 'deleteditems', 'archive', 'junkemail']) {
    const folder = await cloud.one('mailFolder', `/users/${user}/mailFolders/${known}`);
    expect(everything.map(({ id }) => id)).toContain(folder.id);
  }
  expect(await cloud.call(`/users/${user}/mailFolders/nowhere`)).toMatchObject({
    status: 404,
    body: { error: { code: 'ErrorItemNotFound' } },
  });
});

test('GRAPH-4: messages have the published form and come newest first, or as asked', async () => {
  const cloud = await aCloud();
  const user = getMailbox(cloud);
  const path = `/users/${user}/mailFolders/inbox/messages`;
  expect((await cloud.page('message', path)).body.value).toHaveLength(10);
  const mails = await cloud.all('message', `${path}?$top=7`);
  const times = mails.map(({ receivedDateTime }) => receivedDateTime as string);
  expect(times).toEqual([...times].toSorted(byText).toReversed());
  const oldest = await cloud.all('message', `${path}?$orderby=receivedDateTime asc&$top=1000`);
  expect(oldest.map(({ id }) => id)).toEqual(mails.map(({ id }) => id).toReversed());
  const unread = await cloud.all('message', `${path}?$filter=isRead eq false&$select=isRead`);
  expect(unread).toHaveLength(mails.filter(({ isRead }) => !isRead).length);
  for (const mail of unread)
    expect(Object.keys(mail).toSorted(byText)).toEqual(['@odata.etag', 'id', 'isRead']);
  const one = await cloud.one('message', `/users/${user}/messages/${mails[0].id}`);
  expect(one).toMatchObject({ id: mails[0].id, subject: mails[0].subject });
  expect(one).not.toHaveProperty('internetMessageHeaders');
  const plain = await cloud.one('message', `/users/${user}/messages/${mails[0].id}`, {
    prefer: 'outlook.body-content-type="text"',
  });
  expect(plain.body.contentType).toBe('text');
  expect(plain.body.content).not.toContain('<p>');
});

test('GRAPH-4: a moved message gets another id and keeps its immutable one', async () => {
  const cloud = await aCloud();
  const user = getMailbox(cloud);
  const immutable = { prefer: 'IdType="ImmutableId"' };
  const [row] = cloud.tenant.admin.listMessages(user, 'inbox');
  const before = await cloud.one('message', `/users/${user}/messages/${row?.id}`);
  const stable = await cloud.one('message', `/users/${user}/messages/${row?.id}`, immutable);
  expect(stable.id).not.toBe(before.id);
  cloud.tenant.admin.moveMessage(user, before.id, 'archive');
  expect(await cloud.call(`/users/${user}/messages/${before.id}`)).toMatchObject({ status: 404 });
  const after = await cloud.one('message', `/users/${user}/messages/${stable.id}`);
  expect(after.id).not.toBe(before.id);
  expect(after.changeKey).not.toBe(before.changeKey);
  expect((await cloud.one('message', `/users/${user}/messages/${after.id}`, immutable)).id).toBe(
    stable.id,
  );
});

const lines = (text: string | undefined): string => (text ?? '').replaceAll('\r\n', '\n').trim();

test('GRAPH-5: the MIME of every mail says to another reader what its properties say', async () => {
  const cloud = await aCloud({ size: { minMails: 120, maxMails: 120 } });
  const user = getMailbox(cloud);
  const mails = await cloud.all('message', `/users/${user}/messages?$top=200&$expand=attachments`);
  expect(mails).toHaveLength(120);
  let [inline, files, html] = [0, 0, 0];
  for (const mail of mails) {
    const { status, headers, body } = await cloud.call(`/users/${user}/messages/${mail.id}/$value`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain']);
    const again = await cloud.call(`/users/${user}/messages/${mail.id}/$value`);
    expect(body.equals(again.body)).toBe(true);
    expect(
      body
        .toString('latin1')
        .split('\r\n')
        .every((line: string) => line.length <= 998),
    ).toBe(true);
    const read = await PostalMime.parse(body);
    expect(read.subject).toBe(mail.subject);
    expect(read.from).toMatchObject(mail.from.emailAddress);
    expect(read.to).toMatchObject(
      mail.toRecipients.map(({ emailAddress }: { emailAddress: unknown }) => emailAddress),
    );
    expect(read.cc ?? []).toMatchObject(
      mail.ccRecipients.map(({ emailAddress }: { emailAddress: unknown }) => emailAddress),
    );
    expect(read.messageId).toBe(mail.internetMessageId);
    expect(Date.parse(read.date ?? '')).toBe(Date.parse(mail.sentDateTime));
    if (mail.body.contentType === 'html') {
      html += 1;
      expect(lines(read.html)).toBe(lines(mail.body.content));
    } else expect(lines(read.text)).toBe(lines(mail.body.content));
    const attached = mail.attachments.map((file: Record<string, unknown>) => {
      if (file['isInline'] === true) inline += 1;
      else files += 1;
      return [file['name'], file['contentType'], file['contentBytes'], file['isInline']];
    });
    expect(
      read.attachments
        .map(({ filename, mimeType, content, disposition }) => [
          filename,
          mimeType,
          Buffer.from(content as ArrayBuffer).toString('base64'),
          disposition === 'inline',
        ])
        .toSorted(byText),
    ).toEqual(attached.toSorted(byText));
  }
  expect(Math.min(inline, files, html)).toBeGreaterThan(5);
  expect(html).toBeLessThan(120);
});

test('GRAPH-5: attachments are listed with their bytes, and read one by one', async () => {
  const cloud = await aCloud();
  const user = getMailbox(cloud);
  const mails = await cloud.all(
    'message',
    `/users/${user}/messages?$top=200&$filter=hasAttachments eq true`,
  );
  const path = `/users/${user}/messages/${mails[0].id}/attachments`;
  const [file] = await cloud.all('fileAttachment', path);
  expect(file).toMatchObject({ '@odata.type': '#microsoft.graph.fileAttachment' });
  const bytes = Buffer.from(file.contentBytes, 'base64');
  expect(bytes).toHaveLength(file.size);
  expect(await cloud.one('fileAttachment', `${path}/${file.id}`)).toEqual(file);
  const raw = await cloud.call(`${path}/${file.id}/$value`);
  expect(raw.headers.get('content-type')).toBe(file.contentType);
  expect(raw.body.equals(bytes)).toBe(true);
});

test('GRAPH-4: users without a reachable mailbox have none, removed ones neither', async () => {
  const cloud = await aCloud();
  const codes: Record<string, unknown> = {};
  for (const { id, mailbox } of cloud.tenant.admin.listUsers()) {
    const { status, body } = await cloud.call(`/users/${id}/mailFolders`);
    codes[mailbox] = status === 200 ? 200 : body.error.code;
  }
  expect(codes).toEqual({
    user: 200,
    shared: 200,
    none: 'MailboxNotEnabledForRESTAPI',
    inactive: 'MailboxNotEnabledForRESTAPI',
  });
  const user = getMailbox(cloud);
  cloud.tenant.admin.removeUser(user);
  expect(await cloud.call(`/users/${user}/mailFolders`)).toMatchObject({
    status: 404,
    body: { error: { code: 'ErrorInvalidUser' } },
  });
});
