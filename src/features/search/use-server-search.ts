import type { Failure } from '#contract/errors.ts';
import type { FoundOut } from '#contract/search/calls.ts';
import { isEnough, soughtIn } from '#contract/search/search.ts';
import { useIsSettled } from '../shared/queries/use-is-settled.ts';
import { useQuery } from '../shared/queries/use-query.ts';

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
  const enough = isEnough(soughtIn(text));
  const isSettled = useIsSettled(text, RESTS);
  const { value, failure } = useQuery('search', { text }, enough && isSettled);
  if (text === '') return NONE;
  if (!enough) return SHORT;
  if (!isSettled) return WAITING;
  if (failure !== null) return NETWORK.has(failure.kind) ? OFFLINE : FAILED;
  return value === null ? ASKING : { kind: 'found', found: value };
}

const NONE: ServerSearch = { kind: 'none' };
const SHORT: ServerSearch = { kind: 'short' };
const WAITING: ServerSearch = { kind: 'waiting' };
const ASKING: ServerSearch = { kind: 'asking' };
const OFFLINE: ServerSearch = { kind: 'offline' };
const FAILED: ServerSearch = { kind: 'failed' };
