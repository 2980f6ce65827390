import type { ReactNode } from 'react';
import { seesSubscriptions } from '#contract/billing/subscriber.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { CompanySubscription } from '#contract/billing/subscription-calls.ts';
import { useBranding, useMe, useZone } from '#src/app/session/session.ts';
import { useAbility } from '#src/app/session/use-ability.ts';
import { Notice } from '#src/app/shell/notice-page.tsx';
import { Page } from '#src/app/shell/page.tsx';
import { CallButton } from '#src/app/call-button.tsx';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { showFailure } from '#src/ui/toasts.ts';
import { ListState } from '../../shared/lists/list-parts.tsx';
import { useSearchQuery } from '../../shared/queries/use-search-query.ts';
import { moneyWords } from '../labels.ts';
import { Subscriptions } from '../own-usage.tsx';
import { OWN_OPERATIONS, TermsList } from './details.tsx';
import { formatMonth } from '../../shared/format-month.ts';

import { subscriptionMessages as t } from './messages.en.ts';
import type { Operation } from './operation-dialog.tsx';

/** `/o365/service-level`: the levels of the user's companies, and the way to another. */
export const ServiceLevels = () => (
  <Page title={t.serviceLevel}>
    <div className="min-h-full bg-sheet">
      <OwnSubscriptions
        operations={LEVEL}
        hint={t.serviceLevelHint}
        empty={
          <Notice icon="licensing" level={2} title={t.noOwn}>
            <p className="m-0">{t.noOwnHint}</p>
          </Notice>
        }
        unavailable={
          <Notice icon="licensing" level={2} title={t.noOwn}>
            <ProviderHint />
          </Notice>
        }
      />
    </div>
  </Page>
);

/** `/o365/subscriptions`: what the user's companies subscribe to, above their usage. */
export const SuiteSubscriptions = () => (
  <Subscriptions
    above={
      <OwnSubscriptions
        operations={OWN_OPERATIONS}
        empty={null}
        unavailable={
          <div className="max-w-[90ch] px-4 py-3 text-ink-2 tablet:px-5">
            <ProviderHint />
          </div>
        }
      />
    }
  />
);

/** For users who see all companies: they subscribe to nothing themselves. */
const ProviderHint = () => (
  <p className="m-0">{t.ofProvider({ provider: useBranding()?.name ?? t.yourProvider })}</p>
);

const LEVEL: readonly Operation[] = ['change-level'];

interface OwnProps {
  readonly operations: readonly Operation[];
  readonly hint?: string;
  readonly empty: ReactNode;
  /** Instead of all that, for users who see no subscriptions. */
  readonly unavailable: ReactNode;
}

function OwnSubscriptions({ unavailable, ...props }: OwnProps) {
  const me = useMe();
  if (me === null) return null;
  return seesSubscriptions(me) ? <SeenSubscriptions me={me} {...props} /> : unavailable;
}

