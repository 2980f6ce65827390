import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { mailSource } from '#server/engine/embedded/sources/mail.ts';
import type { FetchedItem, ItemChange, SourceObject } from '#server/engine/embedded/types.ts';
import { Replica } from './replica.ts';
import { ordinaryPeople, randomTrouble, smallPages, tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);

const getMailbox = (graph: TenantGraph, n = 0): SourceObject => {
  const person = ordinaryPeople(graph)[n];
  if (person === undefined) throw new Error('nobody');
  return { kind: 'mailbox', id: person.id, name: person.name, address: person.mail ?? '' };
};

/** All mails of a mailbox as the tenant's own tables have them: the slow oracle. */
const getMails = ({ tenant }: TenantGraph, { id }: SourceObject) => {
  const visible = new Set(
    tenant.admin
      .listFolders(id)
      .filter((folder) => folder.hidden === 0 && folder.well_known !== 'recoverableitemsdeletions')
      .map((folder) => folder.id),
  );
  return tenant.admin
    .listMessages(id)
    .filter((row) => visible.has(row.folder_id))
    .map((row) => [row.stable_id, row.folder_id, row.received_at, row.read === 1] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));
};
const known = (replica: Replica) =>
  [...replica.items.values()]
    .map((item) => [item.key, item.folder, item.at, item.flags.read] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));

const act = record({
  what: constantFrom('add', 'move', 'delete', 'purge', 'expire', 'read'),
  which: nat(),
  cut: integer({ min: 0, max: 25 }),
});

const getDeletions = ({ tenant }: TenantGraph, id: string) =>
  tenant.admin.listFolders(id).find((folder) => folder.well_known === 'recoverableitemsdeletions')
    ?.id;

function change(graph: TenantGraph, { id }: SourceObject, what: string, which: number): void {
  const { admin } = graph.tenant;
  const rows = admin.listMessages(id);
  const row = rows[which % Math.max(1, rows.length)];
  const folders = ['inbox', 'archive', 'sentitems', 'deleteditems'];
  if (what === 'add') admin.addMessage(id, folders[which % 2]);
  if (what === 'expire') admin.expireTokens();
  if (row === undefined) return;
  if (what === 'move') admin.moveMessage(id, row.id, folders[which % 4] ?? 'inbox');
  const stored = rows.filter(({ folder_id: folder }) => folder !== getDeletions(graph, id));
  const deleted = stored[which % Math.max(1, stored.length)];
  if (what === 'delete' && deleted) admin.deleteMessage(id, deleted.id);
  if (what === 'purge') admin.purgeMessage(id, row.id);
}

test('ENG-5: any cut, repeat or failure of the pages, any change between them and any lost state give the mails that the mailbox has', async () => {
  await assert(
    asyncProperty(array(act, { maxLength: 12 }), nat(), async (acts, seed) => {
      const graph = tenantGraph({ seed: 3, mails: 12, files: 1, over: smallPages(2) });
      const object = getMailbox(graph);
      const source = mailSource(graph.ports);
      const replica = new Replica();
      graph.trouble = randomTrouble(seed, 0.15, () => graph.clock.now());
      for (const { what, which, cut } of acts) {
        if (what === 'read')
          await replica.read(source.changes(object, replica.cursors, graph.call), {
            cut,
            repeats: which % 2 === 0,
          });
        else change(graph, object, what, which);
      }
      await replica.read(source.changes(object, replica.cursors, graph.call));
      // What moves to a folder after that was read comes with the next backup.
      await replica.read(source.changes(object, replica.cursors, graph.call));
      expect(known(replica)).toEqual(getMails(graph, object));
    }),
    { numRuns: 12 * PROOF },
  );
});

async function fetchAll(graph: TenantGraph, object: SourceObject, items: readonly ItemChange[]) {
  const found: FetchedItem[] = [];
  for await (const item of mailSource(graph.ports).fetch(object, items, graph.call))
    found.push(item);
  return found;
}
async function listed(graph: TenantGraph, object: SourceObject): Promise<Replica> {
  const replica = new Replica();
  await replica.read(mailSource(graph.ports).changes(object, replica.cursors, graph.call));
  return replica;
}

