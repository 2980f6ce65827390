import { useEffect, useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { FoundOut } from '#contract/search/calls.ts';
import { isEnough, soughtIn } from '#contract/search/search.ts';
import { client } from '../../app/worker/worker-client.ts';

/**
 * Status of the server search. `waiting`: for a pause in typing. `short`: the text is too short.
 */
export type ServerSearch =
  | { readonly kind: 'none' | 'short' | 'waiting' | 'asking' | 'offline' | 'failed' }
  | { readonly kind: 'found'; readonly found: FoundOut };

/** Debounce delay in milliseconds. */
const RESTS = 180;
const NETWORK: ReadonlySet<Failure['kind']> = new Set(['needs-network', 'no-answer', 'busy']);

/**
 * SEEK-4: searches on the server when typing pauses. Only the answer to the current text is shown.
 */
export function useServerSearch(text: string): ServerSearch {
  const [details, setResult] = useState<{ readonly text: string; readonly asked: ServerSearch }>({
    text: '',
    asked: NONE,
  });
  const enough = isEnough(soughtIn(text));
  useEffect(() => {
    if (!enough) return undefined;
    let isCurrent = true;
    const say = (request: ServerSearch): void => {
      if (isCurrent) setResult({ text, asked: request });
    };
    const ask = async (): Promise<void> => {
      say({ kind: 'asking' });
      const answer = await client().ask('search', { text });
      say(
        answer.ok
          ? { kind: 'found', found: answer.value }
          : { kind: NETWORK.has(answer.failure.kind) ? 'offline' : 'failed' },
      );
    };
    const timer = setTimeout(() => void ask(), RESTS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, enough]);
  if (text === '') return NONE;
  if (!enough) return SHORT;
  return details.text === text ? details.asked : WAITING;
}

const NONE: ServerSearch = { kind: 'none' };
const SHORT: ServerSearch = { kind: 'short' };
const WAITING: ServerSearch = { kind: 'waiting' };
