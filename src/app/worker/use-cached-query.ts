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
 * What the server said last, and when; null while nothing is known. `live`: it was reached.
 * `failure`: why it could not be asked, where it could not. `asking`: it is being asked, for the
 * first time or again.
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
  /** False asks nothing. */
  readonly wanted?: boolean;
  readonly everyMs?: Ms | null;
  /** Asks again where it changes. */
  readonly round?: string | number;
}

/**
 * Asks the server when it is looked at, in its rounds, and when the server comes or goes. Where it
 * cannot be asked its last answer stands, also one from before the page was opened.
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
  // What was answered to other rights is shown no more (SYNC-6).
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

/** Stored data stays when it cannot be read again, but not when the server refuses it. */
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
  failure: { kind: 'not-sent', message: BASE.badRequest },
};
