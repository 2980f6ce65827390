import { formatCount } from './format.ts';

/**
 * Fill of a mark, so that shape and not only color tells them apart. `ruled`: lines; `hollow`: an
 * outline.
 */
export type LegendMark =
  | 'success'
  | 'warning'
  | 'failed'
  | 'anomaly'
  | 'running'
  | 'missed'
  | 'trace';

export interface LegendEntry {
  readonly mark: LegendMark;
  readonly label: string;
  readonly value?: number | string;
}

/** Legend of a chart with totals, so that the chart can be read without hovering. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  return (
    <ul className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-0">
      {entries.map(({ mark, label, value }) => (
        <li key={label} className="inline-flex items-center gap-1.5 whitespace-nowrap text-ink-2">
          <span aria-hidden className={`size-2.5 ${MARKS[mark]}`} />
          {label}
          {value !== undefined && (
            <b className="text-ink">{typeof value === 'number' ? formatCount(value) : value}</b>
          )}
        </li>
      ))}
    </ul>
  );
}

const MARKS: Readonly<Record<LegendMark, string>> = {
  success: 'bg-success-mark',
  failed: 'bg-failed-mark',
  anomaly: 'bg-anomaly-mark',
  running: 'bg-running-mark',
  trace: 'bg-trace',
  warning: 'bg-[repeating-linear-gradient(var(--warning-mark)_0_2px,transparent_2px_4px)]',
  missed: 'border border-missed-mark bg-sheet',
};
