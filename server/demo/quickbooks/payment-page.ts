import { hostedPage } from '../hosted-page.ts';
import { escaped } from '../tenant-page/html.ts';
import { demoQuickBooksMessages as t } from './messages.en.ts';

interface PayableInvoice {
  readonly number: string;
  readonly company: string;
  readonly customer: string;
  readonly day: string;
  readonly due: string;
  readonly isPaid: boolean;
  /** In the currency's unit. */
  readonly total: number;
  readonly currency: string;
}

/** Returns the page on which an invoice is paid. */
export function showPaymentPage(
  address: string,
  { number, company, customer, day, due, isPaid, total, currency }: PayableInvoice,
): Response {
  const amount = { total: total.toFixed(2), currency };
  const facts = [company, t.customer({ name: customer }), t.dates({ day, due }), t.total(amount)];
  const action = isPaid
    ? `<p role="status">${t.paid}</p>`
    : `<form method="post" action="${address}"><button>${escaped(t.pay(amount))}</button></form>`;
  const html = hostedPage(
    t.invoice({ number }),
    t.intro,
    `${facts.map((fact) => `<p>${escaped(fact)}</p>`).join('\n')}
${action}
<p><a href="/o365/subscriptions">${t.back}</a></p>`,
  );
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}
