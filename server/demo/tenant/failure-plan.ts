import { type Rng, makeRng } from '../random.ts';

/**
 * How a request fails: `throttled` 429 and `busy` 503 with Retry-After · `error` 500, `timeout` 504 ·
 * `expired` 401 · `gone` 410 · `reset` the connection breaks before anything is done · `lost` it is
 * done, but nobody hears of it · `cut` the response ends in its middle · `stalled` nothing comes until
 * the client gives up · `warned` answered, with the announcement that the limit is near.
 */
export type RequestFailure =
  | 'throttled'
  | 'busy'
  | 'error'
  | 'timeout'
  | 'expired'
  | 'gone'
  | 'reset'
  | 'lost'
  | 'cut'
  | 'stalled'
  | 'warned';

export interface FailureRule {
  /** Matched against host and path, such as `graph.microsoft.com/v1.0/users/…/messages/delta`. */
  readonly path: RegExp;
  readonly method?: string;
  /** Which of the matching requests fail, from 1 … */
  readonly at?: readonly number[];
  /** … or how likely each one fails. */
  readonly probability?: number;
  readonly failure: RequestFailure;
  readonly retryAfterSeconds?: number;
}

/** Decides for each request whether it fails, the same for the same seed. */
export interface FailurePlan {
  next(request: Request): FailureRule | null;
}

export function makeFailurePlan(rules: readonly FailureRule[], seed: number): FailurePlan {
  const random: Rng = makeRng(seed, 'failures');
  const counts = rules.map(() => 0);
  return {
    next: (request) => {
      const url = new URL(request.url);
      const path = `${url.hostname}${url.pathname}`;
      let hit: FailureRule | null = null;
      for (const [n, rule] of rules.entries()) {
        if (!rule.path.test(path) || (rule.method ?? request.method) !== request.method) continue;
        const count = (counts[n] ?? 0) + 1;
        counts[n] = count;
        const fails = rule.at ? rule.at.includes(count) : random() < (rule.probability ?? 1);
        if (fails && !hit) hit = rule;
      }
      return hit;
    },
  };
}

const CODES = {
  throttled: [429, 'TooManyRequests', 'Too many requests.'],
  busy: [503, 'serviceNotAvailable', 'The service is temporarily unavailable.'],
  error: [500, 'generalException', 'General exception while processing.'],
  timeout: [504, 'UnknownError', ''],
  expired: [401, 'InvalidAuthenticationToken', 'Lifetime validation failed, the token is expired.'],
  gone: [410, 'resyncRequired', 'Resync required.'],
} as const;

/**
 * Answers a request as its rule says.
 * @throws TypeError the connection broke · DOMException the client gave up
 */
export async function failRequest(
  rule: FailureRule,
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  const { failure, retryAfterSeconds = 3 } = rule;
  if (failure === 'reset') throw new TypeError('fetch failed');
  if (failure === 'stalled') return waitForAbort(request.signal);
  if (failure === 'lost') {
    await answer();
    throw new TypeError('fetch failed');
  }
  if (failure === 'cut') return cutInHalf(await answer());
  if (failure === 'warned') {
    const { status, headers, body } = await answer();
    return new Response(body, {
      status,
      headers: { ...Object.fromEntries(headers), ...rateLimit(60) },
    });
  }
  const [status, code, message] = CODES[failure];
  return Response.json(
    { error: { code, message, innerError: {} } },
    {
      status,
      headers: {
        ...(failure === 'throttled' || failure === 'busy'
          ? { 'retry-after': String(retryAfterSeconds) }
          : {}),
        ...(failure === 'throttled' ? rateLimit(0) : {}),
        ...(failure === 'gone' ? { location: request.url.replace(/\?.*$/, '') } : {}),
      },
    },
  );
}

const rateLimit = (remaining: number): Record<string, string> => ({
  'ratelimit-limit': '1200',
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': '30',
});

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void =>
      reject(
        signal.reason instanceof Error
          ? signal.reason
          : new DOMException('The operation was aborted.', 'AbortError'),
      );
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Returns the response with half of its bytes, and then an end that nobody expects. */
async function cutInHalf(response: Response): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) throw new TypeError('fetch failed');
  let isSent = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isSent) controller.error(new TypeError('terminated'));
      else controller.enqueue(bytes.subarray(0, Math.ceil(bytes.length / 2)));
      isSent = true;
    },
  });
  const headers = new Headers(response.headers);
  headers.set('content-length', String(bytes.length));
  return new Response(body, { status: response.status, headers });
}