test('ENG-24: a mailbox is read with its folders, its mails and their MIME to the byte', async () => {
  const graph = tenantGraph();
  const object = getMailbox(graph);
  const replica = await listed(graph, object);
  const folders = graph.tenant.admin.listFolders(object.id);
  const root = folders.find((folder) => folder.well_known === 'msgfolderroot')?.id;
  expect([...replica.folders.values()].sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual(
    folders
      .filter((folder) => folder.hidden === 0 && folder.id !== root)
      .filter(({ well_known: name }) => name !== 'root' && name !== 'recoverableitemsdeletions')
      .map((folder) => ({
        key: folder.id,
        parent: folder.parent_id === root ? null : folder.parent_id,
        name: folder.name,
        wellKnown: folder.well_known,
      }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  );
  const inbox = folders.find((folder) => folder.well_known === 'inbox');
  const [row] = graph.tenant.admin.listMessages(object.id, 'inbox');
  const item = replica.items.get(row?.stable_id ?? '');
  const props = JSON.parse(row?.props ?? '{}') as {
    subject: string;
    internetMessageId: string;
    from: { name: string; address: string };
    to: { name: string; address: string }[];
  };
  expect(item).toMatchObject({
    kind: 'mail',
    folder: inbox?.id,
    title: props.subject,
    at: row?.received_at,
    flags: { read: row?.read === 1, messageId: props.internetMessageId },
  });
  expect(item?.people).toContain(`${props.from.name} <${props.from.address}>`);
  for (const { address } of props.to) expect(item?.people).toContain(address);
  const items = [...replica.items.values()];
  const fetched = await fetchAll(graph, object, items);
  expect(fetched.map(({ item: { key } }) => key).sort()).toEqual(
    items.map(({ key }) => key).sort(),
  );
  const token = await graph.ports.tokens.get(graph.stop.signal);
  for (const mail of fetched) {
    const parts = mail.ok ? mail.parts : [];
    const direct = await graph.tenant.fetch(
      new Request(
        `https://graph.microsoft.com/v1.0/users/${object.id}/messages/${mail.item.key}/$value`,
        { headers: { authorization: `Bearer ${token.ok ? token.value : ''}` } },
      ),
    );
    const bytes = new Uint8Array(await direct.arrayBuffer());
    expect(parts).toEqual([{ as: 'mime', content: bytes }]);
    expect(mail.item.bytes).toBeGreaterThan(0);
  }
});

test('ENG-11, ENG-24: a backup only reads, and the mails of a mailbox without changes take two requests', async () => {
  const graph = tenantGraph();
  const object = getMailbox(graph);
  const replica = await listed(graph, object);
  await fetchAll(graph, object, [...replica.items.values()].slice(0, 10));
  const graphRequests = graph.requests.filter((name) => !name.includes('/oauth2/'));
  const writing = graphRequests.filter((name) => !name.startsWith('GET '));
  // Exports only read: the ids of mails are too many for an address.
  expect(writing.filter((name) => !name.endsWith('/exportItems'))).toEqual([]);
  expect(graphRequests.length).toBeGreaterThan(20);
  const before = graph.waits.length;
  let sent = 0;
  graph.trouble = () => {
    sent += 1;
    return null;
  };
  await replica.read(mailSource(graph.ports).changes(object, replica.cursors, graph.call));
  expect([sent, graph.waits.length]).toEqual([2, before]);
});

test.each([
  { size: 'small', bytes: 20_000, isAhead: true },
  { size: 'large', bytes: 1 << 20, isAhead: false },
])('ENG-24: the next $size mails are exported ahead: $isAhead', async ({ bytes, isAhead }) => {
  const roles = ['User.Read.All', 'Mail.Read', 'MailboxItem.Export.All'];
  const graph = tenantGraph({ roles, mails: 40 });
  const object = getMailbox(graph);
  const { items } = await listed(graph, object);
  const mails = [...items.values()].slice(0, 40).map((item) => ({ ...item, bytes }));
  const begun = graph.requests.length;
  const fetched = await fetchAll(graph, object, mails);
  expect(fetched.map(({ item: { key } }) => key).sort()).toEqual(
    mails.map(({ key }) => key).sort(),
  );
  const names = graph.requests.slice(begun).map((name) => name.split('/').at(-1));
  const exports = names.flatMap((name, n) => (name === 'exportItems' ? [n] : []));
  const reads = names.flatMap((name, n) => (name === '$value' ? [n] : []));
  expect([exports.length, reads.length]).toEqual([2, 40]);
  expect((exports[1] ?? 0) < (reads[19] ?? 0)).toBe(isAhead);
});

test('ENG-6: a mail that cannot be read fails alone, and so does one that is gone', async () => {
  const graph = tenantGraph();
  const object = getMailbox(graph);
  const items = [...(await listed(graph, object)).items.values()].slice(0, 12);
  const [bad, gone] = items;
  graph.trouble = (request) =>
    request.url.includes(encodeURIComponent(bad?.key ?? '?'))
      ? Response.json({ error: { code: 'ErrorItemCorrupt' } }, { status: 500 })
      : null;
  const row = graph.tenant.admin
    .listMessages(object.id)
    .find(({ stable_id: id }) => id === gone?.key);
  graph.tenant.admin.purgeMessage(object.id, row?.id ?? '');
  const fetched = await fetchAll(graph, object, items);
  expect(fetched.length).toBe(12);
  for (const mail of fetched) {
    const kind = mail.ok ? 'read' : mail.error.kind;
    const isBad = mail.item.key === bad?.key;
    expect(kind).toBe(isBad ? 'damaged' : mail.item.key === gone?.key ? 'missing' : 'read');
  }
});

test('ENG-6: a mailbox that does not exist, is inactive or is forbidden fails with what to do', async () => {
  const graph = tenantGraph();
  const users = graph.tenant.admin.listUsers();
  for (const mailbox of ['none', 'inactive'] as const) {
    const id = users.find((person) => person.mailbox === mailbox)?.id ?? '';
    const replica = new Replica();
    const object: SourceObject = { kind: 'mailbox', id, name: '', address: '' };
    const read = replica.read(mailSource(graph.ports).changes(object, new Map(), graph.call));
    await expect(read).rejects.toThrow('missing: This user has no mailbox in Exchange Online.');
  }
  const closed = tenantGraph({ roles: ['User.Read.All'] });
  const read = new Replica().read(
    mailSource(closed.ports).changes(getMailbox(closed), new Map(), closed.call),
  );
  await expect(read).rejects.toThrow('forbidden: Microsoft 365 denied access.');
});

test('ENG-24: a change that names only what changed is completed', async () => {
  const graph = tenantGraph({
    over: (fetch) => async (request) => {
      const response = await fetch(request);
      if (!request.url.includes('/messages/delta')) return response;
      const body = (await response.json()) as { value: Record<string, unknown>[] };
      const value = body.value.map((row, n) =>
        n % 2 === 0 && !('@removed' in row) ? { id: row['id'], isRead: row['isRead'] } : row,
      );
      return Response.json({ ...body, value });
    },
  });
  const object = getMailbox(graph);
  const partial = await listed(graph, object);
  const whole = await listed(tenantGraph(), object);
  expect(partial.items.size).toBeGreaterThan(20);
  for (const { key, title, people } of partial.items.values())
    expect(whole.items.get(key)).toMatchObject({ title, people });
});

test('ENG-24: a session that is stopped ends at once', async () => {
  const graph = tenantGraph();
  const object = getMailbox(graph);
  const items = [...(await listed(graph, object)).items.values()];
  graph.stop.abort();
  const fetched = await fetchAll(graph, object, items);
  expect(fetched.every((mail) => !mail.ok && mail.error.kind === 'ended')).toBe(true);
  const pages = mailSource(graph.ports).changes(object, new Map(), graph.call);
  await expect(new Replica().read(pages)).rejects.toThrow('ended: The work was stopped.');
});
