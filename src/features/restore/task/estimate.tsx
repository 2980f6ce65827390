import type { OutputOf } from '#contract/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { useQuery } from '../../shared/queries/use-query.ts';
import { estimateMessages as t } from './estimate.messages.en.ts';

type EstimateOut = OutputOf<'getRestoreEstimate'>;

/** About how long the restore of a dry run takes, and what that assumes. */
export function Estimate({
  organizationId,
  taskId,
}: {
  readonly organizationId: string;
  readonly taskId: string;
}) {
  const { value, failure } = useQuery('getRestoreEstimate', { organizationId, taskId });
  return (
    <output className="block">
      {failure !== null ? (
        <p className="m-0 text-agate text-ink-3">
          {t.unknown({ message: getFailureText(failure) })}
        </p>
      ) : value === null ? (
        <p className="m-0 text-agate text-ink-3">{t.estimating}</p>
      ) : (
        <>
          <p className="m-0 font-semibold">{t.takes({ duration: getDurationText(value) })}</p>
          <p className="m-0 text-agate text-ink-2">{getAssumption(value)}</p>
        </>
      )}
    </output>
  );
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function getDurationText({ durationMs }: EstimateOut): string {
  if (durationMs <= MINUTE_MS) return t.aMinute;
  if (durationMs < HOUR_MS) return t.minutes({ count: durationMs / MINUTE_MS });
  return durationMs < DAY_MS
    ? t.hours({ count: durationMs / HOUR_MS })
    : t.days({ count: durationMs / DAY_MS });
}

function getAssumption({ limit, restores }: EstimateOut): string {
  switch (limit) {
    case 'upload':
      return t.byUpload;
    case 'requests':
      return t.byRequests;
    case 'throttled':
      return t.byThrottling;
    case 'speed':
      return restores === 0 ? t.bySpeed : t.byRestores({ count: restores });
  }
}
