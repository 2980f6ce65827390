import type { RunN } from '#contract/ids.ts';
import type { RunView } from '#contract/monitoring/query.ts';
import { Button } from '#src/ui/button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { rowOf } from './from-execution.ts';
import { RunPanel } from './panel.tsx';
import type { Deed, PanelProps } from './panel.tsx';
import { useExecution } from './use-execution.ts';

interface OpenRunProps extends Omit<PanelProps, 'row' | 'onDeed'> {
  readonly n: RunN;
  /** Null where the run is not among the rows that are here: then the server is asked. */
  readonly row: RunView | null;
  readonly onDeed: (deed: Deed, runs: readonly RunN[]) => void;
}

/** The run that the address names: beside the list, on a phone a sheet over it. */
export function OpenRun({ n, row, onDeed, ...rest }: OpenRunProps) {
  const panel = row
    ? <RunPanel {...rest} row={row} onDeed={(deed) => onDeed(deed, [n])} />
    : <Unlisted {...rest} n={n} onDeed={(deed) => onDeed(deed, [n])} />;
  if (rest.phone) {
    return <Dialog title={row?.companyName ?? 'Job result'} place="bottom" onClose={rest.onClose}><div className="rp border-0" data-phone="">{panel}</div></Dialog>;
  }
  return <aside className="rp" aria-label="Job result">{panel}</aside>;
}

function Unlisted({ n, ...rest }: Omit<PanelProps, 'row'> & { readonly n: RunN }) {
  const { again, ...asked } = useExecution(n, 'unlisted');
  if (asked.execution) return <RunPanel {...rest} row={rowOf(n, asked.execution)} />;
  return (
    <div className="grid content-start gap-3 p-5">
      {asked.is === 'asking' ? <div className="rp-wait"><span className="sr-only">The result is on its way</span><i /><i /><i /></div> : (
        <>
          <p className="m-0" role="alert">{asked.is === 'failed' ? asked.message : ''}</p>
          <div className="flex gap-2"><Button onClick={again}>Try again</Button><Button variant="quiet" onClick={rest.onClose}>Close</Button></div>
        </>
      )}
    </div>
  );
}
