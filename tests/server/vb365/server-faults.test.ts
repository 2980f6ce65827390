import { expect, test } from 'vitest';
import type { NodeId } from '#contract/ids.ts';
import type { Vb365Client } from '#server/engine/vb365/client.ts';
import type { OpenExplorer } from '#server/engine/vb365/restore/explorers.ts';
import { measure } from '#server/engine/vb365/restore/measure.ts';
import { makeVb365Servers, type ServerRow } from '#server/engine/vb365/servers.ts';
import type { Store } from '#server/platform/db/store.ts';
import { makeFixture } from '../http/fixtures.ts';

const explorer: OpenExplorer = {
  id: 'e1',
  workload: 'onedrive',
  key: 'k1',
  pointAt: 0,
};
const DRIVE = {
  id: 'v1' as NodeId,
  object_id: '' as NodeId,
  kind: 'drive',
  object_key: 'drive',
  item_key: '',
  name: 'Drive',
  people: '',
  bytes: null,
  at: null,
} as const;

/** A server whose lists of folders have what `list` returns for an offset. It has no files. */
const aServer = (list: (offset: number, limit: number) => readonly string[]): Vb365Client =>
  ({
    read: (path: string) => {
      const query = new URLSearchParams(path.slice(path.indexOf('?')));
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
      const ids = path.includes('/Folders?') ? list(offset, limit) : [];
      return Promise.resolve({ results: ids.map((id) => ({ id, name: id })), limit });
    },
  }) as unknown as Vb365Client;

test('VB365-2: a folder that is in itself is measured once', async () => {
  let answers = 0;
  const server = aServer(() => {
    answers += 1;
    if (answers > 100) throw new Error('It asks for ever.');
    return ['f1'];
  });
  expect(await measure(server, explorer, [DRIVE])).toEqual({ items: 0, bytes: 0, isExact: true });
});

test('VB365-2: folders without an end are measured in part', async () => {
  let answers = 0;
  const server = aServer((offset, limit) => {
    answers += 1;
    if (answers > 100) throw new Error('It asks for ever.');
    return Array.from({ length: limit }, (_, n) => `f${offset + n}`);
  });
  expect(await measure(server, explorer, [DRIVE])).toEqual({ items: 0, bytes: 0, isExact: false });
});

test('VB365-4: a database that is away says nothing about the key of a password', async () => {
  const { context } = await makeFixture();
  const store = Object.create(context.store) as Store;
  Object.defineProperty(store, 'tenant', {
    value: () => Promise.reject(new Error('Connection terminated')),
  });
  const servers = makeVb365Servers(() => ({ ...context, store }));
  const row = { id: 's1', changed_at: 0, sealed: 'x' } as unknown as ServerRow;
  await expect(servers.openServer('t1', row)).rejects.toThrow('Connection terminated');
});
