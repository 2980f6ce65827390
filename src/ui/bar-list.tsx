import type { ReactNode } from 'react';
import { RankingBars } from './charts/ranking-bars.tsx';
import { getPercent } from './percent.ts';

export interface BarEntry {
  readonly key: string | number;
  readonly title: string;
  readonly detail?: string;
  /** The value that determines the bar's length; the largest value has the longest bar. */
  readonly value: number;
  /** The formatted value: `9 h 41 min`. */
  readonly description: string;
  readonly onOpen?: () => void;
}

export interface BarListProps {
  readonly entries: readonly BarEntry[];
  readonly tone?: 'failed' | 'trace';
  readonly empty: ReactNode;
}

/** A ranking: the rule under an entry is its bar. */
export function BarList({ entries, tone = 'trace', empty }: BarListProps) {
  if (entries.length === 0) return <p className="m-0 py-3 text-ink-2">{empty}</p>;
  const max = Math.max(...entries.map(({ value }) => value).filter(Number.isFinite), 1);
  return (
    <div className="relative">
      <ol className="m-0 grid list-none auto-rows-fr p-0">
        {entries.map(({ key, title, detail, description, onOpen }) => (
          <li key={key} className="border-b border-hair">
            <Line {...(onOpen && { onOpen })}>
              <span className="truncate" data-tip={title}>
                {title}
              </span>
              {detail !== undefined && (
                <span
                  className="col-span-2 row-start-2 truncate text-agate text-ink-3"
                  data-tip={detail}
                >
                  {detail}
                </span>
              )}
              <span className="col-start-2 row-start-1 tabular-nums">{description}</span>
            </Line>
          </li>
        ))}
      </ol>
      <RankingBars
        values={entries.map(({ value }) => getPercent(value, max))}
        tone={tone}
        shape="rule"
      />
    </div>
  );
}

function Line({
  onOpen,
  children,
}: {
  readonly onOpen?: () => void;
  readonly children: ReactNode;
}) {
  const shape =
    'grid w-full grid-cols-[minmax(0,1fr)_auto] content-center gap-x-3 py-1.5 text-left';
  return onOpen ? (
    <button
      type="button"
      onClick={onOpen}
      className={`${shape} hover:bg-wash focus-visible:-outline-offset-2 pointer-coarse:min-h-11`}
    >
      {children}
    </button>
  ) : (
    <div className={shape}>{children}</div>
  );
}
