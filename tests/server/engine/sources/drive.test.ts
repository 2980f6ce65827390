import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { ContentError } from '#server/engine/shared/content-error.ts';
import { driveSource } from '#server/engine/embedded/sources/drive.ts';
import type { FetchedItem, ItemChange, SourceObject } from '#server/engine/embedded/types.ts';
import { Replica } from './replica.ts';
import { ordinaryPeople, randomTrouble, smallPages, tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);

const getDrive = (graph: TenantGraph, n = 0): SourceObject => {
  const person = ordinaryPeople(graph)[n];
  if (person === undefined) throw new Error('nobody');
  return { kind: 'drive', id: person.id, name: person.name, address: person.upn };
};

/** All files as the tenant's own tables have them: the slow oracle. */
const getFiles = ({ tenant }: TenantGraph, { id }: SourceObject) =>
  tenant.admin
    .listFiles(id)
    .map((row) => [row.id, row.name, row.size, row.file_changed_at] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));
const known = (replica: Replica) =>
  [...replica.items.values()]
    .map((item) => [item.key, item.title, item.bytes, item.changedAt] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));

const act = record({
  what: constantFrom('change', 'delete', 'expire', 'read'),
  which: nat(),
  cut: integer({ min: 0, max: 6 }),
});

test('ENG-5: any cut, repeat or failure of the pages, any change between them and any 410 give the files that the drive has', async () => {
  await assert(
    asyncProperty(array(act, { maxLength: 12 }), nat(), async (acts, seed) => {
      const graph = tenantGraph({ seed: 3, mails: 1, files: 25, over: smallPages(4) });
      const object = getDrive(graph);
      const { admin } = graph.tenant;
      const source = driveSource(graph.ports);
      const replica = new Replica();
      graph.trouble = randomTrouble(seed, 0.15, () => graph.clock.now());
      for (const { what, which, cut } of acts) {
        const files = admin.listFiles(object.id);
        const file = files[which % Math.max(1, files.length)];
        if (what === 'expire') admin.expireTokens();
        if (what === 'change' && file) admin.changeFile(object.id, file.id);
        if (what === 'delete' && file) admin.deleteFile(object.id, file.id);
        if (what === 'read')
          await replica.read(source.changes(object, replica.cursors, graph.call), {
            cut,
            repeats: which % 2 === 0,
          });
      }
      await replica.read(source.changes(object, replica.cursors, graph.call));
      expect(known(replica)).toEqual(getFiles(graph, object));
      for (const item of replica.items.values())
        expect(item.folder === '' || replica.folders.has(item.folder)).toBe(true);
    }),
    { numRuns: 15 * PROOF },
  );
});

interface Read {
  readonly item: ItemChange;
  readonly bytes: Buffer | null;
  readonly error: string | null;
  readonly json: unknown;
}

async function readFetched(fetched: FetchedItem): Promise<Read> {
  const { item } = fetched;
  if (!fetched.ok) return { item, bytes: null, error: fetched.error.kind, json: null };
  let bytes: Buffer | null = null;
  let json: unknown = null;
  for (const part of fetched.parts) {
    const pieces: Uint8Array[] = [];
    try {
      if (part.content instanceof Uint8Array) pieces.push(part.content);
      else for await (const piece of part.content) pieces.push(piece);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      return { item, bytes: null, error: error.error.kind, json: null };
    }
    if (part.as === 'raw') bytes = Buffer.concat(pieces);
    else json = JSON.parse(Buffer.concat(pieces).toString());
  }
  return { item, bytes, error: null, json };
}

async function fetchAll(graph: TenantGraph, object: SourceObject, items: readonly ItemChange[]) {
  const found: Read[] = [];
  for await (const item of driveSource(graph.ports).fetch(object, items, graph.call))
    found.push(await readFetched(item));
  return found;
}
async function listed(graph: TenantGraph, object: SourceObject): Promise<Replica> {
  const replica = new Replica();
  await replica.read(driveSource(graph.ports).changes(object, replica.cursors, graph.call));
  return replica;
}

