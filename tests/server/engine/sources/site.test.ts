import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { siteSource } from '#server/engine/embedded/sources/site.ts';
import type { FetchedItem, SourceObject } from '#server/engine/embedded/types.ts';
import { Replica } from './replica.ts';
import { changeSite, getSite, listSiteCopy, SITE_CHANGES } from './sites.ts';
import { randomTrouble, smallPages, tenantGraph } from './tenant.ts';
import type { TenantGraph } from './tenant.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);

/** What a replica knows, in the form of the oracle. */
function getKnown(replica: Replica) {
  const getPath = (key: string | null): string => {
    const folder = replica.folders.get(key ?? '');
    return folder ? `${getPath(folder.parent)}/${folder.name}` : '';
  };
  return [...replica.items.values()]
    .map(({ folder, title, kind }) => `${kind} ${getPath(folder)}/${title}`)
    .sort();
}

const act = record({
  what: constantFrom(...SITE_CHANGES, 'expire', 'read', 'read'),
  which: nat(),
  cut: integer({ min: 0, max: 9 }),
});

test('ENG-5, ENG-60: any cut, repeat or failure of the pages, any change between them and any 410 give what the site has', async () => {
  await assert(
    asyncProperty(array(act, { maxLength: 14 }), nat(), async (acts, seed) => {
      const graph = tenantGraph({ seed: 3, mails: 1, files: 8, over: smallPages(4) });
      const object = getSite(graph);
      const source = siteSource(graph.ports);
      const replica = new Replica();
      graph.trouble = randomTrouble(seed, 0.1, () => graph.clock.now());
      for (const { what, which, cut } of acts)
        if (what === 'expire') graph.tenant.admin.expireTokens();
        else if (what === 'read')
          await replica.read(source.changes(object, replica.cursors, graph.call), {
            cut,
            repeats: which % 2 === 0,
          });
        else changeSite(graph, object.id, what, which);
      await replica.read(source.changes(object, replica.cursors, graph.call));
      expect(getKnown(replica)).toEqual(listSiteCopy(graph, object.id));
    }),
    { numRuns: 10 * PROOF },
  );
});

async function readParts(fetched: FetchedItem): Promise<Map<string, Buffer> | string> {
  if (!fetched.ok) return fetched.error.kind;
  const parts = new Map<string, Buffer>();
  for (const { as, content } of fetched.parts) {
    const pieces: Uint8Array[] = [];
    if (content instanceof Uint8Array) pieces.push(content);
    else for await (const piece of content) pieces.push(piece);
    parts.set(as, Buffer.concat(pieces));
  }
  return parts;
}

async function backUp(graph: TenantGraph, object: SourceObject) {
  const source = siteSource(graph.ports);
  const found = new Map<string, Map<string, Buffer> | string>();
  for await (const page of source.changes(object, new Map(), graph.call)) {
    if (!page.ok) throw new Error(page.error.message);
    for await (const fetched of source.fetch(object, page.value.items, graph.call))
      found.set(fetched.item.key, await readParts(fetched));
  }
  return found;
}

test('ENG-60, ENG-11: files and rows are read whole, rows with the columns that people fill in, and nothing is written', async () => {
  const graph = tenantGraph({ files: 8 });
  const object = getSite(graph);
  const { admin } = graph.tenant;
  const found = await backUp(graph, object);
  for (const drive of admin.listLibraries(object.id))
    for (const file of admin.listLibraryFiles(drive.id)) {
      const parts = found.get(`${drive.id}:${file.id}`);
      expect(parts instanceof Map && parts.get('raw')?.length).toBe(file.size);
    }
  for (const list of admin.listLists(object.id))
    for (const row of admin.listRows(object.id, list.id)) {
      const parts = found.get(`${list.id}:${row.n}`);
      const stored = JSON.parse(String(parts instanceof Map ? parts.get('json') : null));
      expect(stored.fields).toMatchObject(JSON.parse(row.fields));
      const names = stored.columns.map(({ name }: { name: string }) => name);
      expect(names).toEqual(expect.arrayContaining(Object.keys(JSON.parse(row.fields))));
      expect(names).not.toContain('Modified');
    }
  const sent = graph.requests.filter((name) => !name.includes('/oauth2/'));
  expect(sent.filter((name) => !name.startsWith('GET '))).toEqual([]);
  // The values came with the changes: no row was asked for alone.
  expect(sent.filter((name) => /\/items\/\d+$/.test(name))).toEqual([]);
});

test('ENG-6, ENG-60: a row that is gone fails alone, and one that was listed before is read as it is now', async () => {
  const graph = tenantGraph({ files: 2 });
  const object = getSite(graph);
  const { admin } = graph.tenant;
  const replica = new Replica();
  const source = siteSource(graph.ports);
  await replica.read(source.changes(object, replica.cursors, graph.call));
  const list = admin.listLists(object.id)[0]?.id ?? '';
  const [gone, changed] = admin.listRows(object.id, list);
  admin.deleteRow(object.id, list, gone?.n ?? 0);
  admin.changeRow(object.id, list, changed?.n ?? 0, { Title: 'New title' });
  // Copies: what was read with the changes is no longer at hand.
  const items = [...replica.items.values()]
    .filter(({ folder }) => folder === list)
    .map((item) => ({ ...item }));
  const states = new Map<string, string>();
  for await (const fetched of siteSource(graph.ports).fetch(object, items, graph.call))
    states.set(fetched.item.key, fetched.ok ? fetched.item.title : fetched.error.kind);
  expect(states.size).toBe(items.length);
  expect(states.get(`${list}:${gone?.n}`)).toBe('missing');
  expect(states.get(`${list}:${changed?.n}`)).toBe('New title');
});

test('ENG-6: a library that may not be read does not keep the lists from being read', async () => {
  const graph = tenantGraph({ files: 2 });
  const object = getSite(graph);
  const drive = graph.tenant.admin.listLibraries(object.id)[0]?.id ?? '';
  graph.trouble = (request) =>
    decodeURIComponent(request.url).includes(`/drives/${drive}/root`)
      ? Response.json(
          { error: { code: 'accessDenied', message: 'Access denied' } },
          { status: 403 },
        )
      : null;
  const replica = new Replica();
  const changes = siteSource(graph.ports).changes(object, replica.cursors, graph.call);
  await expect(replica.read(changes)).rejects.toThrow('forbidden');
  const kinds = new Set([...replica.items.values()].map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['file', 'row']));
  expect([...replica.items.keys()].filter((key) => key.startsWith(drive))).toEqual([]);
});
