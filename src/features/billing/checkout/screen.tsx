import { Link, useParams, useRouterState } from '@tanstack/react-router';
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
  const { value, failure } = useQuery('getCheckoutResult', { checkoutId: id ?? '' }, id !== null);
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
          <Callout tone={value.status === 'complete' ? 'success' : 'warning'}>
            {RESULTS[value.status]}
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

const RESULTS = { complete: t.cardSaved, open: t.cardOpen, expired: t.cardExpired } as const;
