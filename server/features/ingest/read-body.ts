import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { storable } from '#contract/stored-text.ts';
import { takeBytes } from '../../platform/http/body-budget.ts';
import { readBodyBytes, toInputFailure } from '../../platform/http/body.ts';
import { busyFor } from '../../platform/http/envelope.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';

/** The maximum uncompressed size of a compressed body. */
export const UNPACKED_BYTES = 4 * LIMITS.ingestBodyBytes;

/**
 * Returns the text of a request's body, uncompressed if it was gzipped. Invalid UTF-8 is replaced,
 * because it is a tool's output.
 */
export async function readBodyText(request: Request): Promise<Result<string>> {
  const bytes = await readBodyBytes(request, LIMITS.ingestBodyBytes);
  if (!bytes.ok) return bytes.failure.kind === 'too-large' ? failed(tooLarge(request)) : bytes;
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return ok(getText(bytes.value));
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    return failed(toInputFailure('content-encoding', t.onlyGzip));
  try {
    const unpacked = await unpack(bytes.value, { maxOutputLength: UNPACKED_BYTES });
    return takeBytes(request, unpacked.byteLength) ? ok(getText(unpacked)) : failed(busyFor(1_000));
  } catch (error) {
    const isTooLarge =
      error instanceof RangeError ||
      (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
    return failed(isTooLarge ? tooLarge(request) : toInputFailure('', t.notGzip));
  }
}

/**
 * Returns advice for the tool: sending the end of the output is enough, but a JSON list must not be
 * cut.
 */
function tooLarge(request: Request): Failure {
  const list = LISTS[new URL(request.url).pathname.split('/').at(-1) ?? ''];
  return {
    kind: 'too-large',
    message: [
      MESSAGES.tooLarge,
      t.shorterOutput,
      ...(list === undefined ? [] : [t.shorterList({ command: list })]),
    ].join(' '),
  };
}
const LISTS: Readonly<Record<string, string>> = {
  restic: 'restic snapshots --json --latest 100',
  borg: 'borg list --json --last 100',
};

const unpack = promisify<Uint8Array, { maxOutputLength: number }, Uint8Array>(gunzip);
const getText = (bytes: Uint8Array): string => storable(new TextDecoder().decode(bytes));
