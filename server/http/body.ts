import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { TOO_LARGE } from './envelope.ts';

/** Deepest nesting of a JSON body. */
const DEPTH = 32;
const BAD_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** Reads a body up to `most` bytes; refuses a longer one as soon as it is known to be, without holding it. */
export async function readBytes(request: Request, most: number): Promise<Result<Uint8Array>> {
  if (Number(request.headers.get('content-length') ?? 0) > most) return failed(TOO_LARGE);
  if (!request.body) return ok(new Uint8Array());
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return ok(Buffer.concat(chunks, size));
    size += value.byteLength;
    if (size > most) {
      void reader.cancel().catch(() => undefined);
      return failed(TOO_LARGE);
    }
    chunks.push(value);
  }
}

/** The JSON object of a body; no body is an empty object. Nothing of the input comes back in the failure. */
export async function readJson(request: Request, most: number): Promise<Result<Record<string, unknown>>> {
  const bytes = await readBytes(request, most);
  if (!bytes.ok) return bytes;
  if (bytes.value.byteLength === 0) return ok({});
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) return failed(bad('', 'The content type must be application/json.'));
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.value));
  } catch {
    return failed(bad('', 'The body is not JSON in UTF-8.'));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return failed(bad('', 'The body must be a JSON object.'));
  const fault = poisonOf(value);
  return fault === null ? ok(value as Record<string, unknown>) : failed(bad('', fault));
}

export const bad = (path: string, message: string): Failure => ({ kind: 'bad-input', message: MESSAGES.badInput, issues: [{ path, message }] });

/** Keys that could reach a prototype, and depth that could exhaust a stack, are refused before anything walks the value. */
function poisonOf(root: object): string | null {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH) return 'The body is nested too deeply.';
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      if (Array.isArray(value)) {
        for (const item of value) if (typeof item === 'object') next.push(item);
        continue;
      }
      for (const key of Object.keys(value)) {
        if (BAD_KEYS.has(key)) return 'A field has a name that is not allowed.';
        next.push((value as Record<string, unknown>)[key]);
      }
    }
    level = next;
  }
  return null;
}
