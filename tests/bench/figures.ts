export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly values: Readonly<Record<string, number | null>>;
  readonly goal?: string;
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

/** A table for people. */
export function getTable({ title, columns, figures, notes }: Sheet): string {
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
    ...notes.map((note) => `  ${note}`),
  ].join('\n');
}
