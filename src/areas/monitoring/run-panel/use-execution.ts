import { useEffect, useState } from 'react';
import type { RunN } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Execution } from '#contract/monitoring/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { door, useWatch } from '#src/door.ts';

/** What the server says of a run: asked when the run is opened, kept while the panel is. `stamp` changes when it must be asked again. */
export type Asked =
  | { readonly is: 'asking'; readonly execution: Execution | null }
  | { readonly is: 'here'; readonly execution: Execution }
  | { readonly is: 'failed'; readonly execution: Execution | null; readonly message: string };

export function useExecution(n: RunN, stamp: string): Asked & { readonly again: () => void } {
  const [known] = useState(() => new Map<string, Execution>());
  const [answer, setAnswer] = useState<{ readonly for: string; readonly asked: Asked; readonly unreached: boolean } | null>(null);
  const [turn, setTurn] = useState(0);
  const live = useWatch('status', NOTHING)?.is === 'live';
  const question = `${n} ${stamp} ${turn}`;
  // What the network kept back comes by itself when the network does.
  const key = live && answer !== null && answer.unreached ? `${question} live` : question;
  useEffect(() => {
    let wanted = true;
    const put = (asked: Asked, unreached = false): void => { if (wanted) setAnswer({ for: key, asked, unreached }); };
    const had = known.get(question);
    const before = known.get(String(n)) ?? null;
    if (had) {
      put({ is: 'here', execution: had });
    } else {
      const tell = (result: Result<Execution>): void => {
        if (!result.ok) {
          const unreached = NETWORK.has(result.failure.kind);
          return put({ is: 'failed', execution: before, message: unreached ? MESSAGES.needsNetwork : MESSAGES.getExecution }, unreached);
        }
        known.set(question, result.value).set(String(n), result.value);
        return put({ is: 'here', execution: result.value });
      };
      door().ask('getExecution', { id: String(n) }).then(tell, () => put({ is: 'failed', execution: before, message: MESSAGES.getExecution }));
    }
    return () => { wanted = false; };
  }, [known, n, question, key]);
  const last = answer !== null && answer.for.startsWith(`${n} `) ? answer.asked.execution : null;
  const asked: Asked = answer?.for === key ? answer.asked : { is: 'asking', execution: last };
  return { ...asked, again: () => setTurn(turn + 1) };
}

const NOTHING = {};
const NETWORK: ReadonlySet<Failure['kind']> = new Set(['needs-network', 'no-answer']);
