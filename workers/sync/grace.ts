import type { CallName } from '#contract/calls.ts';
import { getCall } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { getWait } from '#machines/sync-events.ts';
import type { WorkerChance, WorkerClock } from '#workers/context.ts';

/** `missing`: the server has just become unreachable, such as for a restart. */
export type ContactState = 'up' | 'missing' | 'lost';

/** The sync loop, as far as a call needs it. */
export interface GraceNeeds {
  readonly clock: WorkerClock;
  readonly chance: WorkerChance;
  readonly contact: () => ContactState;
  /** Ends the wait of the loop. */
  readonly wake: () => void;
  /** Calls the listener after each change of the contact. Returns the function that ends that. */
  readonly onChange: (listener: () => void) => () => void;
}

export interface CallKind {
  /** The user made it just now. It ends the wait of the sync loop; what runs on a timer must not (G25). */
  readonly isOwn: boolean;
  /** Sending it twice does no harm. */
  readonly isRepeatable: boolean;
}

/** A question that was asked within this time comes from a timer, or from a change of the status. */
const REPEATED_MS: Ms = 60_000;
const MAX_QUESTIONS = 500;

/** Returns a function that tells what kind of call it is, from the calls before it. */
export function makeCallKinds(clock: WorkerClock): (name: CallName, input: unknown) => CallKind {
  const questions = new Map<string, Ms>();
  return (name, input) => {
    const { method, newestOnly } = getCall(name);
    if (method !== 'GET') return { isOwn: true, isRepeatable: false };
    const question = `${name} ${JSON.stringify(input)}`;
    const age = clock.now() - (questions.get(question) ?? -Infinity);
    questions.delete(question);
    questions.set(question, clock.now());
    for (const oldest of questions.keys()) {
      if (questions.size <= MAX_QUESTIONS) break;
      questions.delete(oldest);
    }
    // A newer call of those aborts the older one, which must not come back then.
    return { isOwn: age < 0 || age >= REPEATED_MS, isRepeatable: newestOnly !== true };
  };
}

/** The wait between two attempts of a user's own call. */
const OWN_STEP_MS: Ms = 300;
/** Of any other call, at random: many devices have the same timers. */
const STEP_MS = [500, 1_500] as const;

/**
 * Sends a call. While the server is missing, the call waits for it instead of failing, for up to
 * `LIMITS.graceMs` (OFF-9): a repeatable call is sent again, another one is first sent when the server
 * responds. Returns the last result.
 */
export async function sendWithinGrace<T>(
  needs: GraceNeeds,
  { isOwn, isRepeatable }: CallKind,
  send: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const { clock, contact, wake } = needs;
  const from = clock.now();
  const isOver = (): boolean =>
    contact() === 'lost' || clock.now() < from || clock.now() - from >= LIMITS.graceMs;
  if (isOwn && contact() !== 'up') wake();
  const answer = await (isRepeatable
    ? sendRepeatedly(needs, isOwn, send, isOver)
    : sendWhenUp(needs, send, isOver));
  // The loop finds the server now, or learns that it is lost.
  if (isOwn && contact() !== 'up') wake();
  return answer;
}

async function sendWhenUp<T>(
  needs: GraceNeeds,
  send: () => Promise<Result<T>>,
  isOver: () => boolean,
): Promise<Result<T>> {
  while (needs.contact() === 'missing' && !isOver()) {
    await untilUp(needs, OWN_STEP_MS);
    if (needs.contact() !== 'up') needs.wake();
  }
  return send();
}

async function sendRepeatedly<T>(
  needs: GraceNeeds,
  isOwn: boolean,
  send: () => Promise<Result<T>>,
  isOver: () => boolean,
): Promise<Result<T>> {
  const { chance, contact, wake } = needs;
  let answer = await send();
  let wasUp = false;
  while (!answer.ok && isAway(answer.failure, contact()) && !isOver()) {
    // The loop gets answers, so this one is no matter of the connection.
    if (wasUp && contact() === 'up') break;
    wasUp = contact() === 'up';
    if (isOwn && wasUp) wake();
    const stepMs = isOwn ? OWN_STEP_MS : STEP_MS[0] + (STEP_MS[1] - STEP_MS[0]) * chance.fraction();
    await untilUp(needs, Math.max(stepMs, getWait(answer.failure)));
    answer = await send();
  }
  return answer;
}

/** A gateway may answer for a server that is away. If the loop gets answers, the server is just busy. */
const isAway = ({ kind }: Failure, contact: ContactState): boolean =>
  kind === 'no-answer' || (kind === 'busy' && contact === 'missing');

/** Resolves when the server responds again, or after `ms`. */
function untilUp({ clock, contact, onChange }: GraceNeeds, ms: Ms): Promise<void> {
  const wasUp = contact() === 'up';
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      off();
      resolve();
    };
    const cancel = clock.after(ms, end);
    const off = onChange(() => {
      if (!wasUp && contact() === 'up') end();
    });
  });
}