/** Downloads a file as a browser does. */
async function directly(graph: TenantGraph, { id }: SourceObject, key: string): Promise<Buffer> {
  const token = await graph.ports.tokens.get(graph.stop.signal);
  const answer = await graph.tenant.fetch(
    new Request(`https://graph.microsoft.com/v1.0/users/${id}/drive/items/${key}/content`, {
      headers: { authorization: `Bearer ${token.ok ? token.value : ''}` },
    }),
  );
  const file = await graph.tenant.fetch(new Request(answer.headers.get('location') ?? ''));
  return Buffer.from(await file.arrayBuffer());
}

test('ENG-25, ENG-11: a drive is read with its folders, files to the byte, dates and permissions, and nothing is written', async () => {
  const graph = tenantGraph({ files: 25 });
  const object = getDrive(graph);
  const replica = await listed(graph, object);
  expect(known(replica)).toEqual(getFiles(graph, object));
  const items = [...replica.items.values()];
  expect(
    items.every(({ kind, people, flags }) => kind === 'file' && people !== '' && flags.hash),
  ).toBe(true);
  graph.trouble = randomTrouble(5, 0.2, () => graph.clock.now());
  const read = await fetchAll(graph, object, items);
  expect(read.map(({ error }) => error).filter((error) => error !== null)).toEqual([]);
  expect(read.length).toBe(items.length);
  for (const { item, bytes } of read)
    expect(bytes?.equals(await directly(graph, object, item.key))).toBe(true);
  const shared = read.filter(({ json }) => json !== null);
  expect(shared.length).toBeGreaterThan(0);
  for (const { json } of shared)
    expect(json).toEqual({
      permissions: expect.arrayContaining([expect.objectContaining({ id: expect.any(String) })]),
    });
  const sent = graph.requests.filter((name) => !name.includes('/oauth2/'));
  expect(sent.filter((name) => !name.startsWith('GET '))).toEqual([]);
});

test('ENG-6, ENG-25: a file that is gone, locked away or broken fails alone; one that changed is read as it is now', async () => {
  const graph = tenantGraph({ files: 25 });
  const object = getDrive(graph);
  const items = [...(await listed(graph, object)).items.values()];
  const [gone, bad, changed] = items;
  graph.tenant.admin.deleteFile(object.id, gone?.key ?? '');
  graph.tenant.admin.changeFile(object.id, changed?.key ?? '', new TextEncoder().encode('new'));
  graph.trouble = (request) =>
    request.method === 'GET' &&
    request.url.includes('/_layouts/') &&
    bad !== undefined &&
    request.url.includes(getTicket(bad.key))
      ? Response.json({ error: { code: 'malwareDetected' } }, { status: 403 })
      : null;
  const read = await fetchAll(graph, object, items);
  expect(read.length).toBe(items.length);
  for (const { item, bytes, error } of read)
    if (item.key === gone?.key) expect(error).toBe('missing');
    else if (item.key === bad?.key) expect(error).toBe('forbidden');
    else if (item.key === changed?.key) expect([item.bytes, bytes?.toString()]).toEqual([3, 'new']);
    else expect(error).toBeNull();
});
/** The stand-in's links name the item in a ticket. */
const getTicket = (key: string): string =>
  Buffer.from(`{"item":"${key}"`).toString('base64url').slice(0, 40);

test('ENG-25: a large file comes in pieces, and is an error that names its cause if it breaks off', async () => {
  const graph = tenantGraph({ files: 4 });
  const object = getDrive(graph);
  const [file] = graph.tenant.admin.listFiles(object.id);
  const bytes = Buffer.alloc(6_000_000, 'Daybook');
  graph.tenant.admin.changeFile(object.id, file?.id ?? '', bytes);
  const items = [...(await listed(graph, object)).items.values()].filter(
    ({ key }) => key === file?.id,
  );
  const [whole] = await fetchAll(graph, object, items);
  expect(whole?.bytes?.equals(bytes)).toBe(true);
  graph.trouble = (request) =>
    request.url.includes('/_layouts/') ? Response.json({}, { status: 403 }) : null;
  expect((await fetchAll(graph, object, items)).map(({ error }) => error)).toEqual(['forbidden']);
});

