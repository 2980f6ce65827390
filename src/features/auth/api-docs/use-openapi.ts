import { useEffect, useState } from 'react';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { describe } from './parse-openapi.ts';
import type { CallGroup } from './parse-openapi.ts';

/** Loads the server's OpenAPI description once per visit. It is public and needs no session. */
export interface Described {
  readonly groups: readonly CallGroup[] | null;
  readonly failed: boolean;
  readonly offline: boolean;
  readonly again: () => void;
}

export function useDescription(): Described {
  const [groups, setGroups] = useState(stored);
  const [details, setResult] = useState('');
  const [turn, setTurn] = useState(0);
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const round = `${turn} ${offline}`;
  useEffect(() => {
    if (stored !== null) return;
    const stop = new AbortController();
    const ask = async (): Promise<void> => {
      const next = await read(stop.signal);
      if (stop.signal.aborted) return;
      stored = next;
      setGroups(next);
      setResult(round);
    };
    void ask();
    return () => {
      stop.abort();
    };
  }, [round]);
  return {
    groups,
    failed: groups === null && details === round,
    offline,
    again: () => setTurn(turn + 1),
  };
}

async function read(signal: AbortSignal): Promise<readonly CallGroup[] | null> {
  try {
    const answer = await fetch('/api/v1/openapi.json', { signal, credentials: 'omit' });
    const groups = answer.ok ? describe(await answer.json()) : [];
    return groups.length === 0 ? null : groups;
  } catch {
    return null;
  }
}

const EMPTY = {};
let stored: readonly CallGroup[] | null = null;
