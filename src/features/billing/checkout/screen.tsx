import { Link, useParams, useRouterState } from '@tanstack/react-router';
import type { OutputOf } from '#contract/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Page } from '#src/app/shell/page.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { checkoutMessages as t } from './messages.en.ts';

/**
 * `/subscriptions/checkout/…`: where Stripe's pages lead back to. The result is Stripe's, not that of
 * the address.
 */
export function CheckoutResult() {
  const { _splat: rest = '' } = useParams({ strict: false }) as { readonly _splat?: string };
  const checkoutId = /^([^/]+)\/success$/.exec(rest)?.[1];
  const session = useRouterState({
    select: ({ location }) => new URLSearchParams(location.searchStr).get('session'),
  });
  const id = checkoutId ?? session;
  // Stripe's event may come after the user has returned.
  const { value, failure } = useQuery('getCheckoutResult', { checkoutId: id ?? '' }, id !== null, {
    poll: (answer) => (isWaitingFor(answer.value) ? CHECK_MS : null),
  });
  const isWaiting = isWaitingFor(value);
  return (
    <Page title={t.checkoutTitle}>
      <div className="grid min-h-full content-start gap-4 bg-sheet px-4 py-5 tablet:px-5">
        {id === null ? (
          <Callout tone={rest === 'update' ? 'success' : 'warning'}>
            {rest === 'update' ? t.cardUpdated : t.noCheckout}
          </Callout>
        ) : failure?.kind === 'not-found' ? (
          <Callout tone="warning">{t.noCheckout}</Callout>
        ) : failure !== null ? (
          <Callout tone="failed" alert>
            {getFailureText(failure)}
          </Callout>
        ) : value === null ? (
          <output className="block text-ink-2">{t.checking}</output>
        ) : (
          <Callout
            tone={
              value.status === 'complete' && !isWaiting && !value.isRefused ? 'success' : 'warning'
            }
          >
            {value.isRefused
              ? t.cardRefused
              : isWaiting
                ? t.cardWaiting
                : RESULTS[value.mode][value.status]}
          </Callout>
        )}
        <p className="m-0">
          <Link to="/o365/subscriptions" className="text-accent underline underline-offset-2">
            {t.toSubscription}
          </Link>
        </p>
      </div>
    </Page>
  );
}

const CHECK_MS = 3_000;
/** The user has paid, and the subscription doesn't know it yet. */
const isWaitingFor = (value: OutputOf<'getCheckoutResult'> | null): boolean =>
  value !== null &&
  value.mode === 'subscription' &&
  value.status === 'complete' &&
  !value.isLinked &&
  !value.isRefused;
const RESULTS = {
  setup: { complete: t.cardSaved, open: t.cardOpen, expired: t.cardExpired },
  subscription: {
    complete: t.cardLinked,
    open: t.subscriptionOpen,
    expired: t.subscriptionExpired,
  },
} as const;
