import type { Mills } from '#contract/billing/invoice.ts';
import { MAX_PRICE_MILLS } from '#contract/billing/service-levels.ts';
import { parseMoney, showMoney } from '#src/ui/money.ts';

/**
 * Returns a price as typed, up to the highest one; null if it isn't one. A stored price that nobody
 * changed stays, also if it has parts of a cent.
 */
export function readPrice(text: string, currency: string, stored: Mills): Mills | null {
  if (text.trim() === showMoney(stored, currency)) return stored;
  const price = parseMoney(text, currency);
  return price === null || price > MAX_PRICE_MILLS ? null : price;
}
