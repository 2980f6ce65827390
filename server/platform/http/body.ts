import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Clock } from '../app-context.ts';
import { takeBytes } from './body-budget.ts';
import { busyFor, TOO_LARGE } from './envelope.ts';
import { parseStorable } from '#contract/stored-text.ts';
import { requestMessages as t } from './request.messages.en.ts';

/** Maximum nesting of a JSON body. */
const DEPTH = 32;
const BAD_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The time limit for a body. */
export interface Deadline {
  readonly clock: Clock;
  readonly ms: Ms;
}

/** The initial size of the buffer. It doubles each time it is full. */
const FIRST_BYTES = 1_024;

/**
 * Reads a body of at most `max` bytes. Refuses a longer one as soon as its length is known,
 * without buffering it. Counts bytes before it holds them (HTTP-19), in one buffer, so that a body
 * that arrives byte by byte holds no more than its bytes.
 */
export async function readBodyBytes(
  request: Request,
  max: number,
  deadline?: Deadline,
): Promise<Result<Uint8Array>> {
  if (Number(request.headers.get('content-length') ?? 0) > max) return failed(TOO_LARGE);
  if (!request.body) return ok(new Uint8Array());
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const giveUp = (): void => void reader.cancel().catch(() => undefined);
  let held = Buffer.alloc(0);
  let size = 0;
  let isLate = false;
  const timer = deadline?.clock.after(deadline.ms, () => {
    isLate = true;
    giveUp();
  });
  try {
    for (;;) {
      const next = await reader.read().catch(() => null);
      if (isLate) return failed(busyFor(RETRY_MS));
      // The connection ended before the body did. Nobody reads the response, and the server has not
      // failed.
      if (next === null) return failed(toInputFailure('', t.incomplete));
      const { done, value } = next;
      if (done) return ok(held.subarray(0, size));
      if (size + value.byteLength > max) {
        giveUp();
        return failed(TOO_LARGE);
      }
      if (size + value.byteLength > held.length) {
        const room = Math.min(max, Math.max(FIRST_BYTES, 2 * held.length, size + value.byteLength));
        if (!takeBytes(request, room - held.length)) {
          giveUp();
          return failed(busyFor(RETRY_MS));
        }
        const wider = Buffer.alloc(room);
        held.copy(wider, 0, 0, size);
        held = wider;
      }
      held.set(value, size);
      size += value.byteLength;
    }
  } finally {
    timer?.cancel();
  }
}
const RETRY_MS: Ms = 1_000;

/**
 * Returns the JSON object of a body; an empty object without a body. The failure repeats nothing of
 * the input.
 */
export async function readBodyJson(
  request: Request,
  max: number,
  deadline?: Deadline,
): Promise<Result<Record<string, unknown>>> {
  const bytes = await readBodyBytes(request, max, deadline);
  if (!bytes.ok) return bytes;
  if (bytes.value.byteLength === 0) return ok({});
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return failed(toInputFailure('', t.contentType));
  let value: unknown;
  try {
    value = parseStorable(new TextDecoder('utf-8', { fatal: true }).decode(bytes.value));
  } catch {
    return failed(toInputFailure('', t.notJson));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return failed(toInputFailure('', t.notObject));
  const error = findForbiddenKey(value);
  return error === null ? ok(value as Record<string, unknown>) : failed(toInputFailure('', error));
}

export const toInputFailure = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message: MESSAGES.badInput,
  issues: [{ path, message }],
});

/**
 * Refuses keys that could reach a prototype, and depth that could exhaust a stack, before anything
 * walks the value.
 */
function findForbiddenKey(root: object): string | null {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH) return t.tooDeep;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      if (Array.isArray(value)) {
        for (const item of value) if (typeof item === 'object') next.push(item);
        continue;
      }
      for (const key of Object.keys(value)) {
        if (BAD_KEYS.has(key)) return t.fieldName;
        next.push((value as Record<string, unknown>)[key]);
      }
    }
    level = next;
  }
  return null;
}
