import type { RunN } from '#contract/ids.ts';
import type { RunView } from '#contract/monitoring/query.ts';
import { formatBytes, formatDuration, formatWhen } from '#src/ui/format.ts';
import { StateMark } from '#src/ui/state-mark.tsx';

interface RunsTableProps { readonly runs: readonly RunView[]; readonly open: RunN; readonly zone: string; readonly onRun: (row: RunView) => void }

/** What the charts say, in words: the last runs of the job, newest first. */
export function RunsTable({ runs, open, zone, onRun }: RunsTableProps) {
  return (
    <div className="rp-runs">
      <table aria-label="Last runs">
        <thead><tr><th scope="col">Started</th><th scope="col">State</th><th scope="col">Duration</th><th scope="col">Transferred</th></tr></thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.n} {...(run.n === open && { 'aria-current': 'true' as const })}>
              <td><button type="button" className="text-accent" onClick={() => onRun(run)}>{formatWhen(run.startedAt, zone)}</button></td>
              <td><StateMark state={run.state} /></td>
              <td>{run.durationSec === null ? '–' : formatDuration(run.durationSec)}</td>
              <td>{run.bytes === null ? '–' : formatBytes(run.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
