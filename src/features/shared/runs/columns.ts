import type { Order } from '#contract/runs/query.ts';
import { runMessages as t } from './messages.en.ts';

/**
 * The columns between the select box and the review rail, which stand always. The ids are the grid
 * areas of daily-checks.css. At 1,440 px all of them fit in 1,028 px; beside an open result those
 * up to the strip do, in 572 px.
 */
export const COLUMNS = {
  st: {
    get word() {
      return t.stateAndStreak;
    },
    wide: 100,
    denseWide: 150,
    least: 84,
    order: 'worst',
  },
  co: {
    get word() {
      return t.company;
    },
    wide: 146,
    least: 80,
    grows: 1.2,
    order: 'company',
  },
  job: {
    get word() {
      return t.job;
    },
    wide: 120,
    least: 80,
    grows: 1.3,
    order: 'job',
  },
  pc: {
    get word() {
      return t.computer;
    },
    wide: 82,
    least: 60,
    grows: 0.4,
    order: 'computer',
  },
  ca: {
    get word() {
      return t.causeFirstLine;
    },
    wide: 260,
    least: 120,
    grows: 1.5,
    order: 'cause',
  },
  days: { word: '14 days', wide: 88, least: 88, order: null },
  at: {
    get word() {
      return t.startedAndAge;
    },
    wide: 128,
    least: 118,
    order: 'newest',
  },
  du: {
    get word() {
      return t.durationAndTypical;
    },
    wide: 76,
    least: 70,
    order: 'duration',
  },
  tr: {
    get word() {
      return t.transferredAndTypical;
    },
    wide: 76,
    least: 70,
    order: 'bytes',
  },
  last: {
    get word() {
      return t.lastGood;
    },
    wide: 50,
    least: 46,
    order: 'lastGood',
  },
  tk: {
    get word() {
      return t.ticket;
    },
    wide: 62,
    least: 50,
    order: 'ticket',
  },
  note: {
    get word() {
      return t.note;
    },
    wide: 28,
    least: 28,
    order: null,
  },
} as const satisfies Readonly<Record<string, ColumnKind>>;

interface ColumnKind {
  readonly word: string;
  readonly wide: number;
  /** In dense rows, where it holds on one line what else stands on two. */
  readonly denseWide?: number;
  readonly least: number;
  readonly grows?: number;
  readonly order: Order | null;
}
export type ColumnId = keyof typeof COLUMNS;
export const COLUMN_IDS = Object.keys(COLUMNS) as readonly ColumnId[];

/**
 * One column as its user has it. `width` in px, null: its own. A locked one stays in sight when the
 * list is scrolled sideways.
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
export const MOST_WIDE = 640;

/**
 * Reads what was kept: unknown columns are passed over, missing ones stand at the end, every column
 * once.
 */
export function columnsOf(stored: string | null): readonly Column[] {
  const read = stored === null ? [] : listOf(stored);
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
          ? Math.round(Math.min(MOST_WIDE, Math.max(kind.least, width)))
          : null,
    });
  }
  return [...known.values(), ...DEFAULT_COLUMNS.filter(({ id }) => !known.has(id))];
}

function listOf(stored: string): readonly unknown[] {
  try {
    const read = JSON.parse(stored) as unknown;
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/** As CSS takes it. `stuck`: px from the left at which each locked column stays. */
export interface Layout {
  readonly columns: string;
  readonly areas: string;
  readonly least: number;
  readonly hidden: readonly ColumnId[];
  readonly stuck: ReadonlyMap<ColumnId, number>;
}

const SELECT_PX = 36;
const REVIEW_PX = 36;
/** The names of a row, under which its cause runs on a second line. */
const NAMES: readonly ColumnId[] = ['co', 'job', 'pc'];

/**
 * Two lines a row: the cause runs under the names that stand side by side, and has no column of its
 * own. Dense: one line, the cause is a column. Locked columns come first, in their order.
 */
export function layoutOf(columns: readonly Column[], dense: boolean): Layout {
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
    left += width ?? wideOf(id, dense);
  }
  return {
    columns: [`${SELECT_PX}px`, ...placed.map((one) => sizeOf(one, dense)), `${REVIEW_PX}px`].join(
      ' ',
    ),
    areas: dense ? `'${first.join(' ')}'` : `'${first.join(' ')}' '${second.join(' ')}'`,
    least:
      SELECT_PX +
      REVIEW_PX +
      placed.reduce((sum, { id, width }) => sum + (width ?? wideOf(id, dense)), 0),
    hidden: COLUMN_IDS.filter(
      (id) => !placed.some((one) => one.id === id) && !(id === 'ca' && under.length > 0),
    ),
    stuck,
  };
}

/** The longest run of names side by side that stand alike (all locked, or none). */
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

const wideOf = (id: ColumnId, dense: boolean): number => {
  const kind: ColumnKind = COLUMNS[id];
  return dense ? (kind.denseWide ?? kind.wide) : kind.wide;
};

/** A locked column has a width of its own, so that the ones after it know where they stay. */
function sizeOf({ id, width, locked }: Column, dense: boolean): string {
  const kind: ColumnKind = COLUMNS[id];
  const wide = wideOf(id, dense);
  if (width !== null) return `${width}px`;
  return kind.grows === undefined || locked ? `${wide}px` : `minmax(${wide}px, ${kind.grows}fr)`;
}

/** `by` places further to the left (negative) or right. */
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
