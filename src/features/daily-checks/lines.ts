import type { GroupHead, RunsView, RunView } from '#contract/runs/query.ts';

/** One line of the list: the head of a group, or a row. */
export type Line =
  | { readonly is: 'head'; readonly head: GroupHead }
  | { readonly is: 'row'; readonly row: RunView };

const known = new WeakMap<RunsView, readonly (Line | undefined)[]>();

/** The lines of a view's window, in order: heads at their places, rows in between. */
export function linesOf(view: RunsView): readonly (Line | undefined)[] {
  const made = known.get(view);
  if (made) return made;
  const heads = new Map(view.heads.map((head) => [head.line, head]));
  const rows = view.rows[Symbol.iterator]();
  const lines: (Line | undefined)[] = [];
  for (let line = view.first; lines.length < view.heads.length + view.rows.length; line++) {
    const head = heads.get(line);
    const row = head ? undefined : rows.next().value;
    lines.push(head ? { is: 'head', head } : row ? { is: 'row', row } : undefined);
    if (!head && !row) break;
  }
  known.set(view, lines);
  return lines;
}

/** The line at a place of the list, where it is in the window. */
export const lineAt = (view: RunsView | undefined, index: number): Line | undefined =>
  view && index >= view.first ? linesOf(view)[index - view.first] : undefined;

export function rowAt(view: RunsView | undefined, index: number): RunView | undefined {
  const line = lineAt(view, index);
  return line?.is === 'row' ? line.row : undefined;
}

export function headAt(view: RunsView | undefined, index: number): GroupHead | undefined {
  const line = lineAt(view, index);
  return line?.is === 'head' ? line.head : undefined;
}

/** The place of a run in the list, -1 where it is not in the window. */
export const placeOf = (view: RunsView, n: number): number => {
  const at = linesOf(view).findIndex((line) => line?.is === 'row' && line.row.n === n);
  return at < 0 ? -1 : view.first + at;
};

/**
 * The place of a run among so many, from 1: of the list, or of its group. `far`: the head of its
 * group is not here. `out`: the run is not.
 */
export type Standing = readonly [at: number, of: number] | 'far' | 'out';
export function standingOf(view: RunsView | undefined, grouped: boolean, n: number): Standing {
  const at = view ? placeOf(view, n) : -1;
  if (!view || at < 0) return 'out';
  const head = view.heads.findLast(({ line }) => line < at);
  return !grouped ? [at + 1, view.total] : head ? [at - head.line, head.rows] : 'far';
}

/** The rows between two places that are here, heads left out; null where one is not here yet. */
export function rowsBetween(
  view: RunsView | undefined,
  from: number,
  to: number,
): readonly RunView[] | null {
  const rows: RunView[] = [];
  for (let i = from; i <= to; i++) {
    const line = lineAt(view, i);
    if (!line) return null;
    if (line.is === 'row') rows.push(line.row);
  }
  return rows;
}

/** The rows of the window that stand under a head, as far as they are in it. */
export function rowsUnder(view: RunsView, { line }: GroupHead): readonly RunView[] {
  const under: RunView[] = [];
  for (const one of linesOf(view).slice(line - view.first + 1)) {
    if (one?.is !== 'row') break;
    under.push(one.row);
  }
  return under;
}
