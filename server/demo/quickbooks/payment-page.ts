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

/** Returns the page on which an invoice is paid: without scripts, and without a field for a card. */
export function showPaymentPage(
  address: string,
  { number, company, customer, day, due, isPaid, total, currency }: PayableInvoice,
): Response {
  const title = escapeHtml(t.invoice({ number }));
  const amount = { total: total.toFixed(2), currency };
  const facts = [company, t.customer({ name: customer }), t.dates({ day, due }), t.total(amount)];
  const body = isPaid
    ? `<p role="status">${t.paid}</p>`
    : `<form method="post" action="${address}"><button>${escapeHtml(t.pay(amount))}</button></form>`;
  return new Response(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/demo/tenant.css">
</head>
<body>
<header><h1>${title}</h1><p>${t.intro}</p></header>
<main>${facts.map((fact) => `<p>${escapeHtml(fact)}</p>`).join('\n')}
${body}
<p><a href="/o365/subscriptions">${t.back}</a></p></main>
</body>
</html>
`,
    { headers: { 'content-type': 'text/html; charset=utf-8' } },
  );
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
