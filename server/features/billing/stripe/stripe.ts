import { createHash } from 'node:crypto';
import type { Stripe } from 'stripe';
import type { Failure } from '#contract/errors.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { readSecret } from '#server/platform/outbound/secret.ts';

/** Stripe keeps the result of a key for at least this long. */
const KEY_MS: Ms = 24 * 3_600_000;
const RETRY_MS: Ms = 10_000;

/**
 * Stripe's SDK with the provider's own key (BILL-9); null if the provider has none. The SDK is loaded
 * when it is needed.
 */
export async function connectStripe(context: AppContext, tenant: TenantId): Promise<Stripe | null> {
  const key = await context.store.tenant(tenant, (tx) => readSecret(tx, context, 'stripe'));
  return key === null ? null : makeStripe(context, key);
}

export async function makeStripe(
  context: Pick<AppContext, 'payments'>,
  key: string,
): Promise<Stripe> {
  const sdk = await import('stripe');
  return new sdk.Stripe(key, {
    httpClient: sdk.Stripe.createFetchHttpClient(
      (url: string | URL | Request, init?: RequestInit) =>
        context.payments.fetch(new Request(url, init)),
    ),
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

/** Reads from Stripe. Failures are values. */
export async function readStripe<T>(read: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await read());
  } catch (error) {
    const failure = await toFailure(error);
    if (failure === null) throw error;
    return failed(failure);
  }
}

/**
 * Writes to Stripe (BILL-11). The idempotency key is stored before, under `what`; a write whose answer
 * was lost is repeated with the same key, so it acts once.
 */
export async function writeStripe<T>(
  context: AppContext,
  tenant: TenantId,
  { what, body }: { readonly what: string; readonly body: unknown },
  write: (options: { readonly idempotencyKey: string }) => Promise<T>,
): Promise<Result<T>> {
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  const idempotencyKey = await context.store.tenant(tenant, (tx) =>
    storeKey(tx, context, what, hash),
  );
  const written = await readStripe(() => write({ idempotencyKey }));
  // An answer that is certain ends the key; without one, the next attempt uses it again.
  if (written.ok || written.failure.kind !== 'busy')
    await context.store.tenant(tenant, ({ sql }) =>
      sql
        .deleteFrom('stripe_write')
        .where('tenant_id', '=', tenant)
        .where('what', '=', what)
        .where('key', '=', idempotencyKey)
        .execute(),
    );
  return written;
}

async function storeKey(
  { sql, tenant }: TenantTx,
  { chance, clock }: AppContext,
  what: string,
  hash: string,
): Promise<string> {
  const now = clock.now();
  const before = await sql
    .selectFrom('stripe_write')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('what', '=', what)
    .executeTakeFirst();
  if (before?.body_hash === hash && before.made_at > now - KEY_MS) return before.key;
  const row = { body_hash: hash, key: chance.uuid(), made_at: now };
  await sql
    .insertInto('stripe_write')
    .values({ tenant_id: tenant, what, ...row })
    .onConflict((on) => on.columns(['tenant_id', 'what']).doUpdateSet(row))
    .execute();
  return row.key;
}

/** What `writeStripe` returns if Stripe refuses the provider's key, whatever it is used for. */
export const KEY_REFUSED: Failure = { kind: 'conflict', message: MESSAGES.stripeRefused };

/** Null for a bug. Stripe's own message may name a key, so it is not shown. */
async function toFailure(error: unknown): Promise<Failure | null> {
  const { errors } = (await import('stripe')).Stripe;
  if (error instanceof OutboundError || error instanceof errors.StripeConnectionError)
    return { kind: 'busy', message: MESSAGES.stripeUnreachable, retryAfterMs: RETRY_MS };
  if (!(error instanceof errors.StripeError)) return null;
  const status = error.statusCode ?? 500;
  if (status === 401 || status === 403) return KEY_REFUSED;
  if (status === 404) return { kind: 'not-found', message: MESSAGES.notFound };
  // 409: a request with the same key is still on its way.
  return status === 409 || status === 429 || status >= 500
    ? { kind: 'busy', message: MESSAGES.stripeUnreachable, retryAfterMs: RETRY_MS }
    : { kind: 'conflict', message: MESSAGES.stripeRefused };
}
