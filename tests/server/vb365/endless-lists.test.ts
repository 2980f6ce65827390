import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { ExplorerId, NodeId } from '#contract/ids.ts';
import type { Vb365Client } from '#server/engine/vb365/client.ts';
import { findObjects, type ListRequest } from '#server/engine/vb365/restore/pages.ts';
import { findReplies } from '#server/engine/vb365/restore/teams.ts';

const EXPLORER = { id: 'e' as ExplorerId, workload: 'teams', key: '1', pointAt: 0 } as const;

/** A server that answers each page with these rows, and says that there are more. */
function makeClient(getRows: (offset: number) => readonly unknown[]) {
  let requests = 0;
  const client = {
    host: 'vbm.test',
    read: (path: string) => {
      requests += 1;
      const results = getRows(Number(/offset=(\d+)/.exec(path)?.[1] ?? 0));
      return Promise.resolve({ results, limit: results.length, _links: { next: {} } });
    },
  } as unknown as Vb365Client;
  return { client, count: () => requests };
}

const LIST: ListRequest<number> = {
  path: 'organization/mailboxes',
  row: v.number(),
  show: (n) => ({
    item: String(n),
    object: '',
    node: {
      id: String(n) as NodeId,
      kind: 'mailbox',
      name: `Mailbox ${n}`,
      at: null,
      sizeBytes: null,
      deleted: false,
      seen: { first: 0, last: 0 },
      address: '',
    } as unknown as ReturnType<ListRequest<number>['show']>['node'],
  }),
};
const makeRows = (offset: number): number[] => Array.from({ length: 1_000 }, (_, n) => offset + n);

test('VB365-2: a server that repeats a page does not repeat its rows, and ends the list', async () => {
  const { client, count } = makeClient(() => [1, 2, 12]);
  const { page } = await findObjects(client, EXPLORER, LIST, '2');
  expect(page.rows.map(({ name }) => name)).toEqual(['Mailbox 2', 'Mailbox 12']);
  expect(count()).toBe(2);

  const post = { postId: 7, author: 'Ann', subject: 'Hi', createdTime: '2026-05-06T07:08:09Z' };
  const posts = makeClient(() => [post]);
  const replies = await findReplies(posts.client, EXPLORER, 'team', { channel: 'c', id: '1' });
  expect(replies).toEqual(['7']);
  expect(posts.count()).toBe(2);
});

test('VB365-2: a list that never ends is an error of the server', async () => {
  const { client, count } = makeClient(makeRows);
  await expect(findObjects(client, EXPLORER, LIST, 'nobody')).rejects.toThrow(
    'vbm.test sends a list without end.',
  );
  expect(count()).toBe(200);
});
