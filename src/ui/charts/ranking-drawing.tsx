import { BarList } from '@tremor/react';
import './ranking.css';

export interface RankingBarsProps {
  /** Of rows of equal height, from the top: finite and not negative. The largest has the longest bar. */
  readonly values: readonly number[];
  readonly tone: 'failed' | 'trace';
  /** `rule`: the line under an entry is its bar; `row`: the bar is in the middle of its row. */
  readonly shape: 'rule' | 'row';
}

/** Bars of a ranking, in a box of its size. Loads a part of the chart library: import it lazily. */
export function RankingDrawing({ values, tone, shape }: RankingBarsProps) {
  return (
    <BarList
      className={`ranking ranking-${shape} ${tone === 'failed' ? 'text-failed-mark' : 'text-trace'}`}
      data={values.map((value, i) => ({ key: String(i), name: '', value }))}
      sortOrder="none"
    />
  );
}
