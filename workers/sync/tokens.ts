import type { UserSession } from '#contract/auth/current-user.ts';
import { SessionSchema } from '#contract/auth/current-user.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import * as v from 'valibot';
import type { WorkerClock } from '#workers/context.ts';
import { NO_ANSWER } from '#workers/failures.ts';
import { readAnswer } from './answer.ts';
import { withinSilence } from './silence.ts';

/**
 * The source of the access token: this tab's memory, or the leader tab. It is stored nowhere else
 * (A2).
 */
export interface Tokens {
  /** Returns a token, renewed if it has expired or is the one that was just refused. */
  get(refused: string | null): Promise<Result<string>>;
}

export interface OwnTokens extends Tokens {
  /** Fetches a session that starts from now: one in flight may predate a change. */
  renew(): Promise<Result<string>>;
  /** After signing in. */
  set(session: UserSession): void;
  forget(): void;
  /** The current session, if any. */
  readonly session: UserSession | null;
  /** The last token, even if expired, for signing out. */
  readonly last: string | null;
  /**
   * How long this device may open without the server; undefined before the server has responded.
   */
  readonly offlineUntil: Ms | undefined;
}

export interface TokenNeeds {
  readonly fetch: typeof fetch;
  readonly origin: string;
  readonly clock: WorkerClock;
  readonly renewed: (session: UserSession) => void;
}

/**
 * Short, because everything waits for the token: after a lost answer, the server accepts the previous
 * cookie until the new tokens are used, so a retry doesn't look like theft.
 */
const REFRESH_SILENCE_MS: Ms = 7_000;

/**
 * How long before their end tokens are renewed. The time since a token was requested counts: the
 * device's clock may differ from the server's by hours (G13).
 */
const AHEAD_MS: Ms = 15_000;

/**
 * One refresh at a time: each rotates the cookie, and two at once would look like a stolen one
 * (A2). Calls `renewed` with every new session: roles and offline limit may have changed.
 */
export function makeTokens(needs: TokenNeeds): OwnTokens {
  let session: UserSession | null = null;
  /** When the session's token was requested, by the device's clock. */
  let since: Ms = 0;
  let flight: Promise<Result<string>> | null = null;
  let life = 0;

  async function refresh(): Promise<Result<string>> {
    const mine = life;
    const requestedAt = needs.clock.now();
    const answer = await askRefresh(needs);
    if (mine !== life) return failed(NO_ANSWER); // signed out meanwhile
    if (!answer.ok) return answer;
    session = answer.value;
    since = requestedAt;
    needs.renewed(session);
    // By now it is another user's session: the caller must not get it.
    return mine === life ? ok(session.token) : failed(NO_ANSWER);
  }

  return {
    get(refused) {
      const age = needs.clock.now() - since;
      const isFresh = age >= 0 && age < LIMITS.accessMs - AHEAD_MS;
      if (session && session.token !== refused && isFresh)
        return Promise.resolve(ok(session.token));
      flight ??= refresh().finally(() => {
        flight = null;
      });
      return flight;
    },
    async renew() {
      await flight;
      flight ??= refresh().finally(() => {
        flight = null;
      });
      return flight;
    },
    set(next) {
      life += 1;
      session = next;
      since = needs.clock.now();
    },
    forget() {
      life += 1;
      session = null;
    },
    get session() {
      return session;
    },
    get last() {
      return session?.token ?? null;
    },
    get offlineUntil() {
      return session?.offlineUntil;
    },
  };
}

/** Fetches a new session with the cookie, which is rotated. */
export const askRefresh = ({
  fetch,
  origin,
  clock,
}: Pick<TokenNeeds, 'fetch' | 'origin' | 'clock'>): Promise<Result<UserSession>> =>
  withinSilence(
    clock,
    async (signal) => {
      const response = await fetch(`${origin}/api/v1/auth/refresh`, {
        method: 'POST',
        body: '{}',
        credentials: 'same-origin',
        cache: 'no-store',
        signal,
        headers: { 'content-type': 'application/json', 'daybook-client': '1' },
      });
      // A 401 without our format comes from a captive portal, and is not the end of the session.
      const ours = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      const answer = await readAnswer('refresh', response, clock.now());
      if (!answer.ok)
        return failed(ours || response.status >= 500 ? ended(answer.failure) : NO_ANSWER);
      const parsed = v.safeParse(SessionSchema, answer.value);
      return parsed.success ? ok(parsed.output) : failed(NO_ANSWER);
    },
    undefined,
    REFRESH_SILENCE_MS,
  );

/**
 * A refresh can succeed, end the session, or fail for now: no other failure means that the session
 * has ended.
 */
const ended = (failure: Failure): Failure => {
  switch (failure.kind) {
    case 'expired':
    case 'signed-out':
    case 'too-many':
    case 'busy':
    case 'out-of-space':
    case 'update-needed':
    case 'server-error':
      return failure;
    default:
      return NO_ANSWER;
  }
};
