import { useEffect, useState } from 'react';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
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

interface Estimated {
  readonly value: EstimateOut | null;
  readonly failure: Failure | null;
}

/** The sum of estimates. What the longest of them assumes is said. */
function useEstimates(organizationId: string, taskIds: readonly string[]): Estimated {
  const [loaded, setLoaded] = useState<(Estimated & { readonly of: string }) | null>(null);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const of = taskIds.join(' ');
  useEffect(() => {
    if (offline) return;
    let isOver = false;
    void (async () => {
      const answers = await Promise.all(
        of
          .split(' ')
          .map((taskId) => client().ask('getRestoreEstimate', { organizationId, taskId })),
      );
      if (isOver) return;
      const failed = answers.find((answer) => !answer.ok);
      const values = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
      setLoaded({
        of,
        value: failed === undefined ? addEstimates(values) : null,
        failure: failed?.ok === false ? failed.failure : null,
      });
    })();
    return () => {
      isOver = true;
    };
  }, [organizationId, of, offline]);
  return loaded?.of === of ? loaded : UNKNOWN;
}

function addEstimates(estimates: readonly EstimateOut[]): EstimateOut | null {
  const [longest] = estimates.toSorted((a, b) => b.durationMs - a.durationMs);
  if (longest === undefined) return null;
  const durationMs = estimates.reduce((sum, one) => sum + one.durationMs, 0);
  return { ...longest, durationMs };
}

const UNKNOWN: Estimated = { value: null, failure: null };
const EMPTY = {};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

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
