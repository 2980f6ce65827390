import { useEffect, useState } from 'react';
import type { RunN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Execution } from '#contract/monitoring/calls.ts';
import type { Result } from '#contract/result.ts';
import { door } from '#src/door.ts';

/** What the server says of a run: asked when the run is opened, kept while the panel is. `stamp` changes when it must be asked again. */
export type Asked =
  | { readonly is: 'asking'; readonly execution: Execution | null }
  | { readonly is: 'here'; readonly execution: Execution }
  | { readonly is: 'failed'; readonly execution: Execution | null; readonly message: string };

export function useExecution(n: RunN, stamp: string): Asked & { readonly again: () => void } {
  const [known] = useState(() => new Map<string, Execution>());
  const [answer, setAnswer] = useState<{ readonly for: string; readonly asked: Asked } | null>(null);
  const [turn, setTurn] = useState(0);
  const key = `${n} ${stamp} ${turn}`;
  useEffect(() => {
    let wanted = true;
    const put = (asked: Asked): void => { if (wanted) setAnswer({ for: key, asked }); };
    const had = known.get(key);
    const before = known.get(String(n)) ?? null;
    if (had) {
      put({ is: 'here', execution: had });
    } else {
      const tell = (result: Result<Execution>): void => {
        if (!result.ok) return put({ is: 'failed', execution: before, message: result.failure.kind === 'needs-network' ? result.failure.message : MESSAGES.getExecution });
        known.set(key, result.value).set(String(n), result.value);
        return put({ is: 'here', execution: result.value });
      };
      door().ask('getExecution', { id: String(n) }).then(tell, () => put({ is: 'failed', execution: before, message: MESSAGES.getExecution }));
    }
    return () => { wanted = false; };
  }, [known, n, key]);
  const last = answer !== null && answer.for.startsWith(`${n} `) ? answer.asked.execution : null;
  const asked: Asked = answer?.for === key ? answer.asked : { is: 'asking', execution: last };
  return { ...asked, again: () => setTurn(turn + 1) };
}
