import { MINUTE_MS } from '#contract/time/durations.ts';
import * as v from 'valibot';
import type { QuickBooksEnvironment } from '#contract/billing/quickbooks-calls.ts';
import type { Ms } from '#contract/ids.ts';
import { OutboundError } from '../../platform/outbound/address.ts';
import { parseRetryAfter } from '../../platform/outbound/retry.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { parseStorable } from '#contract/stored-text.ts';
import { billingMessages as t } from './messages.en.ts';

/**
 * Intuit's endpoints, as published at developer.intuit.com: the accounting API of each environment,
 * and OAuth 2.0 for both.
 */
interface Addresses {
  readonly api: string;
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
}

export function quickBooksAt(
  { config: { quickBooks } }: Pick<AppContext, 'config'>,
  environment: QuickBooksEnvironment,
): Addresses {
  const instead = quickBooks?.replace(/\/+$/, '') ?? null;
  const at = (host: string): string => instead ?? `https://${host}`;
  return {
    api: at(
      environment === 'sandbox' ? 'sandbox-quickbooks.api.intuit.com' : 'quickbooks.api.intuit.com',
    ),
    authorize: `${at('appcenter.intuit.com')}/connect/oauth2`,
    token: `${at('oauth.platform.intuit.com')}/oauth2/v1/tokens/bearer`,
    revoke: `${at('developer.api.intuit.com')}/v2/oauth2/tokens/revoke`,
  };
}

/**
 * `later`: retry later. `access`: the token was refused or lacks permission. `ended`: the
 * connection has to be authorized again. `gone`: the object does not exist. `refused`: the same
 * request will not succeed.
 */
export class QuickBooksError extends Error {
  readonly kind: 'later' | 'access' | 'ended' | 'gone' | 'refused';
  readonly afterMs: Ms | null;
  constructor(kind: QuickBooksError['kind'], message: string, afterMs: Ms | null = null) {
    super(message);
    this.name = 'QuickBooksError';
    this.kind = kind;
    this.afterMs = afterMs;
  }
}

const TIMEOUT_MS: Ms = 30_000;
const MAX_BYTES = 32 * 1_048_576;

/**
 * Sends a request and returns the response, whatever its status. Throws a `QuickBooksError` if
 * there is no response. It logs neither keys nor responses.
 */
export async function sendTo(
  { payments }: AppContext,
  url: string,
  { maxBytes = MAX_BYTES, ...init }: RequestInit & { readonly maxBytes?: number },
): Promise<Response> {
  try {
    return await payments.fetch(new Request(url, init), { timeoutMs: TIMEOUT_MS, maxBytes });
  } catch (error) {
    if (error instanceof OutboundError)
      throw new QuickBooksError(error.kind === 'refused' ? 'refused' : 'later', error.message);
    throw error;
  }
}

/** Returns the error for a response that is not successful. */
export async function readError(answer: Response, now: Ms): Promise<QuickBooksError> {
  const { status, headers } = answer;
  if (status === 401) return new QuickBooksError('access', t.tokenRefused);
  if (status === 403) return new QuickBooksError('access', t.accessRefused);
  if (status === 404) return new QuickBooksError('gone', t.notFound);
  if (status === 429)
    return new QuickBooksError(
      'later',
      t.tooManyRequests,
      // Intuit's rate limits are per minute.
      parseRetryAfter(headers.get('retry-after'), now) ?? MINUTE_MS,
    );
  if (status === 408 || status >= 500)
    return new QuickBooksError(
      'later',
      t.unavailable({ status }),
      parseRetryAfter(headers.get('retry-after'), now),
    );
  const said = wordsIn(parsed(await answer.text().catch(() => '')));
  return new QuickBooksError(
    'refused',
    said === '' ? t.refused({ status }) : t.refusedWith({ status, message: said }),
  );
}

const word = v.optional(v.nullable(v.string()));
const Refusal = v.object({
  Fault: v.object({ Error: v.array(v.object({ Message: word, Detail: word })) }),
});
/** Returns the first line of QuickBooks' own error message. */
function wordsIn(body: unknown): string {
  const read = v.safeParse(Refusal, body);
  const [first] = read.success ? read.output.Fault.Error : [];
  return (first?.Detail ?? first?.Message ?? '')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 160);
}

/** Returns the parsed JSON; undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return parseStorable(text);
  } catch {
    return undefined;
  }
}

/** Returns the value or the `QuickBooksError`. Rethrows any other error, which is a bug. */
export async function catchBooksError<T>(
  work: () => Promise<T>,
): Promise<
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: QuickBooksError }
> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (error instanceof QuickBooksError) return { ok: false, error };
    throw error;
  }
}
