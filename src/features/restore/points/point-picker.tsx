import { useEffect, useEffectEvent, useState } from 'react';
import type { RestorePoint } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { getDay, startOfDay, zoneOrUtc } from '#contract/time/day.ts';
import type { DayN } from '#contract/time/day.ts';
import type { Failure } from '#contract/errors.ts';
import { useNow } from '#src/app/clock.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useZone } from '#src/app/session/session.ts';
import { IconButton } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatDate, formatTime, formatTimeSeconds } from '#src/ui/format.ts';
import { isTyping } from '#src/ui/is-typing.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { Select } from '#src/ui/select.tsx';
import { useRequest } from '../../shared/queries/use-query.ts';
import { listPoints } from '../use-restore-session.ts';
import type { WorkloadPage } from '../workload.ts';
import { PointSlider, timelineSummary } from './point-slider.tsx';
import { getTimeline, groupByDay, indexAt, stepPoint, TIMELINE_DAYS } from './timeline.ts';
import { pointMessages as t } from './messages.en.ts';

export interface PointPickerProps {
  readonly workload: WorkloadPage;
  readonly organization: string;
  /** The newest points, newest first. */
  readonly points: readonly RestorePoint[];
  readonly isComplete: boolean;
  readonly at: Ms;
  readonly onChoose: (at: Ms) => void;
}

/** Chooses a restore point by day and time, on a slider, or with `[` and `]`. */
export function PointPicker(props: PointPickerProps) {
  const { at, onChoose } = props;
  const zone = useZone();
  const now = useNow(60_000);
  const today = getDay(now, zoneOrUtc(zone), 0);
  const [window, setWindow] = useState<{ readonly at: Ms; readonly last: DayN } | null>(null);
  const day = getDay(at, zoneOrUtc(zone), 0);
  // The window shows the open point, unless the user looks at other days.
  const last = window !== null && window.at === at ? window.last : lastFor(day, today);
  const { points, isComplete, failure, retry } = usePointsUpTo(props, last, zone);
  const to = (point: RestorePoint | null): void => {
    if (point !== null) onChoose(point.at);
  };
  const onKey = useEffectEvent((event: KeyboardEvent): void => {
    if (event.defaultPrevented || isTyping(event)) return;
    const by = { '[': -1, ']': 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    to(stepPoint(points, at, by));
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onKey(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);

  const days = groupByDay(points, zone);
  const open = points[Math.max(0, indexAt(points, at))];
  const chosen = days.find((one) => one.points.some(({ id }) => id === open?.id));
  const timeline = getTimeline(points, { last, zone, slots: 1, isComplete });
  const first = startOfDay(timeline.first, zoneOrUtc(zone), 0);
  const hasEarlier = !isComplete || (points.at(-1)?.at ?? first) < first;
  return (
    <div className="flex min-w-0 grow flex-wrap items-start gap-x-7 gap-y-2">
      <div className="flex min-w-0 flex-wrap items-end gap-2">
        <span className="grid gap-1">
          <span className="text-agate text-ink-3">{t.point}</span>
          <span className="flex gap-2">
            <Select
              label={t.day}
              hideLabel
              value={chosen === undefined ? '' : String(chosen.day)}
              options={days.map((one) => ({
                value: String(one.day),
                label: formatDate(one.points[0]?.at ?? 0, zone),
              }))}
              onChange={(value) =>
                to(days.find((one) => String(one.day) === value)?.points[0] ?? null)
              }
            />
            <Select
              label={t.point}
              hideLabel
              value={open?.id ?? ''}
              options={timeOptions(chosen?.points ?? [], zone)}
              onChange={(id) => to(points.find((point) => point.id === id) ?? null)}
            />
            <span className="flex items-center gap-1.5">
              <IconButton
                icon="chevron-left"
                label={t.earlier}
                keycap="["
                aria-disabled={stepPoint(points, at, -1) === null}
                onClick={() => to(stepPoint(points, at, -1))}
              />
              <IconButton
                icon="chevron-right"
                label={t.later}
                keycap="]"
                aria-disabled={stepPoint(points, at, 1) === null}
                onClick={() => to(stepPoint(points, at, 1))}
              />
            </span>
          </span>
        </span>
      </div>
      <div className="min-w-0 grow basis-72">
        <p
          className="m-0 truncate text-agate text-ink-3"
          data-tip={timelineSummary(timeline, zone)}
        >
          {timelineSummary(timeline, zone)}
        </p>
        <div className="flex min-w-0 items-start gap-1">
          <IconButton
            icon="chevron-left"
            label={t.earlierDays}
            aria-disabled={!hasEarlier}
            onClick={() => hasEarlier && setWindow({ at, last: last - TIMELINE_DAYS })}
          />
          <PointSlider
            points={points}
            isComplete={isComplete}
            at={at}
            last={last}
            today={today}
            zone={zone}
            onChoose={onChoose}
          />
          <IconButton
            icon="chevron-right"
            label={t.laterDays}
            aria-disabled={last >= today}
            onClick={() =>
              last < today && setWindow({ at, last: Math.min(today, last + TIMELINE_DAYS) })
            }
          />
        </div>
        {failure !== null && (
          <Callout tone="failed" alert action={offerRetry(failure, retry, { size: 'sm' })}>
            {t.earlierFailed({ reason: getFailureText(failure) })}
          </Callout>
        )}
      </div>
    </div>
  );
}

/** The times of a day's points, with seconds where two share a minute. */
function timeOptions(
  points: readonly RestorePoint[],
  zone: string,
): readonly { readonly value: string; readonly label: string }[] {
  const times = points.map(({ at }) => formatTime(at, zone));
  return points.map(({ id, at }, index) => {
    const time = times[index] ?? '';
    const isShared = times.indexOf(time) !== times.lastIndexOf(time);
    return { value: id, label: isShared ? formatTimeSeconds(at, zone) : time };
  });
}

/** The last day of the newest period that shows a day. */
const lastFor = (day: DayN, today: DayN): DayN =>
  today - Math.floor((today - day) / TIMELINE_DAYS) * TIMELINE_DAYS;

/** The newest points, and those of an earlier period that it asks for. */
function usePointsUpTo(
  { workload, organization, points, isComplete }: PointPickerProps,
  last: DayN,
  zone: string,
): {
  readonly points: readonly RestorePoint[];
  readonly isComplete: boolean;
  /** Why the earlier period could not be loaded. */
  readonly failure: Failure | null;
  readonly retry: () => void;
} {
  const timeZone = zoneOrUtc(zone);
  const from = startOfDay(last - TIMELINE_DAYS + 1, timeZone, 0);
  const isKnown = isComplete || (points.at(-1)?.at ?? 0) < from;
  const { value, failure, isLoading, again } = useRequest(
    'listRestorePoints',
    { organization, workload: workload.kind, from, last, timeZone },
    () =>
      listPoints(workload, organization, {
        from: String(from),
        to: String(startOfDay(last + 1, timeZone, 0) - 1),
      }),
    !isKnown,
  );
  if (isKnown || value === null)
    return { points, isComplete, failure: isKnown || isLoading ? null : failure, retry: again };
  const oldest = points.at(-1)?.at ?? Infinity;
  return {
    points: [...points, ...value.points.filter(({ at }) => at < oldest)],
    isComplete,
    failure,
    retry: again,
  };
}
