import { afterEach, expect, test, vi } from 'vitest';
import { SESSION_TYPES } from '#contract/restore/sessions.ts';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { DEFAULT_SORT } from '#src/features/restore/address.ts';
import { useItems } from '#src/features/restore/items/use-items.ts';
import { ROOT } from '#src/features/restore/tree/rows.ts';
import { useTree } from '#src/features/restore/tree/use-tree.ts';
import type {
  ContainerNode,
  ItemNode,
  NodePage,
  WorkloadPage,
} from '#src/features/restore/workload.ts';
import { renderHook } from '../render-hook.ts';
import { container, mail } from './nodes.ts';

interface Request {
  readonly session: string;
  readonly search: string;
  readonly answer: (result: Result<NodePage<never>>) => void;
}

/** A server that answers when the test says so, and what of it was passed on. */
function makeServer() {
  const requests: Request[] = [];
  const read: Result<unknown>[] = [];
  const list = (session: string, search = ''): Promise<Result<NodePage<never>>> =>
    new Promise((answer) => {
      requests.push({ session, search, answer });
    });
  const workload: WorkloadPage = {
    kind: 'outlook',
    page: '/o365/restore/outlook',
    sessionType: SESSION_TYPES[0],
    restoreCall: 'restoreMailItems',
    listObjects: (session, { search }) => list(session, search),
    listFolders: (session) => list(session),
    listItems: (session, _at, { search }) => list(session, search),
    getSize: () => Promise.reject(new Error('Not asked for.')),
  };
  const onRead = (result: Result<unknown>): void => {
    read.push(result);
  };
  return { workload, onRead, read, requests, at: (n: number): Request => requests[n] as Request };
}

const page = (rows: readonly (ContainerNode | ItemNode)[]): Result<NodePage<never>> =>
  ok({ rows: rows as never[], next: null, count: rows.length });
const ENDED = failed({ kind: 'conflict', message: 'This session has ended.' });

const AT = { object: 'o1', folder: 'f1' };
const items = (server: ReturnType<typeof makeServer>, text: string, session = 's1') => ({
  ...server,
  session,
  at: AT,
  text,
  sort: DEFAULT_SORT,
});
const EMPTY = { path: [], expanded: new Set<string>() };
const tree = (server: ReturnType<typeof makeServer>, search: string, session = 's1') => ({
  ...server,
  ...EMPTY,
  session,
  search,
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test('RES-33: an answer to an earlier search changes nothing in the list of the present one', async () => {
  const server = makeServer();
  const hook = await renderHook(useItems, items(server, 'a'));
  await hook.render(items(server, 'ab'));
  expect(server.requests.map(({ search }) => search)).toEqual(['a', 'ab']);
  await hook.run(() => server.at(1).answer(page([mail('present')])));
  await hook.run(() => server.at(0).answer(page([mail('late'), mail('later')])));
  expect(hook.current().itemAt(0)?.id).toBe('present');
  expect(hook.current().count).toBe(1);
  expect(server.requests).toHaveLength(2);
  await hook.unmount();
});

test('RES-33: a search that is repeated asks again, and takes that answer alone', async () => {
  const server = makeServer();
  const hook = await renderHook(useItems, items(server, 'a'));
  await hook.render(items(server, 'ab'));
  await hook.render(items(server, 'a'));
  await hook.run(() => server.at(0).answer(page([mail('late')])));
  await hook.run(() => server.at(1).answer(page([mail('other')])));
  expect(hook.current().count).toBeNull();
  await hook.run(() => server.at(2).answer(page([mail('present')])));
  expect(hook.current().itemAt(0)?.id).toBe('present');
  await hook.unmount();
});

test('RES-36: that an earlier session has ended does not end the present one', async () => {
  const server = makeServer();
  const list = await renderHook(useItems, items(server, ''));
  await list.render(items(server, '', 's2'));
  await list.run(() => server.at(0).answer(ENDED));
  await list.unmount();
  await list.run(() => server.at(1).answer(ENDED));
  expect(server.read).toEqual([]);

  const other = makeServer();
  const nodes = await renderHook(useTree, tree(other, ''));
  await nodes.render(tree(other, '', 's2'));
  await nodes.run(() => other.at(0).answer(ENDED));
  expect(other.read).toEqual([]);
  await nodes.run(() => other.at(1).answer(ENDED));
  expect(other.read).toEqual([ENDED]);
  await nodes.unmount();
});

test('RES-32: an answer to an earlier search changes nothing in the tree of the present one', async () => {
  const server = makeServer();
  const hook = await renderHook(useTree, tree(server, 'a'));
  await hook.render(tree(server, 'ab'));
  expect(server.requests.map(({ search }) => search)).toEqual(['a', 'ab']);
  await hook.run(() => server.at(1).answer(page([container('present', 'mailbox')])));
  await hook.run(() => server.at(0).answer(page([container('late', 'mailbox')])));
  expect(
    hook
      .current()
      .branches.get(ROOT)
      ?.nodes.map(({ id }) => id),
  ).toEqual(['present']);
  expect(server.requests).toHaveLength(2);
  await hook.unmount();
});
