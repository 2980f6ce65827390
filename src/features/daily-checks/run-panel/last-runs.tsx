/* oxlint-disable jsx-a11y/prefer-tag-over-role -- drawn inline instead of loading an image; points work like a slider, whose own track would cover them */
import { Suspense, useId, useState } from 'react';
import type { CSSProperties } from 'react';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunView } from '#contract/runs/query.ts';
import { SparkLine } from '#src/ui/charts/lazy-charts.ts';
import { SPARK_EDGE } from '#src/ui/charts/scales.ts';
import { formatBytes, formatDate, formatDuration, formatWhen } from '#src/ui/format.ts';
import { STATES } from '#src/ui/states.ts';
import {
  drawMultiple,
  getNearestColumn,
  omitSharedUnit,
  PAD,
  stepColumn,
} from './small-multiple.ts';
import { PanelPart } from './part.tsx';
import { RunsTable } from './runs-table.tsx';
import { runPanelMessages as t } from './messages.en.ts';

const RUNS = 30;
const WIDTH = 180;
const HEIGHT = 56;
/** The box of the line, whose scale ends a pixel above the axis: the library leaves an edge. */
const LINE = {
  'top': -SPARK_EDGE,
  'height': HEIGHT - 1 + 2 * SPARK_EDGE,
  'insetInline': `calc(${(PAD / WIDTH) * 100}% - ${SPARK_EDGE}px)`,
  '--line': 'var(--trace)',
} as CSSProperties;

interface LastRunsProps {
  readonly row: RunView;
  readonly last: readonly RunView[];
  readonly zone: string;
  readonly onRun: (row: RunView) => void;
}

/**
 * Charts of duration and transferred data of the job's last runs against the usual values. A point
 * opens its run. The same data is available as a table.
 */
export function LastRuns({ row, last, zone, onRun }: LastRunsProps) {
  const [table, setTable] = useState(false);
  const [pointed, setPointed] = useState<number | null>(null);
  const runs = last.filter((run) => run.status !== 'Running').toReversed();
  const open = runs.findIndex((run) => run.n === row.n);
  const charts = {
    runs,
    open,
    pointed: pointed !== null && pointed < runs.length ? pointed : null,
    zone,
    onPoint: setPointed,
    onRun,
  };
  return (
    <PanelPart
      title={runs.length === 1 ? t.lastRun : t.lastRunsCount({ count: runs.length || RUNS })}
      aside={table || (row.usualDuration ?? row.usualBytes) === null ? undefined : t.bandLegend}
      more={
        runs.length === 0
          ? null
          : {
              open: table,
              label: table ? t.asChart : t.asTable,
              onPress: () => setTable(!table),
            }
      }
    >
      {table ? (
        <RunsTable runs={runs.toReversed()} open={row.n} zone={zone} onRun={onRun} />
      ) : (
        <div className="grid grid-cols-2 items-end gap-5 pt-0.5">
          <Multiple
            {...charts}
            name={t.duration}
            own={row.durationSec}
            of={(run) => run.durationSec}
            format={formatDuration}
            usual={row.usualDuration}
          />
          <Multiple
            {...charts}
            name={t.transferred}
            own={row.bytes}
            of={(run) => run.bytes}
            format={formatBytes}
            usual={row.usualBytes}
          />
        </div>
      )}
    </PanelPart>
  );
}

/** Returns the worker query. */
export const getLastRuns = (job: number) =>
  ({
    filter: { ...EVERYTHING, jobs: [job], rows: 'runs' },
    window: { first: 0, count: RUNS },
    isInUse: false,
    folded: [],
    round: 0,
  }) as const;

interface MultipleProps {
  readonly name: string;
  /** Value of the open run. */
  readonly own: number | null;
  readonly of: (run: RunView) => number | null;
  readonly format: (value: number) => string;
  readonly usual: readonly [low: number, high: number] | null;
  /** Oldest first. */
  readonly runs: readonly RunView[];
  readonly open: number;
  readonly pointed: number | null;
  readonly zone: string;
  readonly onPoint: (place: number | null) => void;
  readonly onRun: (run: RunView) => void;
}

