/* oxlint-disable jsx-a11y/prefer-tag-over-role -- drawn here, not loaded as a picture */
import type { Ms } from '#contract/ids.ts';
import { EVERYTHING } from '#contract/monitoring/query.ts';
import type { RunView } from '#contract/monitoring/query.ts';
import { useWatch } from '#src/door.ts';
import { formatBytes, formatDate, formatDuration, plural } from '#src/ui/format.ts';
import { drawMultiple } from './multiple.ts';
import type { Point } from './multiple.ts';

const RUNS = 30;
const WIDTH = 180;
const HEIGHT = 56;

/** How long the last runs of the job took and what they sent, against what is usual. */
export function LastRuns({ row, zone }: { readonly row: RunView; readonly zone: string }) {
  const view = useWatch('runs', { filter: { ...EVERYTHING, jobs: [row.job], rows: 'runs' }, window: { first: 0, count: RUNS }, held: false, folded: [], round: 0 });
  const runs = (view?.rows ?? []).filter((run) => run.job === row.job && run.status !== 'Running').toReversed();
  const first = runs[0]?.startedAt;
  const last = runs.at(-1)?.startedAt;
  return (
    <section className="pt-3">
      <h3 className="m-0 flex items-baseline gap-2 pb-1">Last {plural(runs.length || RUNS, 'run')} <span className="dc-ag ml-auto font-normal">band is the usual range</span></h3>
      <div className="grid grid-cols-2 gap-5 pt-0.5">
        <Multiple
          name="Duration" value={row.durationSec} say={formatDuration} usual={row.usualDuration} first={first} last={last} zone={zone}
          points={runs.map((run) => ({ value: run.durationSec, failed: failed(run) }))}
        />
        <Multiple
          name="Transferred" value={row.bytes} say={formatBytes} usual={row.usualBytes} first={first} last={last} zone={zone}
          points={runs.map((run) => ({ value: run.bytes, failed: failed(run) }))}
        />
      </div>
    </section>
  );
}

const failed = (run: RunView): boolean => run.status === 'Failed' || run.status === 'Error';

interface MultipleProps {
  readonly name: string;
  readonly value: number | null;
  readonly say: (value: number) => string;
  readonly usual: readonly [low: number, high: number] | null;
  readonly points: readonly Point[];
  readonly first: Ms | undefined;
  readonly last: Ms | undefined;
  readonly zone: string;
}

function Multiple({ name, value, say, usual, points, first, last, zone }: MultipleProps) {
  const { band, line, crosses } = drawMultiple(points, usual, WIDTH, HEIGHT);
  const day = (at: Ms | undefined): string => (at === undefined ? '' : formatDate(at, zone).slice(0, 5));
  const failures = points.filter((point) => point.failed).length;
  const range = usual && (say(usual[0]) === say(usual[1]) ? say(usual[0]) : `${shorn(say(usual[0]), say(usual[1]))} to ${say(usual[1])}`);
  return (
    <figure className="m-0 min-w-0">
      <figcaption className="flex flex-wrap items-baseline justify-between pb-1">
        <b><span className="sr-only">{name}: </span>{value === null ? 'unknown' : say(value)}</b>
        {range !== null && <span className="dc-ag">usual {range}</span>}
      </figcaption>
      <svg
        className="block w-full" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" height={HEIGHT} role="img" fill="none"
        aria-label={`${name} of ${plural(points.length, 'run')}, ${failures} failed${range === null ? '' : `, usual ${range}`}`}
      >
        {band && <rect x="0" y={band.y} width={WIDTH} height={band.height} fill="var(--band)" opacity=".7" />}
        <path d={line} stroke="var(--trace)" strokeWidth="1.25" strokeLinejoin="round" vectorEffect="non-scaling-stroke" />
        <path d={crosses} stroke="var(--failed-mark)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
        <path d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} stroke="var(--rule)" vectorEffect="non-scaling-stroke" />
      </svg>
      <div className="dc-ag flex justify-between pt-0.5"><span>{day(first)}</span><span>{day(last)}</span></div>
    </figure>
  );
}

/** `40` of `40 min` where the other end has the same unit. */
function shorn(low: string, high: string): string {
  const unit = / \D+$/.exec(high)?.[0];
  return unit !== undefined && low.endsWith(unit) && low.indexOf(' ') === low.length - unit.length ? low.slice(0, -unit.length) : low;
}
