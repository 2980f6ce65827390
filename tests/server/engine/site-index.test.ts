import { randomUUID } from 'node:crypto';
import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import {
  countObject,
  ensureObject,
  loadObject,
  storeObjectPoint,
} from '#server/engine/embedded/index/objects.ts';
import { readFolders, readItems } from '#server/engine/embedded/index/read.ts';
import { type ContentWriter, readObject } from '#server/engine/embedded/sessions/read-object.ts';
import { siteSource } from '#server/engine/embedded/sources/site.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { TenantId } from '#contract/ids.ts';
import { eachDatabase } from '../db/databases.ts';
import { aTenant } from '../db/drafts.ts';
import { changeSite, getSite, listSiteCopy, SITE_CHANGES } from './sources/sites.ts';
import { smallPages, tenantGraph } from './sources/tenant.ts';
import type { TenantGraph } from './sources/tenant.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);

/** Reads what is in it and stores nothing. */
const content: ContentWriter = {
  async save({ as, content: stream }) {
    let bytes = 0;
    if (stream instanceof Uint8Array) bytes = stream.length;
    else for await (const piece of stream) bytes += piece.length;
    return { ok: true, value: { as, bytes, crc: 0, blobs: [`${bytes}`] } };
  },
  flush: () => Promise.resolve({ ok: true, value: undefined }),
};

async function backUp(graph: TenantGraph, store: Store, tenant: TenantId, n: number) {
  const object = await store.tenant(tenant, (tx) => loadObject(tx, n));
  const read = await readObject(
    {
      store,
      tenant,
      source: siteSource(graph.ports),
      content,
      call: graph.call,
      checkLease: () => Promise.resolve(),
      onRead: () => undefined,
      retainedSince: null,
      versionLimit: 0,
      isConfirmed: true,
    },
    object,
  );
  if (!read.ok) throw new Error(read.error.message);
  await store.tenant(tenant, async (tx) => {
    const totals = await countObject(tx, object);
    await storeObjectPoint(tx, object, totals, { point: randomUUID(), at: object.point, tree: '' });
  });
}

/** What the index has of a point, in the form of the oracle. */
async function loadCopy(store: Store, tenant: TenantId, n: number, point: number) {
  const [folders, items] = await store.tenant(tenant, async (tx) => [
    await readFolders(tx, n, point),
    await readItems(tx, n, point, 0, 10_000),
  ]);
  const byKey = new Map(folders.map((folder) => [folder.key, folder]));
  const getPath = (key: string | null): string => {
    const folder = byKey.get(key ?? '');
    return folder ? `${getPath(folder.parent)}/${folder.name}` : '';
  };
  return items.map(({ folder, title, kind }) => `${kind} ${getPath(folder)}/${title}`).sort();
}

const act = record({
  what: constantFrom(...SITE_CHANGES, 'expire', 'back-up', 'back-up'),
  which: nat(),
});

eachDatabase((name, open) => {
  test(`ENG-5, ENG-6, ENG-60: after any changes to a site, and any 410, every point has what the site had (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    let site = 0;
    await assert(
      asyncProperty(array(act, { maxLength: 12 }), async (acts) => {
        const graph = tenantGraph({ seed: 3, mails: 1, files: 8, over: smallPages(5) });
        const object = getSite(graph);
        site += 1;
        const { n } = await store.tenant(tenant, (tx) =>
          ensureObject(tx, { repository: randomUUID(), organization: randomUUID() }, object),
        );
        const copies: (readonly string[])[] = [];
        for (const { what, which } of [...acts, { what: 'back-up', which: 0 } as const])
          if (what === 'expire') graph.tenant.admin.expireTokens();
          else if (what === 'back-up') {
            await backUp(graph, store, tenant, n);
            copies.push(listSiteCopy(graph, object.id));
          } else changeSite(graph, object.id, what, which);
        for (const [index, copy] of copies.entries())
          expect(await loadCopy(store, tenant, n, index + 1)).toEqual(copy);
      }),
      { numRuns: 6 * PROOF },
    );
    expect(site).toBeGreaterThan(0);
  });
});
