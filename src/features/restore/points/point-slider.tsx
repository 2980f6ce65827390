import { formatList } from '#contract/i18n/list.ts';
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- its ticks and steps are no range of numbers, as <input> has */
import type { KeyboardEvent, PointerEvent } from 'react';
import type { RestorePoint } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { startOfDay, zoneOrUtc } from '#contract/time/day.ts';
import type { DayN } from '#contract/time/day.ts';
import { formatCount, formatDate, formatWhen } from '#src/ui/format.ts';
import { useWidth } from '#src/ui/use-width.ts';
import { getTimeline, indexAt, stepDay, stepPoint } from './timeline.ts';
import type { Tick, Timeline } from './timeline.ts';
import { pointMessages as t } from './messages.en.ts';

/** CSS pixels. */
const TICK_PX = 6;
const AXIS_Y = 26;
const HEIGHT = 46;
const THUMB = 7;

export interface PointSliderProps {
  /** Newest first. */
  readonly points: readonly RestorePoint[];
  readonly isComplete: boolean;
  /** The open point. */
  readonly at: Ms;
  readonly last: DayN;
  readonly today: DayN;
  readonly zone: string;
  readonly onChoose: (at: Ms) => void;
}

/**
 * The restore points of 30 days as ticks, whose height is the number of changes. Arrows go from point
 * to point, Page Up and Page Down from day to day.
 */
export function PointSlider({
  points,
  isComplete,
  at,
  last,
  today,
  zone,
  onChoose,
}: PointSliderProps) {
  const { box, width } = useWidth();
  const inner = Math.max(0, width - 2 * THUMB);
  const timeline = getTimeline(points, {
    last,
    zone,
    slots: Math.max(1, Math.floor(inner / TICK_PX)),
    isComplete,
  });
  const index = Math.max(0, indexAt(points, at));
  const point = points[index];
  const chosen = timeline.ticks.find((tick) => tick.points.some((one) => one.at === point?.at));
  const getX = (x: number): number => THUMB + x * inner;

  const onKey = (event: KeyboardEvent): void => {
    const to = getPointForKey(event.key, points, at, zone);
    if (to === undefined) return;
    event.preventDefault();
    if (to !== null) onChoose(to.at);
  };
  const onPoint = (event: PointerEvent): void => {
    if (event.button !== 0 || inner === 0) return;
    const x = (event.clientX - (box.current?.getBoundingClientRect().left ?? 0) - THUMB) / inner;
    const tick = nearestTick(timeline.ticks, x);
    const [newest] = tick?.points ?? [];
    if (newest) onChoose(newest.at);
  };
  const text =
    point === undefined
      ? ''
      : point.result === 'warning'
        ? t.valueWarning({ when: formatWhen(point.at, zone) })
        : formatWhen(point.at, zone);
  return (
    <div ref={box} className="min-w-0 grow">
      <div
        role="slider"
        tabIndex={0}
        aria-label={t.slider}
        aria-valuemin={1}
        aria-valuemax={Math.max(1, points.length)}
        aria-valuenow={points.length - index}
        aria-valuetext={text}
        className="cursor-pointer touch-pan-y rounded-part"
        onKeyDown={onKey}
        onPointerDown={onPoint}
      >
        <svg width={width} height={HEIGHT} aria-hidden className="block">
          <path d={`M0 ${AXIS_Y - 0.5}H${width}`} className="stroke-head-rule" />
          {timeline.ticks.map((tick) => (
            <g key={tick.points[0]?.id} data-tip={tickLabel(tick, zone)}>
              <rect
                x={getX(tick.x) - TICK_PX / 2}
                y={0}
                width={TICK_PX}
                height={AXIS_Y}
                fill="transparent"
              />
              <path
                d={`M${getX(tick.x)} ${AXIS_Y - 1}v${-(4 + 16 * tick.height)}`}
                strokeWidth={tick === chosen ? 3 : 1.5}
                className={
                  tick === chosen
                    ? 'stroke-accent'
                    : tick.hasWarning
                      ? 'stroke-warning-mark'
                      : 'stroke-trace'
                }
              />
            </g>
          ))}
          {timeline.gaps.map(({ day, x }) => (
            <path
              key={day}
              d={`M${getX(x) - 2.5} ${AXIS_Y - 11}l5 5m0-5-5 5`}
              strokeWidth={1.5}
              className="fill-none stroke-failed-mark"
              data-tip={t.noPoint({ day: dayLabel(day, zone) })}
            />
          ))}
          {chosen && (
            <circle
              cx={getX(chosen.x)}
              cy={AXIS_Y - 0.5}
              r={THUMB}
              strokeWidth={2}
              className="fill-accent stroke-sheet"
            />
          )}
          {timeline.weeks.map(({ day, x }, n) =>
            last - day < 3 ? null : (
              <text
                key={day}
                x={n === 0 ? 0 : getX(x)}
                y={43}
                textAnchor={n === 0 ? 'start' : 'middle'}
                className="fill-ink-3 text-[11.5px]"
              >
                {shortDay(day, zone)}
              </text>
            ),
          )}
          <text x={width} y={43} textAnchor="end" className="fill-ink-2 text-[11.5px]">
            {last === today ? t.today : shortDay(last, zone)}
          </text>
        </svg>
      </div>
    </div>
  );
}