function SeenSubscriptions({
  me,
  operations,
  hint,
  empty,
}: Omit<OwnProps, 'unavailable'> & { readonly me: Me }) {
  const zone = useZone();
  const canChange = useAbility('o365.service-level');
  const branding = useBranding();
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const query = useSearchQuery('getSubscription', { userId: me.id }, { isStored: true });
  const rows = (query.value?.rows ?? []).filter(hasSubscription);
  return (
    <>
      {hint !== undefined && (
        <p className="m-0 max-w-[90ch] px-4 py-3 text-ink-2 tablet:px-5">{hint}</p>
      )}
      <ListState
        query={query}
        offline={offline}
        zone={zone}
        unavailableText={t.notOnDevice}
        needs={t.needsNetwork}
      />
      {query.value !== null && rows.length === 0 && empty}
      {rows.length > 0 && (
        <ul
          aria-label={t.yourSubscriptions}
          className="m-0 grid list-none grid-cols-[minmax(0,1fr)] gap-x-10 gap-y-6 px-4 py-4 tablet:px-5 desk:grid-cols-2"
        >
          {rows.map((row) => (
            <li key={row.companyId} className="min-w-0 border-t-2 border-head-rule pt-3">
              <h2 className="m-0 pb-1 text-body font-semibold break-words">{row.companyName}</h2>
              <TermsList
                row={row}
                operations={canChange ? operations : []}
                levelNames={branding}
                offline={offline}
                onChanged={query.again}
                soFar={row.usage === null ? null : describeSoFar(row.usage)}
              >
                {canChange && <CardButton row={row} offline={offline} onChanged={query.again} />}
                {canChange && row.unpaidInvoice != null && (
                  <InvoiceButton
                    company={row.company}
                    number={row.unpaidInvoice}
                    offline={offline}
                  />
                )}
              </TermsList>
              {canChange && row.unpaidInvoice != null && (
                <p className="m-0 pt-2 text-agate text-ink-3">{t.payInvoiceHint}</p>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const describeSoFar = ({
  totalMills,
  currency,
  year,
  month,
}: NonNullable<CompanySubscription['usage']>): string =>
  t.soFar({ amount: moneyWords(totalMills, currency), month: formatMonth(year, month) });

/**
 * Opens Stripe's own page: the portal of a card subscription, or the one on which a company begins to
 * pay by card. What is free, and what doesn't run, needs no card.
 */
function CardButton({
  row: { company, subscription },
  offline,
  onChanged,
}: {
  readonly row: Subscribed;
  readonly offline: boolean;
  readonly onChanged: () => void;
}) {
  const mutation = useServerMutation();
  const call = getCardCall(subscription);
  if (call === null) return null;
  const open = async (): Promise<void> => {
    const answer = await mutation.send(() =>
      withReauth(() => client().ask(call, { companyId: company })),
    );
    if (!answer.ok) showFailure(getFailureText(answer.failure));
    else if (answer.value.url === null) onChanged();
    else location.assign(answer.value.url);
  };
  return (
    <CallButton
      call={call}
      size="sm"
      icon="card"
      busy={mutation.busy}
      disabled={offline}
      onClick={() => void open()}
    >
      {call === 'updateCard' ? t.updateCard : t.payByCard}
    </CallButton>
  );
}

/** Opens QuickBooks' own page, on which the oldest unpaid invoice is paid. */
function InvoiceButton({
  company,
  number,
  offline,
}: {
  readonly company: number;
  readonly number: string;
  readonly offline: boolean;
}) {
  const mutation = useServerMutation();
  const open = async (): Promise<void> => {
    const answer = await mutation.send(() =>
      withReauth(() => client().ask('payInvoiceOnline', { companyId: company })),
    );
    if (!answer.ok) showFailure(getFailureText(answer.failure));
    else if (answer.value.url === null) showFailure(t.noOnlinePayment({ number }));
    else location.assign(answer.value.url);
  };
  return (
    <CallButton
      call="payInvoiceOnline"
      size="sm"
      icon="card"
      busy={mutation.busy}
      disabled={offline}
      {...(offline && { 'data-tip': t.needsNetwork })}
      onClick={() => void open()}
    >
      {t.payInvoice({ number })}
    </CallButton>
  );
}

function getCardCall({
  status,
  hasCard,
  userMills,
  gigabyteMills,
}: Subscribed['subscription']): 'updateCard' | 'subscribeByCard' | null {
  if (hasCard && status !== 'pending') return 'updateCard';
  const isFree = userMills === 0 && gigabyteMills === 0;
  return isFree || status === 'cancelled' || status === 'ended' ? null : 'subscribeByCard';
}

type Subscribed = CompanySubscription & {
  readonly subscription: NonNullable<CompanySubscription['subscription']>;
};
const hasSubscription = (row: CompanySubscription): row is Subscribed => row.subscription !== null;

const EMPTY = {};
