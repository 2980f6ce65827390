import { useCallback, useEffect, useRef, useState } from 'react';
import type { Result } from '#contract/result.ts';
import { isObject } from '../labels.ts';
import type { ContainerNode, NodePage, WorkloadPage } from '../workload.ts';
import { findChain, ROOT } from './rows.ts';
import type { Branch, Branches } from './rows.ts';

/** Nodes of a page. */
const LIMIT = '500';

export interface Tree {
  readonly branches: Branches;
  /** Loads a page of a branch; `cursor` null: the first one. `object`: its mailbox or drive. */
  readonly load: (parent: string, object: string, cursor: string | null) => void;
  /** The nodes of the open path. */
  readonly chain: readonly ContainerNode[];
  /** The first part of the path that this restore point doesn't have. */
  readonly missing: string | null;
}

/**
 * Loads the mailboxes or drives that match a search, and the folders of the open path and of whatever
 * is expanded.
 */
export function useTree({
  workload,
  session,
  search,
  path,
  expanded,
  onRead,
}: {
  readonly workload: WorkloadPage;
  readonly session: string;
  readonly search: string;
  readonly path: readonly string[];
  readonly expanded: ReadonlySet<string>;
  readonly onRead: (result: Result<unknown>) => void;
}): Tree {
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly branches: Branches }>({
    key: '',
    branches: EMPTY,
  });
  const key = `${session} ${search}`;
  const branches = loaded.key === key ? loaded.branches : EMPTY;
  // Answers to the requests of an earlier search, or of a closed tree, are ignored.
  const running = useRef({ key, parents: new Set<string>() });
  useEffect(
    () => () => {
      running.current = { key: '', parents: new Set() };
    },
    [],
  );
  const load = useCallback(
    (parent: string, object: string, cursor: string | null): void => {
      if (running.current.key !== key) running.current = { key, parents: new Set() };
      const started = running.current;
      if (started.parents.has(parent)) return;
      started.parents.add(parent);
      const put = (change: (before: Branch | undefined) => Branch): void =>
        setLoaded((before) => {
          const known = before.key === key ? before.branches : EMPTY;
          return { key, branches: new Map(known).set(parent, change(known.get(parent))) };
        });
      put((before) => ({ ...(before ?? UNKNOWN), state: 'loading', failure: null }));
      const read = async (): Promise<void> => {
        const page = { limit: LIMIT, ...(cursor !== null && { cursor }) };
        const answer: Result<NodePage<ContainerNode>> =
          parent === ROOT
            ? await workload.listObjects(session, { ...page, ...(search !== '' && { search }) })
            : await workload.listFolders(
                session,
                { object, folder: parent === object ? null : parent },
                page,
              );
        if (running.current !== started) return;
        started.parents.delete(parent);
        onRead(answer);
        put((before = UNKNOWN) =>
          answer.ok
            ? {
                nodes: [...before.nodes, ...answer.value.rows],
                next: answer.value.next,
                count: answer.value.count ?? before.count,
                state: 'loaded',
                failure: null,
              }
            : { ...before, state: 'failed', failure: answer.failure },
        );
      };
      void read();
    },
    [workload, session, search, key, onRead],
  );

  const { nodes: chain, missing, wanted } = findChain(branches, path);
  const [object = ''] = path;
  const wantedBranch =
    branches.get(ROOT) === undefined
      ? ROOT
      : search === '' && wanted !== null
        ? wanted
        : (findUnloaded(branches, expanded) ?? null);
  useEffect(() => {
    if (wantedBranch === null) return;
    load(
      wantedBranch,
      wantedBranch === ROOT ? '' : (findObject(branches, wantedBranch) ?? object),
      branches.get(wantedBranch)?.next ?? null,
    );
  }, [wantedBranch, branches, object, load]);
  return { branches, load, chain, missing: search === '' ? missing : null };
}

/** The first expanded node whose folders aren't loaded yet. */
function findUnloaded(branches: Branches, expanded: ReadonlySet<string>): string | null {
  for (const { nodes } of branches.values())
    for (const { id } of nodes) if (expanded.has(id) && !branches.has(id)) return id;
  return null;
}

/** Returns the mailbox, drive or site of a loaded node. */
export function findObject(branches: Branches, id: string): string | null {
  for (const [parent, { nodes }] of branches) {
    const node = nodes.find((one) => one.id === id);
    if (node) return parent === ROOT || isObject(node) ? id : findObject(branches, parent);
  }
  return null;
}

const EMPTY: Branches = new Map();
const UNKNOWN: Branch = { nodes: [], next: null, count: null, state: 'loading', failure: null };
