import type { Ms } from '#contract/ids.ts';
import { useRemembered } from '../remembered-read.ts';
import { Button } from '../ui/button.tsx';
import { formatAge, formatWhen } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { StateMark } from '../ui/state-mark.tsx';

export interface LastSyncProps { readonly zone: string; readonly now: Ms }

/** Whether every source was last heard without a fault. Asked of the server when it is looked at; where it cannot be asked, what it said last. */
export function LastSync({ zone, now }: LastSyncProps) {
  const { value, at: toldAt, live, failure, asking, again } = useRemembered('lastSync', NOTHING);
  if (value === null) {
    if (failure === null || asking) return <li className="py-1 text-ink-3" aria-busy="true">Asking the server…</li>;
    return (
      <li className="flex items-center gap-3 py-1">
        <span className="min-w-0 grow text-ink-2">{failure.message}</span>
        <Button size="sm" onClick={again}>Try again</Button>
      </li>
    );
  }
  const { status, at, failed } = value;
  return (
    <>
      {!live && toldAt !== null && (
        <li className="flex items-center gap-3 py-1">
          <span className="min-w-0 grow text-ink-2">As of {formatWhen(toldAt, zone)}.</span>
          <Button size="sm" busy={asking} onClick={again}>Try again</Button>
        </li>
      )}
      <li className="flex items-center justify-between gap-3 py-1">
        {status === 'NEVER' && <span className="text-ink-2">No source has reported yet.</span>}
        {status === 'SUCCEEDED' && <span className="inline-flex items-center gap-1.5 text-success"><Icon name="check" />No failures</span>}
        {status === 'FAILED' && <StateMark state="Failed" />}
        {at !== null && <span className="text-agate text-ink-3" data-tip={formatWhen(at, zone)}>last heard {formatAge(at, now)}</span>}
      </li>
      {failed.map((fault) => (
        <li key={fault.entity} className="border-t border-hair py-1.5">
          <span className="flex items-baseline justify-between gap-3">
            <b className="min-w-0 break-words">{fault.entity}</b>
            <span className="shrink-0 text-agate text-ink-3" data-tip={formatWhen(fault.at, zone)}>{formatAge(fault.at, now)}</span>
          </span>
          <span className="block break-words text-ink-2">{fault.message}</span>
        </li>
      ))}
    </>
  );
}

const NOTHING = {};
