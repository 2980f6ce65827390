import type { AppContext } from '#server/platform/app-context.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';

type Fetch = (request: Request) => Promise<Response>;

/** The way to Stripe and reCAPTCHA. The demo connects it to its own stand-in instead. */
export interface PaymentConnection {
  readonly fetch: Fetch;
  connectTo(fetch: Fetch): void;
}

const MAX_BYTES = 4 * 1_048_576;
const TIMEOUT_MS = 20_000;

export function makePaymentConnection(context: () => AppContext): PaymentConnection {
  let send: Fetch = async (request) =>
    fetchOutbound(context(), request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: request.method === 'GET' ? null : await request.text(),
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
    });
  return {
    fetch: (request) => send(request),
    connectTo(fetch) {
      send = fetch;
    },
  };
}
