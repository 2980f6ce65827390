import { useEffect, useRef, useState } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Result } from '#contract/result.ts';
import type { ReadCall } from '#workers/api.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useRights } from '#src/app/session/session.ts';

/**
 * `value`: null before the first answer. `at`: time of the answer if the server cannot be reached
 * now. `asking`: `value` can belong to an earlier query.
 */
export interface SearchQuery<T> {
  readonly value: T | null;
  readonly at: Ms | null;
  readonly failure: Failure | null;
  readonly asking: boolean;
  readonly again: () => void;
}

interface Told<T> {
  readonly key: string;
  readonly value: T | null;
  readonly at: Ms | null;
  readonly failure: Failure | null;
}

/** Debounce delay of a query while the user types. */
const TYPING_MS = 100;

/**
 * Requests data when the query changes, on `again`, and when the connection is lost or restored.
 * Meanwhile the last answer stays. `kept`: answers are stored on this device for offline use; never
 * use it for answers with phone numbers.
 */
export function useSearchQuery<N extends ReadCall>(
  name: N,
  input: InputOf<N>,
  { kept = false, wanted = true }: { readonly kept?: boolean; readonly wanted?: boolean } = {},
): SearchQuery<OutputOf<N>> {
  const question = JSON.stringify(input);
  const [turn, setTurn] = useState(0);
  const [told, setTold] = useState<Told<OutputOf<N>> | null>(null);
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const key = JSON.stringify([question, useRights(), turn, offline]);
  const begun = useRef(false);
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    const put = (next: Omit<Told<OutputOf<N>>, 'key'>): void => {
      if (!gone) setTold({ key, ...next });
    };
    const ask = async (): Promise<void> => {
      const takes = JSON.parse(question) as InputOf<N>;
      if (kept) {
        const read = await client().read(name, takes);
        put(
          read.ok
            ? { value: read.value.value, at: read.value.live ? null : read.value.at, failure: null }
            : { value: null, at: null, failure: read.failure },
        );
      } else {
        const answer: Result<OutputOf<N>> = await client().ask(name, takes);
        put(
          answer.ok
            ? { value: answer.value, at: null, failure: null }
            : { value: null, at: null, failure: answer.failure },
        );
      }
    };
    const timer = setTimeout(
      () => {
        ask().catch(() => put({ value: null, at: null, failure: BROKEN }));
      },
      begun.current ? TYPING_MS : 0,
    );
    begun.current = true;
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [name, question, key, kept, wanted]);
  return {
    value: told?.value ?? null,
    at: told?.at ?? null,
    failure: told?.failure ?? null,
    asking: wanted && told?.key !== key,
    again: () => setTurn((now) => now + 1),
  };
}

const NOTHING = {};
const BROKEN: Failure = { kind: 'not-sent', message: BASE.badRequest };
