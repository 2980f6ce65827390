import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { offerRetry } from '#src/ui/offer-retry.tsx';
import { seesSubscriptions } from '#contract/billing/subscriber.ts';
import type { OutputOf } from '#contract/calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { Page } from '#src/app/shell/page.tsx';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { useBranding, useMe, useZone } from '#src/app/session/session.ts';
import { Callout } from '#src/ui/callout.tsx';
import { formatWhen } from '#src/ui/format.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Select } from '#src/ui/select.tsx';
import { showFailure } from '#src/ui/toasts.ts';
import { useSearchQuery } from '../shared/queries/use-search-query.ts';
import { Questions, WAY } from './questions.tsx';
import { moneyWords } from './labels.ts';
import { billingMessages as t } from './billing.messages.en.ts';

/** `/monitoring/billing`: amount due, payment methods, and which card data is stored (BILL-7). */
export function Billing() {
  const branding = useBranding();
  const roles = useMe()?.roles ?? [];
  const zone = useZone();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const canSeeInvoices =
    branding !== null && mayOpen(PAGES['/monitoring/invoices'], roles, branding.features);
  const owed = useCachedQuery(
    'listInvoices',
    { state: 'owed', pageSize: '1' },
    { wanted: canSeeInvoices },
  );
  if (branding === null) return <Page title={t.billing}>{null}</Page>;
  return (
    <Page title={t.billing}>
      <div className="min-h-full bg-sheet px-4 py-5 tablet:px-5">
        {canSeeInvoices && (
          <FormSection title={t.unpaid} description={t.unpaidHint}>
            {!owed.live && owed.at !== null && (
              <Callout tone="warning">{t.dataFrom({ when: formatWhen(owed.at, zone) })}</Callout>
            )}
            {owed.value === null ? (
              owed.failure !== null && (
                <Callout
                  tone={offline ? 'warning' : 'failed'}
                  action={offerRetry(owed.failure, owed.again, { size: 'sm' })}
                >
                  {offline ? MESSAGES.needsNetwork : getFailureText(owed.failure)}
                </Callout>
              )
            ) : (
              <Owed invoices={owed.value} />
            )}
            <p className="m-0">
              <Link to="/monitoring/invoices" className={WAY}>
                {t.allInvoices}
              </Link>
            </p>
          </FormSection>
        )}
        <FormSection title={t.paymentCards} description={t.paymentCardsHint}>
          <PaymentCards hasStripe={branding.isStripeEnabled} offline={offline} />
        </FormSection>
        <Questions title={t.questions} description={t.questionsHint({ provider: branding.name })} />
      </div>
    </Page>
  );
}

function Owed({
  invoices: { sums, source, count },
}: {
  readonly invoices: OutputOf<'listInvoices'>;
}) {
  if (source.kind === 'none') return <p className="m-0 text-ink-2">{t.notConnected}</p>;
  if (count === 0)
    return <p className="m-0">{source.kind === 'reading' ? t.syncing : t.nothingOwed}</p>;
  return (
    <ul className="m-0 list-none p-0">
      {sums.map(({ currency, count: some, balance, overdue }) => (
        <li
          key={currency}
          className="flex min-h-9 flex-wrap items-baseline gap-x-3 border-b border-hair py-2"
        >
          <b className="tabular-nums">{moneyWords(balance, currency)}</b>
          <span className="text-ink-2">{t.invoiceCount({ count: some })}</span>
          {overdue > 0 && (
            <span className="text-warning tabular-nums">
              {t.overdueAmount({ amount: moneyWords(overdue, currency) })}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What is known of cards, and the way to save one on Stripe's page if the user pays for a company. */
function PaymentCards({
  hasStripe,
  offline,
}: {
  readonly hasStripe: boolean;
  readonly offline: boolean;
}) {
  const me = useMe();
  const canPay = useCanPay();
  if (me === null || !hasStripe || !canPay) return <p className="m-0">{t.noCards}</p>;
  return <CardOnFile user={me.id} offline={offline} />;
}

/** BILL-14: for a company's card, as the server decides it. */
function useCanPay(): boolean {
  const me = useMe();
  const isSubscriber = useAbility('o365.service-level');
  const isProvider = useAbility('o365.subscriptions');
  return me !== null && seesSubscriptions(me) && (isSubscriber || isProvider);
}

function CardOnFile({ user, offline }: { readonly user: string; readonly offline: boolean }) {
  const query = useSearchQuery('getSubscription', { userId: user }, { isStored: true });
  const mutation = useServerMutation();
  const [chosen, choose] = useState<string | null>(null);
  const companies = query.value?.rows ?? [];
  const company = companies.find(({ companyId }) => companyId === chosen) ?? companies[0];
  const open = async (): Promise<void> => {
    if (company === undefined) return;
    const answer = await mutation.send(() =>
      withReauth(() => client().ask('collectCard', { companyId: company.company })),
    );
    if (answer.ok) location.assign(answer.value.url);
    else showFailure(getFailureText(answer.failure));
  };
  if (query.value === null)
    return (
      query.failure !== null && (
        <Callout
          tone={offline ? 'warning' : 'failed'}
          action={offerRetry(query.failure, query.again, { size: 'sm' })}
        >
          {offline ? MESSAGES.needsNetwork : getFailureText(query.failure)}
        </Callout>
      )
    );
  if (company === undefined) return <p className="m-0">{t.noSubscribers}</p>;
  return (
    <div className="grid justify-items-start gap-3">
      <p className="m-0">{t.cardsAtStripe}</p>
      {companies.length > 1 && (
        <Select
          label={t.company}
          value={company.companyId}
          options={companies.map(({ companyId, companyName }) => ({
            value: companyId,
            label: companyName,
          }))}
          onChange={choose}
        />
      )}
      <CallButton
        call="collectCard"
        icon="card"
        busy={mutation.busy}
        disabled={offline}
        {...(offline && { 'data-tip': MESSAGES.needsNetwork })}
        onClick={() => void open()}
      >
        {t.saveCard}
      </CallButton>
    </div>
  );
}

const EMPTY = {};
