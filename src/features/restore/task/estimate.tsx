import { DAY_MS, HOUR_MS, MINUTE_MS } from '#contract/time/durations.ts';
import type { OutputOf } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useRequest } from '../../shared/queries/use-query.ts';
import { estimateMessages as t } from './estimate.messages.en.ts';

type EstimateOut = OutputOf<'getRestoreEstimate'>;

/** About how long the restores of dry runs take one after another, and what that assumes. */
export function Estimate({
  organizationId,
  taskIds,
}: {
  readonly organizationId: string;
  readonly taskIds: readonly string[];
}) {
  const { value, failure } = useEstimates(organizationId, taskIds);
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

/** The sum of estimates. What the longest of them assumes is said. */
function useEstimates(organizationId: string, taskIds: readonly string[]) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  return useRequest(
    'getRestoreEstimate',
    { organizationId, taskIds },
    async () => {
      const answers = await Promise.all(
        taskIds.map((taskId) => client().ask('getRestoreEstimate', { organizationId, taskId })),
      );
      const failure = answers.find((answer) => !answer.ok);
      return (
        failure ?? ok(addEstimates(answers.flatMap((answer) => (answer.ok ? [answer.value] : []))))
      );
    },
    !offline,
  );
}

function addEstimates(estimates: readonly EstimateOut[]): EstimateOut | null {
  const [longest] = estimates.toSorted((a, b) => b.durationMs - a.durationMs);
  if (longest === undefined) return null;
  const durationMs = estimates.reduce((sum, one) => sum + one.durationMs, 0);
  return { ...longest, durationMs };
}

const EMPTY = {};

function getDurationText({ durationMs }: EstimateOut): string {
  if (durationMs <= MINUTE_MS) return t.aMinute;
  if (durationMs < HOUR_MS) return t.minutes({ count: Math.ceil(durationMs / MINUTE_MS) });
  return durationMs < DAY_MS
    ? t.hours({ count: Math.ceil(durationMs / HOUR_MS) })
    : t.days({ count: Math.ceil(durationMs / DAY_MS) });
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
