/** The active cell. Day -1 is the row's name. */
export interface GridCursor {
  readonly line: number;
  readonly day: number;
}

/** Limits of the cursor. `start`: day of the first key press. `page`: rows per page. */
export interface GridBounds {
  readonly lines: number;
  readonly days: number;
  readonly page: number;
  readonly start: number;
}

/** Returns the target of a key, or null. The first key press enters the grid. */
export function moveGridCursor(
  cursor: GridCursor | null,
  key: string,
  ctrl: boolean,
  reach: GridBounds,
): GridCursor | null {
  if (reach.lines === 0) return null;
  const to = target(cursor ?? { line: 0, day: reach.start }, key, ctrl, reach);
  return to === null
    ? null
    : cursor === null && !ctrl && key.startsWith('Arrow')
      ? within({ line: 0, day: reach.start }, reach)
      : within(to, reach);
}

function target(
  { line, day }: GridCursor,
  key: string,
  ctrl: boolean,
  { lines, days, page }: GridBounds,
): GridCursor | null {
  switch (key) {
    case 'ArrowDown':
      return { line: ctrl ? lines : line + 1, day };
    case 'ArrowUp':
      return { line: ctrl ? 0 : line - 1, day };
    case 'ArrowRight':
      return { line, day: ctrl ? days : day + 1 };
    case 'ArrowLeft':
      return { line, day: ctrl ? 0 : day - 1 };
    case 'Home':
      return { line: ctrl ? 0 : line, day: 0 };
    case 'End':
      return { line: ctrl ? lines : line, day: days };
    case 'PageDown':
      return { line: line + page, day };
    case 'PageUp':
      return { line: line - page, day };
    default:
      return null;
  }
}

/** Returns the nearest existing cell. */
export const within = (
  { line, day }: GridCursor,
  { lines, days }: Pick<GridBounds, 'lines' | 'days'>,
): GridCursor => ({
  line: Math.max(0, Math.min(lines - 1, line)),
  day: Math.max(-1, Math.min(days - 1, day)),
});
