import { useEffect, useState } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { BASE } from '#contract/messages/base.messages.en.ts';
import type { Result } from '#contract/result.ts';
import type { Read, ReadCall } from '#workers/api.ts';
import { client, useWatch } from './worker-client.ts';
import { useRights } from '../session/session.ts';

/**
 * The last answer of the server and its time; null while nothing is known. `live`: the server was
 * reached. `failure`: why the last request failed, or null. `asking`: a request is running.
 */
export interface CachedQuery<T> {
  readonly value: T | null;
  readonly at: Ms | null;
  readonly live: boolean;
  readonly failure: Failure | null;
  readonly asking: boolean;
  readonly again: () => void;
}

interface How {
  /** If false, nothing is requested. */
  readonly wanted?: boolean;
  readonly everyMs?: Ms | null;
  /** A change of this value requests the data again. */
  readonly round?: string | number;
}

/**
 * Requests data when the component mounts, at every `everyMs`, and when the connection is lost or
 * restored. If the server cannot be reached, returns its last answer, even one from an earlier page
 * load.
 */
export function useCachedQuery<N extends ReadCall>(
  name: N,
  input: InputOf<N>,
  { wanted = true, everyMs = null, round = '' }: How = {},
): CachedQuery<OutputOf<N>> {
  const question = JSON.stringify(input);
  const rights = useRights();
  const [told, setTold] = useState<Told<OutputOf<N>> | null>(null);
  const [turn, setTurn] = useState(0);
  const is = useWatch('status', NOTHING)?.is;
  const key = JSON.stringify([
    question,
    rights,
    round,
    turn,
    is === 'offline' || is === 'server-trouble',
  ]);
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    const put = (read: Result<Read<OutputOf<N>>>): void => {
      if (!gone)
        setTold((old) => ({
          key,
          question,
          rights,
          read:
            old?.question === question && old.rights === rights ? lasting(old.read, read) : read,
        }));
    };
    const ask = (): void => {
      client()
        .read(name, JSON.parse(question) as InputOf<N>)
        .then(put, () => put(BROKEN));
    };
    ask();
    const timer = everyMs === null ? null : setInterval(ask, everyMs);
    return () => {
      gone = true;
      if (timer !== null) clearInterval(timer);
    };
  }, [name, question, rights, key, wanted, everyMs]);
  // Data that was loaded with other rights is not shown (SYNC-6).
  const read = told?.question === question && told.rights === rights ? told.read : null;
  const asking = wanted && told?.key !== key;
  const again = (): void => setTurn(turn + 1);
  if (!read?.ok)
    return { value: null, at: null, live: false, failure: read?.failure ?? null, asking, again };
  const { value, at, live } = read.value;
  return { value, at, live, failure: read.value.live ? null : read.value.failure, asking, again };
}

interface Told<T> {
  readonly key: string;
  readonly question: string;
  readonly rights: string;
  readonly read: Result<Read<T>>;
}

/** Keeps the stored data if a later request fails, but not if the server refuses it. */
const lasting = <T>(old: Result<Read<T>>, read: Result<Read<T>>): Result<Read<T>> =>
  old.ok && !read.ok && !REFUSED.has(read.failure.kind)
    ? {
        ok: true,
        value: { value: old.value.value, at: old.value.at, live: false, failure: read.failure },
      }
    : read;

const REFUSED: ReadonlySet<Failure['kind']> = new Set([
  'forbidden',
  'not-found',
  'signed-out',
  'expired',
]);
const NOTHING = {};
const BROKEN: Result<never> = {
  ok: false,
  failure: {
    kind: 'not-sent',
    get message() {
      return BASE.badRequest;
    },
  },
};
