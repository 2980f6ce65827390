export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly values: Readonly<Record<string, number | null>>;
  readonly goal?: string;
  /** The goal as a number, and why a figure that misses it does. Printed only then. */
  readonly target?: {
    readonly min?: number;
    readonly max?: number;
    readonly column?: string;
    readonly because: string;
  };
}
export interface Sheet {
  readonly title: string;
  readonly columns: readonly string[];
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
}

export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};
export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const formatFigure = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? '-'
    : value >= 1000
      ? Math.round(value).toLocaleString('en')
      : value.toFixed(value < 10 ? 2 : 1);

/** The notes of a sheet, with the reasons of missed goals. */
export const getNotes = ({ figures, notes }: Sheet): readonly string[] => [
  ...notes,
  ...figures.flatMap(({ what, values, target }) => {
    if (target === undefined) return [];
    const { min = -Infinity, max = Infinity, column, because } = target;
    const judged = column === undefined ? Object.values(values) : [values[column]];
    // What was not measured (NaN) misses its goal, too.
    const isMissed = judged.some((value) => value != null && !(value >= min && value <= max));
    return isMissed ? [`${what}: misses its goal. ${because}`] : [];
  }),
];

/** A table for people. */
export function getTable(sheet: Sheet): string {
  const { title, columns, figures } = sheet;
  const wide = Math.max(...figures.map(({ what, unit }) => what.length + unit.length + 3), 20);
  const line = (first: string, cells: readonly string[], last = ''): string =>
    `  ${first.padEnd(wide)}${cells.map((cell) => cell.padStart(14)).join('')}  ${last}`.trimEnd();
  return [
    `\n${title}`,
    line('', columns, 'goal'),
    ...figures.map(({ what, unit, values, goal }) =>
      line(
        `${what} (${unit})`,
        columns.map((name) => formatFigure(values[name])),
        goal ?? '',
      ),
    ),
    ...getNotes(sheet).map((note) => `  ${note}`),
  ].join('\n');
}
