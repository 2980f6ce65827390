import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { type Cloud, aCloud, byText } from './fixtures.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const IMMUTABLE = { prefer: 'IdType="ImmutableId", odata.maxpagesize=3' };

type Entity = Record<string, unknown> & { readonly id: string };

/** A client that keeps a copy of a collection by its delta query, a page at a time. */
function aCopy(cloud: Cloud, type: string, start: string, headers: Record<string, string>) {
  const copy = new Map<string, Entity>();
  let next = start;
  return {
    copy,
    /** Reads one page; returns whether the round is over. */
    async step(): Promise<boolean> {
      const { body } = await cloud.page(type, next, headers);
      for (const entity of body.value as Entity[])
        if (entity['@removed'] || entity['deleted']) copy.delete(entity.id);
        else copy.set(entity.id, entity);
      next = body['@odata.nextLink'] ?? body['@odata.deltaLink'];
      return body['@odata.deltaLink'] !== undefined;
    },
  };
}

/** What people do to mails while a client reads pages, and a page read in between. */
const MAIL_STEPS = array(
  record({
    what: constantFrom('read page', 'add', 'delete', 'move away', 'move back', 'purge'),
    which: nat(1000),
  }),
  { maxLength: 25 },
);

test('GRAPH-3: mails by delta, however changes and pages interleave, equal a full listing', async () => {
  const cloud = await aCloud({ size: { minMails: 15, maxMails: 20 } });
  const { admin } = cloud.tenant;
  const user = admin.listUsers().find(({ mailbox }) => mailbox === 'user')?.id ?? '';
  await assert(
    asyncProperty(MAIL_STEPS, async (steps) => {
      const path = `/users/${user}/mailFolders/inbox/messages`;
      const client = aCopy(
        cloud,
        'message',
        `${path}/delta?$select=subject,parentFolderId`,
        IMMUTABLE,
      );
      for (const { what, which } of steps) {
        const pick = (folder: string) => {
          const rows = admin.listMessages(user, folder);
          return rows[which % Math.max(1, rows.length)]?.id;
        };
        const inbox = pick('inbox');
        const archived = pick('archive');
        if (what === 'read page') await client.step();
        if (what === 'add') admin.addMessage(user);
        if (what === 'delete' && inbox !== undefined) admin.deleteMessage(user, inbox);
        if (what === 'purge' && inbox !== undefined) admin.purgeMessage(user, inbox);
        if (what === 'move away' && inbox !== undefined) admin.moveMessage(user, inbox, 'archive');
        if (what === 'move back' && archived !== undefined)
          admin.moveMessage(user, archived, 'inbox');
      }
      while (!(await client.step()));
      while (!(await client.step()));
      const whole = await cloud.all('message', `${path}?$top=200`, IMMUTABLE);
      expect([...client.copy.keys()].toSorted(byText)).toEqual(
        whole.map(({ id }) => id).toSorted(byText),
      );
      for (const mail of whole)
        expect(client.copy.get(mail.id)).toMatchObject({
          'subject': mail.subject,
          '@odata.etag': mail['@odata.etag'],
        });
    }),
    { numRuns: 20 * PROOF },
  );
});

const FILE_STEPS = array(
  record({ what: constantFrom('read page', 'change', 'delete'), which: nat(1000) }),
  { maxLength: 15 },
);

test('GRAPH-3: files by delta, however changes and pages interleave, equal a full walk', async () => {
  const cloud = await aCloud({ size: { minFiles: 40, maxFiles: 40, maxFileBytes: 2000 } });
  const { admin } = cloud.tenant;
  const user = admin.listUsers().find(({ hasDrive }) => hasDrive)?.id ?? '';
  const { id: drive } = await cloud.one('drive', `/users/${user}/drive`);
  await assert(
    asyncProperty(FILE_STEPS, async (steps) => {
      const client = aCopy(cloud, 'driveItem', `/drives/${drive}/root/delta?$top=4`, {});
      for (const { what, which } of steps) {
        const files = admin.listFiles(user);
        const file = files[which % Math.max(1, files.length)]?.id;
        if (what === 'read page') await client.step();
        if (what === 'change' && file !== undefined) admin.changeFile(user, file);
        if (what === 'delete' && file !== undefined && files.length > 10)
          admin.deleteFile(user, file);
      }
      while (!(await client.step()));
      while (!(await client.step()));
      const whole: Entity[] = [await cloud.one('driveItem', `/drives/${drive}/root`)];
      for (let at = 0; at < whole.length; at += 1)
        whole.push(
          ...(await cloud.all('driveItem', `/drives/${drive}/items/${whole[at]?.id}/children`)),
        );
      expect([...client.copy.keys()].toSorted(byText)).toEqual(
        whole.map(({ id }) => id).toSorted(byText),
      );
      for (const item of whole)
        expect(client.copy.get(item.id)).toMatchObject({ name: item['name'], eTag: item['eTag'] });
    }),
    { numRuns: 10 * PROOF },
  );
});

