import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';

interface Limits {
  readonly maxBytes?: number;
  readonly timeoutMs?: Ms;
}
type Fetch = (request: Request, limits?: Limits) => Promise<Response>;

/**
 * The way to Stripe, reCAPTCHA and QuickBooks. The demo connects it to its own stand-ins instead, whose
 * payment pages are below `pages`, a path of this server that ends with a slash.
 */
export interface PaymentConnection {
  readonly fetch: Fetch;
  /** Null: only the provider's own pages take payments. */
  readonly pages: string | null;
  connectTo(fetch: Fetch, pages?: string): void;
}

const MAX_BYTES = 4 * 1_048_576;
const TIMEOUT_MS: Ms = 20_000;

export function makePaymentConnection(context: () => AppContext): PaymentConnection {
  let send: Fetch = async (request, { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS } = {}) =>
    fetchOutbound(context(), request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: request.method === 'GET' ? null : await request.text(),
      maxBytes,
      timeoutMs,
    });
  let standInPages: string | null = null;
  return {
    fetch: (request, limits) => send(request, limits),
    get pages() {
      return standInPages;
    },
    connectTo(fetch, pages) {
      send = fetch;
      standInPages = pages ?? null;
    },
  };
}
