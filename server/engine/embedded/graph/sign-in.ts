import { ResponseBodyError } from 'openid-client';
import type { CustomFetch } from 'openid-client';
import type { EngineError } from '#contract/engine/engine.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import { parseRetryAfter } from '#server/platform/outbound/retry.ts';
import type { WaitClock } from './clock.ts';
import type { Cloud } from './clouds.ts';
import { graphMessages as t } from './messages.en.ts';
import { inTime, readResponseBytes } from './request.ts';
import type { Fetch } from './request.ts';

/** What signing in to Entra needs of the world. */
export interface LoginPorts {
  readonly fetch: Fetch;
  readonly cloud: Cloud;
  readonly clock: WaitClock;
  readonly random: () => number;
}

const TIMEOUT_MS: Ms = 30_000;
const LONGEST_WAIT_MS: Ms = 30_000;
const MAX_ATTEMPTS = 5;
const MAX_ANSWER_BYTES: Bytes = 262_144;

/**
 * Sends the requests of `openid-client` to the login host only. Repeats them when Entra is busy or
 * the network fails: a token that nobody received does no harm. `onDate`: the time of each response
 * by the clock of Entra.
 */
export const loginFetch =
  (ports: LoginPorts, onDate: (at: Ms) => void = () => undefined): CustomFetch =>
  async (address, { method, headers, body, signal }) => {
    const { cloud, clock, random } = ports;
    if (new URL(address).origin !== cloud.login) throw new LoginError('foreignLink');
    const outer = signal ?? new AbortController().signal;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await inTime(clock, outer, TIMEOUT_MS, async (inner) => {
        const response = await ports.fetch(
          new Request(address, {
            method,
            headers,
            redirect: 'manual',
            signal: inner,
            ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
          }),
        );
        const bytes = await readResponseBytes(response, MAX_ANSWER_BYTES);
        return { response, bytes };
      });
      const isLost = answer === 'lost' || answer === 'timeout';
      if (!isLost && answer.bytes === null) throw new LoginError('tooLarge');
      const status = isLost ? null : answer.response.status;
      const isBusy = status === null || status === 429 || status >= 500;
      const at = isLost ? Number.NaN : Date.parse(answer.response.headers.get('date') ?? '');
      if (!Number.isNaN(at)) onDate(at);
      if (!isLost && !isBusy)
        return new Response(answer.bytes, {
          status: status ?? 0,
          headers: answer.response.headers,
        });
      if (attempt === MAX_ATTEMPTS || outer.aborted)
        throw new LoginError(isLost ? 'unreachable' : 'busy');
      const requestedMs = isLost
        ? null
        : parseRetryAfter(answer.response.headers.get('retry-after'), clock.now());
      const backOffMs = 1_000 * 2 ** attempt * (0.5 + random() / 2);
      await clock.sleep(Math.min(LONGEST_WAIT_MS, requestedMs ?? backOffMs), outer);
    }
  };

type LoginErrorKind = 'foreignLink' | 'tooLarge' | 'unreachable' | 'busy';
const KIND_OF = {
  foreignLink: 'refused',
  tooLarge: 'invalid',
  unreachable: 'unreachable',
  busy: 'busy',
} as const;
class LoginError extends Error {
  readonly kind: LoginErrorKind;
  constructor(kind: LoginErrorKind) {
    super(kind);
    this.name = 'LoginError';
    this.kind = kind;
  }
}

/** What was signed is not yet or no longer valid: the clock here and that of Entra differ. */
const WRONG_TIMES: readonly string[] = ['700024', '500133'];

/** Numbers of Entra's errors (AADSTS…) that a person can do something about. */
const BY_NUMBER: Readonly<Record<string, EngineError>> = {
  '7000215': failedSignIn('refused', t.wrongSecret, 'applicationSecret'),
  '7000222': failedSignIn('refused', t.wrongSecret, 'applicationSecret'),
  '700027': failedSignIn('refused', t.wrongCertificate),
  ...Object.fromEntries(
    WRONG_TIMES.map((number) => [number, failedSignIn('refused', t.wrongClock)]),
  ),
  '700016': failedSignIn('missing', t.noApplication, 'applicationId'),
  '90002': failedSignIn('missing', t.noTenant, 'officeOrganizationName'),
  '900023': failedSignIn('missing', t.noTenant, 'officeOrganizationName'),
  '65001': failedSignIn('forbidden', t.noConsent),
  '53003': failedSignIn('forbidden', t.claims),
};

/** Whether Entra refused a sign-in for its times. */
export const isWrongClock = ({ message }: EngineError): boolean => message === t.wrongClock;

/** Returns why a sign-in failed, without anything that was sent or received. */
export function signInFailure(error: unknown): EngineError {
  for (
    let at: unknown = error, depth = 0;
    at instanceof Error && depth < 5;
    at = at.cause, depth += 1
  ) {
    if (at instanceof LoginError) return { kind: KIND_OF[at.kind], message: t[at.kind] };
    if (!(at instanceof ResponseBodyError)) continue;
    const number = /AADSTS(\d{4,7})/.exec(at.error_description ?? '')?.[1] ?? '';
    const code = /^\w{1,60}$/.test(at.error) ? at.error : String(at.status);
    return (
      BY_NUMBER[number] ?? {
        kind: 'refused',
        message: t.signInFailed({ code: number === '' ? code : `AADSTS${number}` }),
      }
    );
  }
  return { kind: 'internal', message: t.unreadable };
}

function failedSignIn(kind: EngineError['kind'], message: string, field?: string): EngineError {
  return { kind, message, ...(field === undefined ? {} : { field }) };
}