test('GRAPH-3: changed files come with the folders above them, without path and cTag', async () => {
  const cloud = await aCloud();
  const { admin } = cloud.tenant;
  const user = admin.listUsers().find(({ hasDrive }) => hasDrive)?.id ?? '';
  const { id: drive } = await cloud.one('drive', `/users/${user}/drive`);
  const first = await cloud.page('driveItem', `/drives/${drive}/root/delta`);
  const known = new Set<string>();
  for (const item of first.body.value) {
    if (!item.root) expect(known).toContain(item.parentReference.id);
    known.add(item.id);
    expect(item).not.toHaveProperty('cTag');
    expect(item.parentReference).not.toHaveProperty('path');
  }
  const link: string = first.body['@odata.deltaLink'];
  const nested = admin
    .listFiles(user)
    .find(({ parent_id }) => parent_id !== first.body.value[0].id);
  admin.changeFile(user, nested?.id ?? '');
  const { body } = await cloud.page('driveItem', link);
  expect(body.value.at(-1).id).toBe(nested?.id);
  expect(body.value.length).toBeGreaterThan(2);
  expect(body.value[0]).toHaveProperty('root');
  const alone = await cloud.page('driveItem', link, { deltaexcludeparent: 'true' });
  expect(alone.body.value.map(({ id }: Entity) => id)).toEqual([nested?.id]);
  admin.deleteFile(user, nested?.id ?? '');
  const deleted = await cloud.page('driveItem', body['@odata.deltaLink'], {
    deltaexcludeparent: '1',
  });
  expect(deleted.body.value).toMatchObject([{ id: nested?.id, deleted: {} }]);
  expect(deleted.body.value[0]).not.toHaveProperty('name');
  const inPath = link.replace(/delta\?token=(.*)$/, "delta(token='$1')");
  expect((await cloud.page('driveItem', inPath)).status).toBe(200);
  const latest = await cloud.page('driveItem', `/drives/${drive}/root/delta?token=latest`);
  expect(latest.body.value).toEqual([]);
});

test('GRAPH-3: expired tokens are answered with 410, and a drive says where to begin again', async () => {
  const cloud = await aCloud();
  const { admin } = cloud.tenant;
  const user = admin.listUsers().find(({ hasDrive }) => hasDrive)?.id ?? '';
  const { id: drive } = await cloud.one('drive', `/users/${user}/drive`);
  const files = await cloud.page('driveItem', `/drives/${drive}/root/delta`);
  const mails = await cloud.page('message', `/users/${user}/mailFolders/inbox/messages/delta`);
  const folders = await cloud.page('mailFolder', `/users/${user}/mailFolders/delta`);
  const getLink = ({ body }: typeof files): string =>
    body['@odata.deltaLink'] ?? body['@odata.nextLink'];
  admin.expireTokens();
  const gone = await cloud.call(getLink(files));
  expect(gone).toMatchObject({
    status: 410,
    body: {
      error: { code: 'resyncRequired', innerError: { code: 'resyncChangesApplyDifferences' } },
    },
  });
  const again = await cloud.page('driveItem', gone.headers.get('location') ?? '');
  expect(again.body.value.length).toBe(files.body.value.length);
  for (const answer of [mails, folders])
    expect(await cloud.call(getLink(answer))).toMatchObject({
      status: 410,
      body: { error: { code: 'SyncStateNotFound' } },
    });
  // A token is only valid for the collection that it was issued for.
  const fresh = await cloud.page('message', `/users/${user}/mailFolders/inbox/messages/delta`);
  expect(await cloud.call(getLink(fresh).replace('inbox', 'archive'))).toMatchObject({
    status: 410,
  });
});

test('GRAPH-3: delta of mails honors $select, receivedDateTime, changeType and the page size', async () => {
  const cloud = await aCloud();
  const { admin } = cloud.tenant;
  const user = admin.listUsers().find(({ mailbox }) => mailbox === 'user')?.id ?? '';
  const path = `/users/${user}/mailFolders/inbox/messages`;
  const round = async (start: string) => {
    const seen: Entity[] = [];
    for (let next = start; ;) {
      const { body } = await cloud.page('message', next, { prefer: 'odata.maxpagesize=4' });
      expect(body.value.length).toBeLessThanOrEqual(4);
      seen.push(...body.value);
      if (body['@odata.deltaLink']) return { seen, link: body['@odata.deltaLink'] as string };
      next = body['@odata.nextLink'];
    }
  };
  const whole = await cloud.all('message', `${path}?$top=100`);
  const middle: string = whole[Math.floor(whole.length / 2)].receivedDateTime;
  const recent = await round(`${path}/delta?$filter=receivedDateTime ge ${middle}&$select=subject`);
  expect(recent.seen.map(({ id }) => id).toSorted(byText)).toEqual(
    whole
      .filter(({ receivedDateTime }) => receivedDateTime >= middle)
      .map(({ id }) => id)
      .toSorted(byText),
  );
  expect(Object.keys(recent.seen[0] ?? {}).toSorted(byText)).toEqual([
    '@odata.etag',
    '@odata.type',
    'id',
    'subject',
  ]);
  const links = new Map<string, string>();
  for (const type of ['created', 'updated', 'deleted'])
    links.set(type, (await round(`${path}/delta?changeType=${type}`)).link);
  const added = admin.addMessage(user);
  admin.deleteMessage(user, whole[0].id);
  const seen: Record<string, unknown> = {};
  for (const [type, link] of links) seen[type] = (await round(link)).seen.map(({ id }) => id);
  expect(seen).toEqual({ created: [added.id], updated: [], deleted: [whole[0].id] });
});
