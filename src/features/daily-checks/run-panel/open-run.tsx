import { useState } from 'react';
import type { JobN, RunN } from '#contract/ids.ts';
import type { RunView } from '#contract/runs/query.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { getRow } from './from-execution.ts';
import { getLastRuns } from './last-runs.tsx';
import { RunPanel } from './panel.tsx';
import type { PanelAction, PanelProps } from './panel.tsx';
import { useExecution } from './use-execution.ts';
import type { ExecutionQuery } from './use-execution.ts';
import { runPanelMessages as t } from './messages.en.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { offerRetry } from '#src/ui/offer-retry.tsx';

interface OpenRunProps extends Omit<PanelProps, 'row' | 'runs' | 'query' | 'onAction' | 'onRun'> {
  readonly n: RunN;
  /** Null if the run is not among the loaded rows. */
  readonly row: RunView | null;
  readonly onAction: (action: PanelAction, runs: readonly RunN[]) => void;
  readonly onRun: (n: RunN) => void;
}

/**
 * The run in the address: a panel beside the list, on a phone a sheet. A run outside the list is
 * read from this device if it is among the last runs of an open job, otherwise from the server.
 */
export function OpenRun({ n, row, onAction, onRun, ...rest }: OpenRunProps) {
  const [jobs] = useState(() => new Map<RunN, JobN>());
  const job = row?.job ?? jobs.get(n) ?? 0;
  const runs = useWatch('runs', getLastRuns(job))?.rows.filter((run) => run.job === job) ?? [];
  const here = row ?? runs.find((run) => run.n === n) ?? null;
  const request = useExecution(n, here === null ? 'unlisted' : getStamp(here));
  const shown = here ?? (request.execution && getRow(n, request.execution));
  const open = (run: Pick<RunView, 'n' | 'job'>): void => {
    jobs.set(run.n, run.job);
    onRun(run.n);
  };
  const panel =
    shown === null ? (
      <Nothing query={request} onClose={rest.onClose} />
    ) : (
      <RunPanel
        {...rest}
        row={shown}
        runs={runs}
        query={request}
        onAction={(action) => onAction(action, [n])}
        onRun={open}
      />
    );
  if (rest.phone) {
    return (
      <Dialog title={shown?.companyName ?? t.jobResult} place="bottom" onClose={rest.onClose}>
        <div className="rp border-0" data-phone="">
          {panel}
        </div>
      </Dialog>
    );
  }
  return (
    <aside className="rp" aria-label={t.jobResult}>
      {panel}
    </aside>
  );
}

function Nothing({
  query: { failure, message, again },
  onClose,
}: {
  readonly query: ExecutionQuery;
  readonly onClose: () => void;
}) {
  return (
    <div className="grid content-start gap-3 p-5">
      {message === null ? (
        <div className="rp-wait">
          <span className="sr-only">{t.loadingResult}</span>
          <i />
          <i />
          <i />
        </div>
      ) : (
        <>
          <p className="m-0" role="alert">
            {message}
          </p>
          <div className="flex gap-2">
            {offerRetry(failure, again)}
            <Button variant="quiet" onClick={onClose}>
              {uiMessages.close}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

/** Returns a key that changes when the run must be requested again. */
function getStamp({ problem, waiting, status }: RunView): string {
  return [
    status,
    waiting,
    problem?.review?.at,
    problem?.snooze?.at,
    problem?.note?.at,
    problem?.ticket,
    problem?.linkedTicket?.open,
    problem?.helpedBy?.length,
    problem?.closedAt,
  ].join(' ');
}
