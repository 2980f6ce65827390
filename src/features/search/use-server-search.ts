import { useEffect, useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { FoundOut } from '#contract/search/calls.ts';
import { isEnough, soughtIn } from '#contract/search/search.ts';
import { client } from '../../app/worker/worker-client.ts';

/**
 * Status of the server search. `waiting`: for a pause in typing. `short`: the text is too short.
 */
export type Asked =
  | { readonly is: 'none' | 'short' | 'waiting' | 'asking' | 'offline' | 'failed' }
  | { readonly is: 'found'; readonly found: FoundOut };

/** Debounce delay in milliseconds. */
const RESTS = 180;
const NETWORK: ReadonlySet<Failure['kind']> = new Set(['needs-network', 'no-answer', 'busy']);

/**
 * SEEK-4: searches on the server when typing pauses. Only the answer to the current text is shown.
 */
export function useServerSearch(text: string): Asked {
  const [told, setTold] = useState<{ readonly text: string; readonly asked: Asked }>({
    text: '',
    asked: NONE,
  });
  const enough = isEnough(soughtIn(text));
  useEffect(() => {
    if (!enough) return undefined;
    let stands = true;
    const say = (asked: Asked): void => {
      if (stands) setTold({ text, asked });
    };
    const ask = async (): Promise<void> => {
      say({ is: 'asking' });
      const answer = await client().ask('search', { text });
      say(
        answer.ok
          ? { is: 'found', found: answer.value }
          : { is: NETWORK.has(answer.failure.kind) ? 'offline' : 'failed' },
      );
    };
    const timer = setTimeout(() => void ask(), RESTS);
    return () => {
      stands = false;
      clearTimeout(timer);
    };
  }, [text, enough]);
  if (text === '') return NONE;
  if (!enough) return SHORT;
  return told.text === text ? told.asked : WAITING;
}

const NONE: Asked = { is: 'none' };
const SHORT: Asked = { is: 'short' };
const WAITING: Asked = { is: 'waiting' };
