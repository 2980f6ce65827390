import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { readBytes } from '../http/body.ts';

/** What a packed body may become. */
export const UNPACKED_BYTES = 4 * LIMITS.ingestBodyBytes;

/** The text of a request's body, unpacked where it came as gzip. What is not UTF-8 is kept as it can be read: it is a tool's output. */
export async function readText(request: Request): Promise<Result<string>> {
  const bytes = await readBytes(request, LIMITS.ingestBodyBytes);
  if (!bytes.ok) return bytes;
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return ok(textOf(bytes.value));
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return failed(bad('content-encoding', 'Only gzip is understood.'));
  try {
    return ok(textOf(await unpack(bytes.value, { maxOutputLength: UNPACKED_BYTES })));
  } catch (error) {
    const tooLarge = error instanceof RangeError || (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    return failed(tooLarge ? { kind: 'too-large', message: MESSAGES.tooLarge } : bad('', 'The body is not gzip.'));
  }
}

export const bad = (path: string, message: string): Failure => ({ kind: 'bad-input', message: MESSAGES.badInput, issues: [{ path, message }] });

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