test('ENG-84, ENG-25: notebooks and Office files that are listed with another size or hash are read whole, or are an error', async () => {
  /** What the properties of a file say instead: OneDrive/onedrive-api-docs, issues 492 and 927. */
  const listedAs = new Map<
    string,
    { readonly size: number; readonly hash: 'right' | 'wrong' | null }
  >();
  /** Files that change while they are read. */
  const changing = new Set<string>();
  const graph = tenantGraph({
    files: 8,
    over: (fetch) => async (request) => {
      const { pathname } = new URL(request.url);
      for (const id of changing)
        if (pathname.endsWith(`/items/${id}`)) graph.tenant.admin.changeFile(object.id, id);
      const response = await fetch(request);
      if (!pathname.endsWith('/$batch')) return response;
      const body = (await response.json()) as {
        responses: { body: { id: string; size: number; file?: { hashes?: unknown } } }[];
      };
      for (const { body: file } of body.responses) {
        const listed = listedAs.get(file.id);
        if (listed === undefined || file.file === undefined) continue;
        file.size = listed.size;
        if (listed.hash === null) delete file.file.hashes;
        if (listed.hash === 'wrong') file.file.hashes = { sha1Hash: '00'.repeat(20) };
      }
      return Response.json(body);
    },
  });
  const object = getDrive(graph);
  const items = [...(await listed(graph, object)).items.values()];
  const [notebook, office, empty, wrong, changed] = items.map(({ key }) => key);
  const bytes = Buffer.alloc(6_000_000, 'Daybook');
  graph.tenant.admin.changeFile(object.id, notebook ?? '', bytes);
  listedAs.set(notebook ?? '', { size: 170, hash: null });
  listedAs.set(office ?? '', { size: 5_000_000, hash: 'right' });
  listedAs.set(empty ?? '', { size: 0, hash: null });
  listedAs.set(wrong ?? '', { size: 9, hash: 'wrong' });
  listedAs.set(changed ?? '', { size: 9, hash: null });
  changing.add(changed ?? '');
  const plain = tenantGraph({ files: 8 });
  const before = await fetchAll(plain, getDrive(plain), items);
  const read = await fetchAll(graph, object, items);
  expect(read.length).toBe(items.length);
  for (const { item, bytes: content, error } of read) {
    const n = items.findIndex(({ key }) => key === item.key);
    expect([n, error]).toEqual([n, item.key === wrong || item.key === changed ? 'conflict' : null]);
    if (error !== null) continue;
    const stored = before.find((one) => one.item.key === item.key)?.bytes;
    const expected = item.key === notebook ? bytes : stored;
    expect([n, expected?.equals(content ?? Buffer.alloc(0))]).toEqual([n, true]);
  }
});

test('ENG-6: a person without a drive, and a library without permission, fail with what to do', async () => {
  const graph = tenantGraph();
  const none = graph.tenant.admin.listUsers().find(({ hasDrive }) => !hasDrive);
  const object: SourceObject = { kind: 'drive', id: none?.id ?? '', name: '', address: '' };
  const changes = driveSource(graph.ports).changes(object, new Map(), graph.call);
  await expect(new Replica().read(changes)).rejects.toThrow('missing: This user has no OneDrive.');
  const fetched = await fetchAll(graph, object, [
    ...(await listed(graph, getDrive(graph))).items.values(),
  ]);
  expect(new Set(fetched.map(({ error }) => error))).toEqual(new Set(['missing']));
  const closed = tenantGraph({ roles: ['User.Read.All'] });
  const refused = driveSource(closed.ports).changes(getDrive(closed), new Map(), closed.call);
  await expect(new Replica().read(refused)).rejects.toThrow(
    'forbidden: Microsoft 365 denied access.',
  );
});
