import { stripePageMessages as t } from './messages.en.ts';

/** The hosted pages of the stand-in: without scripts, and without a field for a card. */
const page = (title: string, body: string): string => `<!doctype html>
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
<main>${body}</main>
</body>
</html>
`;

export function checkoutPage(
  base: string,
  id: string,
  session: Readonly<Record<string, unknown>>,
  isDeclined: boolean,
): string {
  if (session['status'] !== 'open') return page(t.checkout, `<p>${t.done}</p>`);
  const button = (card: string, label: string): string =>
    `<form method="post" action="${base}/pay/${id}"><input type="hidden" name="card" value="${card}"><button>${label}</button></form>`;
  const isSetup = session['mode'] === 'setup';
  return page(
    isSetup ? t.saveCard : t.checkout,
    `${isDeclined ? `<p role="alert">${t.declined}</p>` : ''}
<p>${isSetup ? t.setupHint : t.payHint}</p>
${button('good', isSetup ? t.save : t.pay)}
${button('declined', t.decline)}
<p><a href="${escaped(String(session['cancel_url']))}">${t.cancel}</a></p>`,
  );
}

export const portalPage = (back: string): string =>
  page(t.portal, `<p>${t.portalHint}</p><p><a href="${escaped(back)}">${t.back}</a></p>`);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
