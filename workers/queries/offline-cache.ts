import * as v from 'valibot';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import type { FailureKind } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import { ok } from '#contract/result.ts';
import type { WorkerClient, ServerRead, ReadCall } from '../api.ts';
import { DiskError } from '../disk/disk-errors.ts';
import { NEEDS_NETWORK } from '../failures.ts';
import type { ClientSession } from '../auth/session.ts';
import type { WorkerClock } from '../context.ts';

/**
 * Returns the server's answer and stores it; or, if the server can't be reached, the last stored
 * one (OFF-6).
 */
export function makeReader(
  session: Pick<ClientSession, 'ask' | 'loop'>,
  clock: WorkerClock,
): WorkerClient['read'] {
  return async <N extends ReadCall>(
    name: N,
    input: InputOf<N>,
  ): Promise<Result<ServerRead<OutputOf<N>>>> => {
    const question = `${name} ${JSON.stringify(input)}`;
    const asking = ask(name, input, question);
    const answer = await (session.loop?.status().kind === 'offline'
      ? within(clock, PATIENCE_MS, asking)
      : asking);
    if (answer !== null && (answer.ok || !AWAY.has(answer.failure.kind))) return answer;
    const last = await remembered(name, question);
    return last ? ok({ ...last, live: false, failure: answer?.failure ?? NEEDS_NETWORK }) : asking;
  };

  async function ask<N extends ReadCall>(
    name: N,
    input: InputOf<N>,
    question: string,
  ): Promise<Result<ServerRead<OutputOf<N>>>> {
    const { loop } = session;
    const generation = loop?.replica.generation;
    const answer = await session.ask(name, input);
    if (!answer.ok) return answer;
    const { value } = answer;
    const at = clock.now();
    // Don't store an answer for another user, or for what this user could see before.
    if (loop && session.loop === loop && loop.replica.generation === generation)
      loop.replica.disk.keepAnswer(question, { at, value }).catch(onlyDisk);
    return ok({ value, at, live: true });
  }

  /** Also returns null if an older build stored it in another format. */
  async function remembered<N extends ReadCall>(
    name: N,
    question: string,
  ): Promise<{ readonly value: OutputOf<N>; readonly at: Ms } | null> {
    const stored = await session.loop?.replica.disk.answerTo(question).catch(onlyDisk);
    const { output } = getCall(name);
    if (!stored || typeof output === 'string') return null;
    const parsed = v.safeParse(output, stored.value);
    return parsed.success ? { value: parsed.output as OutputOf<N>, at: stored.at } : null;
  }
}

/**
 * How long to wait for the server while it seems to be unreachable. A later answer is still stored.
 */
const PATIENCE_MS: Ms = 3_000;

/** The server was not reached, or a gateway says that it is down. */
const AWAY: ReadonlySet<FailureKind> = new Set([
  'needs-network',
  'no-answer',
  'busy',
  'out-of-space',
  'too-many',
  'server-error',
]);

/** Returns null after a timeout. */
async function within<T>(clock: WorkerClock, ms: Ms, work: Promise<T>): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const off = clock.after(ms, () => resolve(null));
  return Promise.race([work, promise]).finally(off);
}

function onlyDisk(error: unknown): null {
  if (error instanceof DiskError) return null;
  throw error;
}
