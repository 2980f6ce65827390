import type { RestorePoint } from '#contract/engine/engine.ts';
import type { Branch } from '#src/features/restore/tree/rows.ts';
import type { ContainerNode, ItemNode } from '#src/features/restore/workload.ts';

const SEEN = { first: 1, last: 2 };

export const container = (id: string, kind: ContainerNode['kind'] = 'folder'): ContainerNode => ({
  kind,
  id,
  name: `Name of ${id}`,
  sizeBytes: null,
  at: null,
  deleted: false,
  seen: SEEN,
  children: 3,
});

export const mail = (id: string, sizeBytes = 10): ItemNode => ({
  kind: 'mail',
  id,
  name: `Subject of ${id}`,
  sizeBytes,
  at: 5,
  deleted: false,
  seen: SEEN,
  people: 'Ann <ann@example.com>',
  attachments: 0,
  read: true,
});

export const branch = (nodes: readonly ContainerNode[], next: string | null = null): Branch => ({
  nodes,
  next,
  count: nodes.length,
  state: 'loaded',
  failure: null,
});

export const point = (at: number, more: Partial<RestorePoint> = {}): RestorePoint => ({
  id: `p${at}`,
  job: 'j1',
  at,
  changes: 3,
  result: 'success',
  lacks: [],
  ...more,
});
