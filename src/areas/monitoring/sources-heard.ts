import { useCallback, useEffect, useState } from 'react';
import type { GivesOf } from '#contract/calls.ts';
import type { KeyRow } from '#contract/monitoring/rows.ts';
import { MESSAGES } from '#contract/messages.ts';
import { door } from '#src/door.ts';

export interface Heard {
  readonly keys: GivesOf<'listKeys'> | null;
  readonly fault: string | null;
  readonly again: () => void;
}

/** When each key was last heard, which only the server knows. Asked anew when the network comes back, when a key changes, and every minute. */
export function useHeard(rows: readonly KeyRow[] | undefined, sync: string | null): Heard {
  const [keys, setKeys] = useState<GivesOf<'listKeys'> | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const ask = useCallback(async (): Promise<void> => {
    const result = await door().ask('listKeys', {});
    if (result.ok) setKeys(result.value);
    setFault(result.ok ? null : result.failure.message);
  }, []);
  const offline = sync === null || sync === 'offline';
  useEffect(() => {
    if (offline || rows === undefined) return;
    const run = (): void => { ask().catch(() => setFault(MESSAGES.noAnswer)); };
    run();
    const timer = setInterval(run, 60_000);
    return () => clearInterval(timer);
  }, [ask, offline, rows]);
  return { keys, fault, again: () => { ask().catch(() => setFault(MESSAGES.noAnswer)); } };
}
