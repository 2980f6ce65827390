// always redrawn as a whole: the compiler's memoization would add a third more code to the first
// load
'use no memo';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- drawn inline instead of loading an image */
import type { RunState } from '#contract/runs/query.ts';
import { stripPaths, stripWidth, stripWords } from './spark-bars.ts';
import type { StripSize } from './spark-bars.ts';
import { usualLine } from './baseline.ts';

/** Daily states of a job, one bar per day. `today`: formatted as in the screen reader text. */
export function Strip({
  strip,
  size,
  today,
}: {
  readonly strip: readonly (RunState | null)[];
  readonly size: StripSize;
  readonly today: string;
}) {
  const width = stripWidth(strip.length, size);
  return (
    <svg
      className="dc-strip"
      role="img"
      aria-label={stripWords(strip, today)}
      width={width}
      height={size.tall}
      viewBox={`0 0 ${width} ${size.tall}`}
    >
      {stripPaths(strip, size).map(({ mark, d }) => (
        <path
          key={mark}
          className={`dc-m-${mark}`}
          {...(mark === 'missed' && size.bar <= 2 && { 'data-dots': '' })}
          d={d}
        />
      ))}
    </svg>
  );
}

/**
 * A value and its usual range, on the line of the style sheet. `bad`: the run failed, so a value
 * outside has the color of failures, otherwise of anomalies.
 */
export function UsualRange({
  value,
  usual,
  bad,
}: {
  readonly value: number | null;
  readonly usual: readonly [low: number, high: number] | null;
  readonly bad: boolean;
}) {
  const { band, needle, outside } = usualLine(value, usual, 56);
  if (!band) return null;
  const tone = !outside ? 'var(--ink-2)' : bad ? 'var(--failed-mark)' : 'var(--anomaly-mark)';
  return (
    <svg className="dc-usual" aria-hidden width="56" height="9" viewBox="0 0 56 9">
      <path
        d={`M${band[0]} 2.5H${Math.max(band[1], band[0] + 2)}v4H${band[0]}z`}
        fill="var(--band)"
      />
      {needle !== null && <path d={`M${needle} 0h2v9h-2z`} fill={tone} />}
    </svg>
  );
}
