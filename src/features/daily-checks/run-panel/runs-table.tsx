import type { RunN } from '#contract/ids.ts';
import type { RunView } from '#contract/runs/query.ts';
import { formatBytes, formatDuration, formatWhen } from '#src/ui/format.ts';
import { StateMark } from '#src/ui/state-mark.tsx';
import { runPanelMessages as t } from './messages.en.ts';

type RunsTableLabels = Pick<RunView, 'n' | 'startedAt' | 'state' | 'durationSec' | 'bytes'>;
interface RunsTableProps<T extends RunsTableLabels> {
  readonly label?: string;
  readonly runs: readonly T[];
  readonly open: RunN;
  readonly zone: string;
  readonly onRun: (row: T) => void;
}

/** The data of the charts as a table: the job's runs, newest first. */
export function RunsTable<T extends RunsTableLabels>({
  label = t.lastRuns,
  runs,
  open,
  zone,
  onRun,
}: RunsTableProps<T>) {
  return (
    <div className="rp-runs">
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t.started}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{t.duration}</th>
            <th scope="col">{t.transferred}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.n} {...(run.n === open && { 'aria-current': 'true' as const })}>
              <td>
                <button type="button" className="text-accent" onClick={() => onRun(run)}>
                  {formatWhen(run.startedAt, zone)}
                </button>
              </td>
              <td>
                <StateMark state={run.state} />
              </td>
              <td>{run.durationSec === null ? '–' : formatDuration(run.durationSec)}</td>
              <td>{run.bytes === null ? '–' : formatBytes(run.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
