import type { Order } from '#contract/runs/query.ts';
import { runMessages as t } from './messages.en.ts';

/**
 * Columns between the select box and the review column, which are always visible. The ids are the
 * grid areas of runs.css. At 1,440 px all columns fit in 1,028 px; beside an open result, those up
 * to the strip fit in 572 px.
 */
export const COLUMNS = {
  st: {
    get label() {
      return t.stateAndStreak;
    },
    wide: 100,
    denseWide: 150,
    min: 84,
    order: 'worst',
  },
  co: {
    get label() {
      return t.company;
    },
    wide: 146,
    min: 80,
    grows: 1.2,
    order: 'company',
  },
  job: {
    get label() {
      return t.job;
    },
    wide: 120,
    min: 80,
    grows: 1.3,
    order: 'job',
  },
  pc: {
    get label() {
      return t.computer;
    },
    wide: 82,
    min: 60,
    grows: 0.4,
    order: 'computer',
  },
  ca: {
    get label() {
      return t.causeFirstLine;
    },
    wide: 260,
    min: 120,
    grows: 1.5,
    order: 'cause',
  },
  days: {
    get label() {
      return t.fourteenDays;
    },
    wide: 88,
    min: 88,
    order: null,
  },
  at: {
    get label() {
      return t.startedAndAge;
    },
    wide: 128,
    min: 118,
    order: 'newest',
  },
  du: {
    get label() {
      return t.durationAndTypical;
    },
    wide: 76,
    min: 70,
    order: 'duration',
  },
  tr: {
    get label() {
      return t.transferredAndTypical;
    },
    wide: 76,
    min: 70,
    order: 'bytes',
  },
  last: {
    get label() {
      return t.lastGood;
    },
    wide: 50,
    min: 46,
    order: 'lastGood',
  },
  tk: {
    get label() {
      return t.ticket;
    },
    wide: 62,
    min: 50,
    order: 'ticket',
  },
  note: {
    get label() {
      return t.note;
    },
    wide: 28,
    min: 28,
    order: null,
  },
} as const satisfies Readonly<Record<string, ColumnKind>>;

interface ColumnKind {
  readonly label: string;
  readonly wide: number;
  /** Width in dense rows, if they show two lines of text in one. */
  readonly denseWide?: number;
  readonly min: number;
  readonly grows?: number;
  readonly order: Order | null;
}
export type ColumnId = keyof typeof COLUMNS;
export const COLUMN_IDS = Object.keys(COLUMNS) as readonly ColumnId[];

/**
 * A column with the user's settings. `width` in px; null for the default. A locked column stays
 * visible while the list scrolls horizontally.
 */
export interface Column {
  readonly id: ColumnId;
  readonly shown: boolean;
  readonly width: number | null;
  readonly locked: boolean;
}

export const DEFAULT_COLUMNS: readonly Column[] = COLUMN_IDS.map((id) => ({
  id,
  shown: true,
  width: null,
  locked: false,
}));
export const MAX_WIDTH = 640;

/**
 * Parses stored columns: unknown ones are ignored, missing ones are appended, and each appears
 * once.
 */
export function parseColumns(stored: string | null): readonly Column[] {
  const read = stored === null ? [] : parseList(stored);
  const known = new Map<ColumnId, Column>();
  for (const one of read) {
    const { id, shown, width, locked } = (one ?? {}) as Partial<Record<keyof Column, unknown>>;
    if (typeof id !== 'string' || !Object.hasOwn(COLUMNS, id) || known.has(id as ColumnId))
      continue;
    const kind: ColumnKind = COLUMNS[id as ColumnId];
    known.set(id as ColumnId, {
      id: id as ColumnId,
      shown: shown !== false,
      locked: locked === true,
      width:
        typeof width === 'number' && Number.isFinite(width)
          ? Math.round(Math.min(MAX_WIDTH, Math.max(kind.min, width)))
          : null,
    });
  }
  return [...known.values(), ...DEFAULT_COLUMNS.filter(({ id }) => !known.has(id))];
}

