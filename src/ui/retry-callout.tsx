import type { ReactNode } from 'react';
import type { Failure } from '#contract/errors.ts';
import { Callout } from './callout.tsx';
import { offerRetry } from './offer-retry.tsx';

/** An error of a request, with a button to send the request again if that can help. */
export function RetryCallout({
  children,
  failure,
  offline = false,
  onRetry,
}: {
  readonly children: ReactNode;
  /** Null: the reason is unknown. */
  readonly failure: Failure | null;
  /** Shows a warning that isn't announced, instead of an error. */
  readonly offline?: boolean;
  readonly onRetry: () => void;
}) {
  return (
    <Callout
      tone={offline ? 'warning' : 'failed'}
      alert={!offline}
      action={offerRetry(offline ? null : failure, onRetry, { size: 'sm' })}
    >
      {children}
    </Callout>
  );
}
