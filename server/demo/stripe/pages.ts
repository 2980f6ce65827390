import { formatMoment } from '#contract/i18n/moment.ts';
import { hostedPage } from '../hosted-page.ts';
import { escaped } from '../tenant-page/html.ts';
import { stripePageMessages as t } from './messages.en.ts';

const page = (title: string, body: string): string => hostedPage(title, t.intro, body);

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
${describeTerms(session)}
<p>${isSetup ? t.setupHint : t.payHint}</p>
${button('good', isSetup ? t.save : t.pay)}
${button('declined', t.decline)}
<p><a href="${escaped(String(session['cancel_url']))}">${t.cancel}</a></p>`,
  );
}

/** What is paid, as the session says it beside the button, and until when nothing is. */
function describeTerms(session: Readonly<Record<string, unknown>>): string {
  const { submit } = (session['custom_text'] ?? {}) as { submit?: { message?: string } | null };
  const { trialEnd } = (session['~terms'] ?? {}) as { trialEnd?: string | null };
  return [
    ...(submit?.message === undefined ? [] : [submit.message]),
    ...(trialEnd == null ? [] : [t.trialUntil({ when: formatMoment(Number(trialEnd) * 1_000) })]),
  ]
    .map((text) => `<p>${escaped(text)}</p>`)
    .join('\n');
}

export const portalPage = (back: string): string =>
  page(t.portal, `<p>${t.portalHint}</p><p><a href="${escaped(back)}">${t.back}</a></p>`);
