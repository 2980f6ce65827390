import { useEffect, useState } from 'react';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import type { LastSync as Answer } from '#contract/sync/calls.ts';
import { door } from '../door.ts';
import { Button } from '../ui/button.tsx';
import { formatAge, formatWhen } from '../ui/format.ts';
import { StateMark } from '../ui/state-mark.tsx';

export interface LastSyncProps { readonly zone: string; readonly now: Ms }

/** Whether every source was last heard without a fault. Asked of the server when it is looked at. */
export function LastSync(props: LastSyncProps) {
  const [round, setRound] = useState(0);
  return <Answered key={round} {...props} onAgain={() => setRound(round + 1)} />;
}

function Answered({ zone, now, onAgain }: LastSyncProps & { readonly onAgain: () => void }) {
  const [answer, setAnswer] = useState<Result<Answer> | null>(null);
  useEffect(() => {
    let gone = false;
    const take = async (): Promise<void> => {
      const result = await door().ask('lastSync', {});
      if (!gone) setAnswer(result);
    };
    take().catch(() => { if (!gone) setAnswer(FAULT); });
    return () => { gone = true; };
  }, []);
  if (answer === null) return <li className="py-1 text-ink-3" aria-busy="true">Asking the server…</li>;
  if (!answer.ok) {
    return (
      <li className="flex items-center gap-3 py-1">
        <span className="min-w-0 grow text-ink-2">{answer.failure.kind === 'needs-network' ? answer.failure.message : MESSAGES.getLastSync}</span>
        <Button size="sm" onClick={onAgain}>Try again</Button>
      </li>
    );
  }
  const { status, at, failed } = answer.value;
  return (
    <>
      <li className="flex items-baseline justify-between gap-3 py-1">
        {status === 'NEVER' && <span className="text-ink-2">No source has reported yet.</span>}
        {status === 'SUCCEEDED' && <StateMark state="Success" />}
        {status === 'FAILED' && <StateMark state="Failed" />}
        {at !== null && <span className="text-agate text-ink-3" title={formatWhen(at, zone)}>last heard {formatAge(at, now)}</span>}
      </li>
      {failed.map((fault) => (
        <li key={fault.entity} className="border-t border-hair py-1.5">
          <span className="flex items-baseline justify-between gap-3">
            <b className="min-w-0 break-words">{fault.entity}</b>
            <span className="shrink-0 text-agate text-ink-3" title={formatWhen(fault.at, zone)}>{formatAge(fault.at, now)}</span>
          </span>
          <span className="block break-words text-ink-2">{fault.message}</span>
        </li>
      ))}
    </>
  );
}

const FAULT: Result<Answer> = { ok: false, failure: { kind: 'server-fault', message: MESSAGES.getLastSync } };