/** Returns the point that a key chooses: null at the end, undefined for another key. */
function getPointForKey(
  key: string,
  points: readonly RestorePoint[],
  at: Ms,
  zone: string,
): RestorePoint | null | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return stepPoint(points, at, -1);
    case 'ArrowRight':
    case 'ArrowUp':
      return stepPoint(points, at, 1);
    case 'PageDown':
      return stepDay(points, at, -1, zone);
    case 'PageUp':
      return stepDay(points, at, 1, zone);
    case 'Home':
      return points.at(-1) ?? null;
    case 'End':
      return points[0] ?? null;
    default:
      return undefined;
  }
}

/** Returns the sentence above the slider: how many points, which days have none or warnings. */
export function timelineSummary(timeline: Timeline, zone: string): string {
  return formatList(
    [
      t.summary({ count: timeline.count }),
      ...(timeline.gaps.length === 0
        ? []
        : [
            t.gaps({
              days: listDays(
                timeline.gaps.map(({ day }) => day),
                zone,
              ),
            }),
          ]),
      ...(timeline.warnings.length === 0
        ? []
        : [t.warnings({ days: listDays(timeline.warnings, zone) })]),
    ],
    'plain',
  );
}

function listDays(days: readonly DayN[], zone: string): string {
  const shown = formatList(
    days.slice(0, MAX_LISTED).map((day) => shortDay(day, zone)),
    'plain',
  );
  return days.length > MAX_LISTED
    ? t.moreDays({ days: shown, count: days.length - MAX_LISTED })
    : shown;
}
const MAX_LISTED = 3;

function tickLabel({ points }: Tick, zone: string): string {
  const [newest] = points;
  if (!newest) return '';
  const when = formatWhen(newest.at, zone);
  const known = points.flatMap(({ changes }) => changes ?? []);
  const label =
    points.length === 1 ? when : t.tickMany({ when, count: formatCount(points.length) });
  return known.length < points.length
    ? label
    : t.tickChanges({ label, changes: known.reduce((sum, changes) => sum + changes, 0) });
}

const nearestTick = (ticks: readonly Tick[], x: number): Tick | undefined =>
  ticks.toSorted((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];

const dayLabel = (day: DayN, zone: string): string =>
  formatDate(startOfDay(day, zoneOrUtc(zone), 0), zone);
/** `11/20`. */
const shortDay = (day: DayN, zone: string): string => dayLabel(day, zone).slice(0, 5);
