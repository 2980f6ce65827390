import type { RunN } from '#contract/ids.ts';
import type { RunsView } from '#contract/runs/query.ts';
import { lineAt, getLineIndex, rowAt } from './lines.ts';

/**
 * The active line of the list; `n` is null on a group header. `step` counts moves by key or action,
 * which also move the focus; 0: only pointed at.
 */
export interface ListCursor {
  readonly index: number;
  readonly n: RunN | null;
  readonly step: number;
}

export const cursorAt = (view: RunsView | undefined, index: number, step: number): ListCursor => ({
  index,
  n: rowAt(view, index)?.n ?? null,
  step,
});

/**
 * Moves by `by` rows within the list. The first move selects the first row, or the last one for a
 * move to the end.
 */
export function moveListCursor(
  cursor: ListCursor | null,
  by: number,
  view: RunsView | undefined,
): ListCursor | null {
  const total = view?.lines ?? 0;
  if (total === 0) return null;
  const index =
    cursor === null
      ? by >= total
        ? total - 1
        : 0
      : Math.min(total - 1, Math.max(0, cursor.index + by));
  return cursorAt(view, index, (cursor?.step ?? 0) + 1);
}

/**
 * Returns the cursor after a change of the list: on the same run if it is still in the window,
 * otherwise at the same index.
 */
export function settled(cursor: ListCursor | null, view: RunsView | undefined): ListCursor | null {
  if (cursor === null || view === undefined) return cursor;
  if (view.lines === 0) return null;
  const here = lineAt(view, cursor.index);
  if ((here?.kind === 'row' ? here.row.n : null) === cursor.n) return cursor;
  const at = cursor.n === null ? -1 : getLineIndex(view, cursor.n);
  if (at >= 0) return { ...cursor, index: at };
  const index = Math.min(cursor.index, view.lines - 1);
  const there = lineAt(view, index);
  const n = there?.kind === 'head' ? null : (there?.row.n ?? cursor.n);
  return index === cursor.index && n === cursor.n ? cursor : { ...cursor, index, n };
}
