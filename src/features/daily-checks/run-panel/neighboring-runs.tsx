import type { Execution } from '#contract/runs/calls.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { PanelPart } from './part.tsx';
import { RunsTable } from './runs-table.tsx';
import { runPanelMessages as t } from './messages.en.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';

const DAYS = 7;
const PAGE_SIZE = '60';

interface RunsAroundProps {
  readonly execution: Execution;
  readonly zone: string;
  readonly onRun: (run: { readonly n: number; readonly job: number }) => void;
}

/**
 * SEEK-6: the job's runs in the week before and after, from the server, for jobs whose history is
 * not on this device.
 */
export function RunsAround({ execution, zone, onRun }: RunsAroundProps) {
  const { jobInstanceUid, jobName, companyName, startTime, _id: id } = execution;
  const at = Date.parse(startTime);
  const { value, failure, again } = useCachedQuery('listResults', {
    from: new Date(at - DAYS * DAY_MS).toISOString(),
    to: new Date(at + DAYS * DAY_MS).toISOString(),
    pageSize: PAGE_SIZE,
    filters: JSON.stringify({ jobInstanceUid: [jobInstanceUid] }),
  });
  // Job ids can be equal in different sources.
  const runs = (value?.rows ?? [])
    .filter((run) => run.jobName === jobName && run.companyName === companyName)
    .map(({ _id: n, ...run }) => ({
      n: Number(n),
      job: 0,
      startedAt: Date.parse(run.startTime),
      state: run.status === 'Success' && run.anomaly.length > 0 ? ('Anomaly' as const) : run.status,
      durationSec: run.durationSec,
      bytes: run.bytesTransferred,
    }));
  return (
    <PanelPart
      title={t.runsAroundThatDay}
      aside={value === null ? undefined : t.runsInTwoWeeks({ count: runs.length })}
    >
      {value === null && failure !== null && (
        <div className="grid justify-items-start gap-2">
          <p className="m-0" role="alert">
            {failure.message}
          </p>
          {offerRetry(failure, again)}
        </div>
      )}
      {value === null && failure === null && (
        <div className="rp-wait">
          <span className="sr-only">{t.loadingRuns}</span>
          <i />
          <i />
        </div>
      )}
      {value !== null && (
        <RunsTable
          label={t.runsAroundThatDay}
          runs={runs}
          open={Number(id)}
          zone={zone}
          onRun={onRun}
        />
      )}
    </PanelPart>
  );
}
