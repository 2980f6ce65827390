import type { Failure } from '#contract/errors.ts';
import type { ContainerNode } from '../workload.ts';

/** The children of a node that are loaded so far. */
export interface Branch {
  readonly nodes: readonly ContainerNode[];
  /** Null: all are loaded. */
  readonly next: string | null;
  readonly count: number | null;
  readonly state: 'loading' | 'loaded' | 'failed';
  readonly failure: Failure | null;
}
/** By the id of the parent; `ROOT`: mailboxes or drives. */
export type Branches = ReadonlyMap<string, Branch>;
export const ROOT = '';

/** A line of the tree. */
export type TreeRow =
  | {
      readonly kind: 'node';
      readonly id: string;
      readonly node: ContainerNode;
      /** Ids from the mailbox or drive down to this node. */
      readonly path: readonly string[];
      readonly level: number;
      readonly position: number;
      readonly siblings: number;
      /** Null: it has no folders. */
      readonly isExpanded: boolean | null;
    }
  | {
      readonly kind: 'more' | 'loading' | 'failed';
      readonly id: string;
      readonly parent: string;
      readonly path: readonly string[];
      readonly level: number;
      readonly failure: Failure | null;
    };
export type NodeRow = Extract<TreeRow, { readonly kind: 'node' }>;

/** Returns the lines of the expanded part of a tree, from top to bottom. */
export function getTreeRows(branches: Branches, expanded: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (parent: string, path: readonly string[], level: number): void => {
    const branch = branches.get(parent);
    if (!branch) return;
    branch.nodes.forEach((node, index) => {
      const below = branches.get(node.id);
      const isEmpty =
        node.hasFolders === false || (below?.state === 'loaded' && below.nodes.length === 0);
      const isExpanded = isEmpty ? null : expanded.has(node.id);
      rows.push({
        kind: 'node',
        id: node.id,
        node,
        path: [...path, node.id],
        level,
        position: index + 1,
        siblings: Math.max(branch.count ?? 0, branch.nodes.length),
        isExpanded,
      });
      if (isExpanded === true) add(node.id, [...path, node.id], level + 1);
    });
    const kind = branch.state === 'loaded' ? (branch.next === null ? null : 'more') : branch.state;
    if (kind !== null)
      rows.push({
        kind,
        id: `${parent}/${kind}`,
        parent,
        path,
        level,
        failure: branch.failure,
      });
  };
  add(ROOT, [], 1);
  return rows;
}

/** The line that the keys mean, and where it was when they reached it. */
export interface ActiveRow {
  readonly id: string;
  readonly index: number;
}

/**
 * Returns the index of the active line. A line that stood for what was loading gives way to the first
 * line that was loaded.
 */
export function findActiveIndex(
  rows: readonly TreeRow[],
  active: ActiveRow | null,
  openId: string | null,
): number {
  const found = rows.findIndex(({ id }) => id === (active?.id ?? openId));
  return found >= 0 ? found : Math.max(0, Math.min(active?.index ?? 0, rows.length - 1));
}

/** What a key of the ARIA tree pattern does on a row. */
export type TreeMove =
  | { readonly kind: 'focus'; readonly index: number }
  | { readonly kind: 'expand' | 'collapse' | 'open'; readonly row: NodeRow };

/** Returns what a key does, or null. `at`: the index of the active row. */
export function moveInTree(
  rows: readonly TreeRow[],
  at: number,
  key: string,
  page: number,
): TreeMove | null {
  const row = rows[at];
  if (!row) return null;
  const focus = (index: number): TreeMove => ({
    kind: 'focus',
    index: Math.max(0, Math.min(rows.length - 1, index)),
  });
  switch (key) {
    case 'ArrowDown':
      return focus(at + 1);
    case 'ArrowUp':
      return focus(at - 1);
    case 'PageDown':
      return focus(at + page);
    case 'PageUp':
      return focus(at - page);
    case 'Home':
      return focus(0);
    case 'End':
      return focus(rows.length - 1);
    case 'ArrowRight':
      if (row.kind !== 'node' || row.isExpanded === null) return null;
      return row.isExpanded ? focus(at + 1) : { kind: 'expand', row };
    case 'ArrowLeft': {
      if (row.kind === 'node' && row.isExpanded === true) return { kind: 'collapse', row };
      const parent = rows.findLastIndex(
        (other, index) => index < at && other.kind === 'node' && other.level < row.level,
      );
      return parent < 0 ? null : focus(parent);
    }
    case 'Enter':
    case ' ':
      return row.kind === 'node' ? { kind: 'open', row } : null;
    default:
      return null;
  }
}

/**
 * Returns the nodes of a path as far as they are loaded. `missing`: the part that this restore point
 * doesn't have. `wanted`: the branch that has to be loaded next to go on.
 */
export function findChain(
  branches: Branches,
  path: readonly string[],
): {
  readonly nodes: readonly ContainerNode[];
  readonly missing: string | null;
  readonly wanted: string | null;
} {
  const nodes: ContainerNode[] = [];
  let parent = ROOT;
  for (const id of path) {
    const branch = branches.get(parent);
    const node = branch?.nodes.find((one) => one.id === id);
    if (!node) {
      const isComplete = branch?.state === 'loaded' && branch.next === null;
      const isWanted = branch === undefined || (branch.state === 'loaded' && branch.next !== null);
      return { nodes, missing: isComplete ? id : null, wanted: isWanted ? parent : null };
    }
    nodes.push(node);
    parent = id;
  }
  return { nodes, missing: null, wanted: null };
}
