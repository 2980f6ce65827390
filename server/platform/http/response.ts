import * as v from 'valibot';
import type { Call } from '#contract/call.ts';
import type { Result } from '#contract/result.ts';
import type { Log } from '../app-context.ts';
import { addSum } from './answer-sum.ts';
import { compressed } from './compress.ts';
import { getEnvelope, JSON_TYPE, refuse, SERVER_ERROR } from './envelope.ts';

/**
 * Turns a handler's result into a response: checks it by the call's schema, wraps it in the
 * envelope and compresses it.
 */
export async function loadAnswer(
  call: Call,
  input: Response | Result<unknown>,
  headers: Headers,
  request: Request,
  log: Log,
): Promise<Response> {
  if (call.output === 'bytes' || call.output === 'stream')
    return rawAnswer(call.output, input as Response, headers, request);
  const result = input as Result<unknown>;
  if (!result.ok) return refuse(result.failure, headers);
  const checked = v.safeParse(call.output, result.value);
  if (!checked.success) {
    log.error('an answer breaks its contract', {
      call: call.path,
      at: checked.issues.slice(0, 5).map((issue) => v.getDotPath(issue) ?? ''),
    });
    return refuse(SERVER_ERROR);
  }
  headers.set('content-type', JSON_TYPE);
  const bytes = new TextEncoder().encode(getEnvelope(checked.output));
  addSum(request, 200, bytes, headers);
  // A response with a token is not compressed, because its length must not reveal anything about
  // the token.
  const body = call.path.startsWith('auth/')
    ? bytes
    : await compressed(bytes, request.headers.get('accept-encoding'), headers);
  return new Response(body, { status: 200, headers });
}

async function rawAnswer(
  gives: 'bytes' | 'stream',
  response: Response,
  extra: Headers,
  request: Request,
): Promise<Response> {
  const headers = new Headers(response.headers);
  for (const [name, value] of extra) headers.append(name, value);
  if (gives === 'stream' || response.body === null)
    return new Response(response.body, { status: response.status, headers });
  const bytes = new Uint8Array(await response.arrayBuffer());
  addSum(request, response.status, bytes, headers);
  const body = await compressed(bytes, request.headers.get('accept-encoding'), headers);
  return new Response(body, { status: response.status, headers });
}