function Multiple({
  name,
  own,
  of,
  format,
  usual,
  runs,
  open,
  pointed,
  zone,
  onPoint,
  onRun,
}: MultipleProps) {
  const points = runs.map((run) => ({
    value: of(run),
    failed: run.status === 'Failed' || run.status === 'Error',
  }));
  const { band, top, crosses, at } = drawMultiple(points, usual, WIDTH, HEIGHT);
  const formatValue = (value: number | null): string =>
    value === null ? t.unknown : format(value);
  const [first, last, run] = [runs[0], runs.at(-1), pointed === null ? undefined : runs[pointed]];
  const failures = points.filter((point) => point.failed).length;
  const range =
    usual &&
    (format(usual[0]) === format(usual[1])
      ? format(usual[0])
      : t.range({
          low: omitSharedUnit(format(usual[0]), format(usual[1])),
          high: format(usual[1]),
        }));
  const place = pointed ?? (open < 0 ? runs.length - 1 : open);
  const here = runs[place];
  const how = useId();
  const placeAt = ({ clientX, currentTarget }: React.MouseEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return getNearestColumn(runs.length, (clientX - left) / Math.max(1, width), WIDTH);
  };
  const onKey = (event: React.KeyboardEvent): void => {
    const to = stepColumn(event.key, place, runs.length);
    if (to === null && event.key !== 'Enter') return;
    event.preventDefault();
    if (to !== null) onPoint(to);
    else if (here) onRun(here);
  };
  const shown = run ? of(run) : own;
  const dot = at[pointed ?? open];
  return (
    <figure className="m-0 min-w-0">
      {/* always two lines, so that the chart does not move under the pointer */}
      <figcaption className="pb-1">
        <b className="block truncate">
          <span className={shown === null ? '' : 'sr-only'}>{t.measure({ name })}</span>
          {formatValue(shown)}
        </b>
        {range !== null && (
          <span className="dc-ag block truncate">{t.typicalRange({ range })}</span>
        )}
      </figcaption>
      <div
        className="rp-points"
        role="slider"
        tabIndex={0}
        aria-label={
          range === null
            ? t.chartLabel({ name, count: runs.length, failed: failures })
            : t.chartLabelTypical({ name, count: runs.length, failed: failures, range })
        }
        aria-valuemin={1}
        aria-valuemax={Math.max(1, runs.length)}
        aria-valuenow={Math.max(1, place + 1)}
        aria-describedby={how}
        aria-valuetext={
          here
            ? `${formatWhen(here.startedAt, zone)}, ${STATES[here.state].label}, ${formatValue(of(here))}`
            : t.noRun
        }
        onKeyDown={onKey}
        onBlur={() => onPoint(null)}
        onPointerMove={(event) => onPoint(placeAt(event))}
        onPointerLeave={() => onPoint(null)}
        onClick={(event) => {
          const one = runs[placeAt(event)];
          if (one) onRun(one);
        }}
      >
        {band && (
          <i
            aria-hidden
            className="absolute inset-x-0 bg-band opacity-70"
            style={{ top: band.y, height: band.height }}
          />
        )}
        <div aria-hidden className="absolute" style={LINE}>
          <Suspense>
            <SparkLine
              values={points.map(({ value }) => value)}
              scale={[0, top]}
              hasGaps
              width={WIDTH}
              height={HEIGHT}
            />
          </Suspense>
        </div>
        <svg
          className="relative block w-full"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          height={HEIGHT}
          aria-hidden
          fill="none"
        >
          <path
            d={crosses}
            stroke="var(--failed-mark)"
            strokeWidth="1.5"
            vectorEffect="non-scaling-stroke"
          />
          <path
            d={`M0 ${HEIGHT - 0.5}H${WIDTH}`}
            stroke="var(--rule)"
            vectorEffect="non-scaling-stroke"
          />
          {run && dot && (
            <path
              d={`M${dot.x} 0V${HEIGHT}`}
              stroke="var(--ink-2)"
              vectorEffect="non-scaling-stroke"
            />
          )}
        </svg>
        <span id={how} className="sr-only">
          {t.enterOpensRun}
        </span>
        {dot && <i className="rp-dot" style={{ left: `${(dot.x / WIDTH) * 100}%`, top: dot.y }} />}
      </div>
      <div className="dc-ag flex justify-between pt-0.5 whitespace-nowrap">
        {run ? (
          <span>
            {formatWhen(run.startedAt, zone)}, {STATES[run.state].label.toLowerCase()}
          </span>
        ) : (
          <>
            <span>{first && getDay(first, zone)}</span>
            {runs.length > 1 && <span>{last && getDay(last, zone)}</span>}
          </>
        )}
      </div>
    </figure>
  );
}

const getDay = ({ startedAt }: RunView, zone: string): string =>
  formatDate(startedAt, zone).slice(0, 5);