function parseList(stored: string): readonly unknown[] {
  try {
    const read = JSON.parse(stored) as unknown;
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/** CSS values. `stuck`: left offset in px of each locked column. */
export interface Layout {
  readonly columns: string;
  readonly areas: string;
  readonly min: number;
  readonly hidden: readonly ColumnId[];
  readonly stuck: ReadonlyMap<ColumnId, number>;
}

const SELECT_PX = 36;
const REVIEW_PX = 36;
/** Name columns of a row; the cause spans them on the second line. */
const NAMES: readonly ColumnId[] = ['co', 'job', 'pc'];

/**
 * Returns the grid of a row. With two lines, the cause is below adjacent name columns and has no
 * column of its own. Dense: one line, the cause is a column. Locked columns come first, in order.
 */
export function getLayout(columns: readonly Column[], dense: boolean): Layout {
  const shown = columns.filter((one) => one.shown);
  const ordered = [
    ...shown.filter(({ locked }) => locked),
    ...shown.filter(({ locked }) => !locked),
  ];
  const cause = shown.some(({ id }) => id === 'ca');
  const under = dense || !cause ? [] : namesTogether(ordered.filter(({ id }) => id !== 'ca'));
  const placed = under.length > 0 ? ordered.filter(({ id }) => id !== 'ca') : ordered;
  const first = ['sel', ...placed.map(({ id }) => id), 'rev'];
  const second = first.map((area) => (under.some((id) => id === area) ? 'ca' : area));
  const stuck = new Map<ColumnId, number>();
  let left = SELECT_PX;
  for (const { id, locked, width } of placed) {
    if (!locked) break;
    stuck.set(id, left);
    left += width ?? getColumnWidth(id, dense);
  }
  return {
    columns: [`${SELECT_PX}px`, ...placed.map((one) => getSize(one, dense)), `${REVIEW_PX}px`].join(
      ' ',
    ),
    areas: dense ? `'${first.join(' ')}'` : `'${first.join(' ')}' '${second.join(' ')}'`,
    min:
      SELECT_PX +
      REVIEW_PX +
      placed.reduce((sum, { id, width }) => sum + (width ?? getColumnWidth(id, dense)), 0),
    hidden: COLUMN_IDS.filter(
      (id) => !placed.some((one) => one.id === id) && !(id === 'ca' && under.length > 0),
    ),
    stuck,
  };
}

/** Returns the longest sequence of adjacent name columns that are all locked or all unlocked. */
function namesTogether(placed: readonly Column[]): readonly ColumnId[] {
  let best: ColumnId[] = [];
  let run: ColumnId[] = [];
  let locked = false;
  for (const one of placed) {
    if (!NAMES.includes(one.id)) run = [];
    else run = run.length > 0 && one.locked === locked ? [...run, one.id] : [one.id];
    ({ locked } = one);
    if (run.length > best.length) best = run;
  }
  return best;
}

const getColumnWidth = (id: ColumnId, dense: boolean): number => {
  const kind: ColumnKind = COLUMNS[id];
  return dense ? (kind.denseWide ?? kind.wide) : kind.wide;
};

/** A locked column has a fixed width, because the offsets of the following ones depend on it. */
function getSize({ id, width, locked }: Column, dense: boolean): string {
  const kind: ColumnKind = COLUMNS[id];
  const wide = getColumnWidth(id, dense);
  if (width !== null) return `${width}px`;
  return kind.grows === undefined || locked ? `${wide}px` : `minmax(${wide}px, ${kind.grows}fr)`;
}

/** Moves a column by `by` positions to the left (negative) or right. */
export function movedColumn(
  columns: readonly Column[],
  id: ColumnId,
  by: number,
): readonly Column[] {
  const at = columns.findIndex((one) => one.id === id);
  const one = columns[at];
  if (!one) return columns;
  const rest = columns.filter((other) => other !== one);
  return rest.toSpliced(Math.min(rest.length, Math.max(0, at + by)), 0, one);
}

export const changedColumn = (
  columns: readonly Column[],
  id: ColumnId,
  change: Partial<Omit<Column, 'id'>>,
): readonly Column[] => columns.map((one) => (one.id === id ? { ...one, ...change } : one));

export const isDefault = (columns: readonly Column[]): boolean =>
  JSON.stringify(columns) === JSON.stringify(DEFAULT_COLUMNS);
