import * as v from 'valibot';
import { withCallSentence } from '#contract/call-sentences.ts';
import type { CallName } from '#contract/calls.ts';
import type { Failure, FailureKind } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { NO_ANSWER } from '#workers/failures.ts';

/**
 * Returns the content of a response's envelope, or its failure. Never throws, whatever arrived
 * (SYNC-8).
 */
export async function readAnswer(
  name: CallName,
  response: Response,
  now: Ms,
): Promise<Result<unknown>> {
  if (!response.ok) return failed(await readFailure(name, response, now));
  const body = await loadJson(response);
  const good = v.safeParse(GoodSchema, body);
  return good.success ? ok(good.output.data) : failed(NO_ANSWER);
}

/**
 * Returns the failure of a call, with its sentence from the error catalog if the server has none of
 * its own (WORDS-2).
 */
export async function readFailure(name: CallName, response: Response, now: Ms): Promise<Failure> {
  const body = await loadJson(response);
  return withCallSentence(name, parseFailure(response, body, now), {
    status: response.status,
    body,
  });
}

/** Returns a failure of the closed list for any status, with or without a readable body. */
export function parseFailure(response: Response, body: unknown, now: Ms): Failure {
  const parsed = v.safeParse(BadSchema, body);
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), now);
  const byStatus = ofStatus(response.status, retryAfterMs);
  if (!parsed.success || !TRAVELS.has(parsed.output.error.kind as FailureKind)) return byStatus;
  const { message, error } = parsed.output;
  const kind = error.kind as FailureKind;
  switch (kind) {
    case 'bad-input':
      return { kind, message, issues: error.issues ?? [] };
    case 'too-many':
    case 'busy':
    case 'out-of-space':
      return {
        kind,
        message,
        retryAfterMs: Math.max(retryAfterMs, capped(error.retryAfterMs ?? 0)),
      };
    case 'out-of-order':
      return { kind, message, expected: error.expected ?? 1 };
    // A refused sign-in keeps the words of its call. It never means the end of the session.
    default:
      return { kind, message };
  }
}

async function loadJson(response: Response): Promise<unknown> {
  try {
    return (await response.json()) as unknown;
  } catch {
    return null; // HTML of a proxy, half a body, nothing
  }
}

const GoodSchema = v.object({ success: v.literal(true), data: v.unknown() });
const BadSchema = v.object({
  message: v.string(),
  error: v.object({
    kind: v.string(),
    expected: v.optional(v.number()),
    retryAfterMs: v.optional(v.number()),
    issues: v.optional(v.array(v.object({ path: v.string(), message: v.string() }))),
  }),
});

const TRAVELS: ReadonlySet<FailureKind> = new Set([
  'bad-input',
  'wrong-credentials',
  'signed-out',
  'expired',
  'forbidden',
  'reauth_required',
  'not-by-key',
  'not-found',
  'no-such-call',
  'conflict',
  'too-large',
  'key-reused',
  'out-of-order',
  'update-needed',
  'too-many',
  'busy',
  'out-of-space',
  'server-error',
] as const satisfies readonly FailureKind[]);

/**
 * For a status alone, as proxies and failing servers send it. Only our own server's body ends a
 * session or a command: a bare 4xx doesn't.
 */
function ofStatus(status: number, retryAfterMs: Ms): Failure {
  if (status === 401) return { kind: 'expired', message: MESSAGES.sessionExpired };
  if (status === 426) return { kind: 'update-needed', message: MESSAGES.updateNeeded };
  if (status === 429) return { kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs };
  // A gateway error: the server behind it may return at any moment, and has logged nothing.
  if (status >= 502 && status <= 504)
    return { kind: 'busy', message: MESSAGES.badAnswer, retryAfterMs };
  if (status === 507) return { kind: 'out-of-space', message: MESSAGES.outOfSpace, retryAfterMs };
  if (status >= 500) return { kind: 'server-error', message: MESSAGES.serverError };
  return NO_ANSWER;
}

const capped = (ms: number): Ms => (Number.isFinite(ms) && ms > 0 ? Math.min(ms, HOUR_MS) : 0);

/**
 * Returns `Retry-After` (seconds or a date) in ms; 0 if it is missing. At most an hour: a mistake
 * of a proxy must not silence a device for days.
 */
function retryAfter(header: string | null, now: Ms): Ms {
  if (header === null) return 0;
  const seconds = Number(header);
  return capped(Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000);
}
