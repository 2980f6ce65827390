import type { GroupHead, RunsView, RunView } from '#contract/runs/query.ts';

/** A line of the list: a group header or a row. */
export type ListLine =
  | { readonly kind: 'head'; readonly head: GroupHead }
  | { readonly kind: 'row'; readonly row: RunView };

const known = new WeakMap<RunsView, readonly (ListLine | undefined)[]>();

/** Returns the lines of a view's window in order: headers at their indexes, rows in between. */
export function getLines(view: RunsView): readonly (ListLine | undefined)[] {
  const made = known.get(view);
  if (made) return made;
  const heads = new Map(view.heads.map((head) => [head.line, head]));
  const rows = view.rows[Symbol.iterator]();
  const lines: (ListLine | undefined)[] = [];
  for (let line = view.first; lines.length < view.heads.length + view.rows.length; line++) {
    const head = heads.get(line);
    const row = head ? undefined : rows.next().value;
    lines.push(head ? { kind: 'head', head } : row ? { kind: 'row', row } : undefined);
    if (!head && !row) break;
  }
  known.set(view, lines);
  return lines;
}

/** Returns the line at an index of the list, if it is in the window. */
export const lineAt = (view: RunsView | undefined, index: number): ListLine | undefined =>
  view && index >= view.first ? getLines(view)[index - view.first] : undefined;

export function rowAt(view: RunsView | undefined, index: number): RunView | undefined {
  const line = lineAt(view, index);
  return line?.kind === 'row' ? line.row : undefined;
}

export function headAt(view: RunsView | undefined, index: number): GroupHead | undefined {
  const line = lineAt(view, index);
  return line?.kind === 'head' ? line.head : undefined;
}

/** Returns the index of a run in the list, or -1 if it is outside the window. */
export const getLineIndex = (view: RunsView, n: number): number => {
  const at = getLines(view).findIndex((line) => line?.kind === 'row' && line.row.n === n);
  return at < 0 ? -1 : view.first + at;
};

/**
 * Position of a run, starting at 1, and the number of runs, in the list or in its group. `far`: its
 * group header is not loaded. `out`: the run is not loaded.
 */
export type ScrollState = readonly [at: number, of: number] | 'far' | 'out';
export function getScrollState(
  view: RunsView | undefined,
  grouped: boolean,
  n: number,
): ScrollState {
  const at = view ? getLineIndex(view, n) : -1;
  if (!view || at < 0) return 'out';
  const head = view.heads.findLast(({ line }) => line < at);
  return !grouped ? [at + 1, view.total] : head ? [at - head.line, head.rows] : 'far';
}

/** Returns the rows between two indexes without headers; null if one is not loaded yet. */
export function rowsBetween(
  view: RunsView | undefined,
  from: number,
  to: number,
): readonly RunView[] | null {
  const rows: RunView[] = [];
  for (let i = from; i <= to; i++) {
    const line = lineAt(view, i);
    if (!line) return null;
    if (line.kind === 'row') rows.push(line.row);
  }
  return rows;
}

/** Returns the loaded rows of a group. */
export function rowsUnder(view: RunsView, { line }: GroupHead): readonly RunView[] {
  const under: RunView[] = [];
  for (const one of getLines(view).slice(line - view.first + 1)) {
    if (one?.kind !== 'row') break;
    under.push(one.row);
  }
  return under;
}
