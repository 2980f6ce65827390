import { SECOND_MS } from '#contract/time/durations.ts';
import type { Stripe } from 'stripe';
import type { TenantId } from '#contract/ids.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { readStripe } from './stripe.ts';

const PAGE_ROWS = 100;
/** In the metadata of an invoice that a debt was written off with: its month stays invoiced. */
export const WRITTEN_OFF = 'written_off';

/**
 * BILL-16: opens the months again whose invoices somebody voided at Stripe. They are collected when
 * somebody acknowledges them again. What was written off isn't billed again.
 */
export async function releaseVoided(
  context: AppContext,
  tenant: TenantId,
  stripe: Stripe,
  customer: string,
): Promise<Result<unknown>> {
  const listed = await readStripe(async () => {
    const found: Stripe.Invoice[] = [];
    for await (const invoice of stripe.invoices.list({
      customer,
      status: 'void',
      limit: PAGE_ROWS,
    }))
      found.push(invoice);
    return found;
  });
  if (!listed.ok) return listed;
  const voided = new Map(
    listed.value
      .filter(({ metadata }) => metadata?.['usage'] != null && metadata[WRITTEN_OFF] == null)
      .map((invoice) => [invoice.number ?? invoice.id, invoice]),
  );
  if (voided.size === 0) return ok(null);
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const subscriptions = await tx.all('subscription');
    const released = (await tx.all('usageMonth')).filter(({ id, company, invoice }) => {
      const found = invoice === null ? undefined : voided.get(invoice.id);
      if (found?.metadata?.['usage'] !== id) return false;
      // Former versions wrote off without a mark.
      const voidedAt = (found.status_transitions?.voided_at ?? 0) * SECOND_MS;
      return !subscriptions.some(
        (row) =>
          row.company === company && (row.forgivenAt ?? 0) > 0 && voidedAt <= (row.forgivenAt ?? 0),
      );
    });
    await tx.append(
      released.flatMap(({ id, company }) => [
        {
          event: { type: 'usage.released@1' as const, data: { id } },
          company,
          entity: `usage:${id}`,
        },
        {
          event: { type: 'usage.unacknowledged@1' as const, data: { id } },
          company,
          entity: `usage:${id}`,
        },
      ]),
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: context.clock.now() },
    );
  });
  return ok(null);
}
