import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Callout } from './callout.tsx';
import { uiMessages as t } from './messages.en.ts';

/** An error of a request, with a button to send the request again. */
export function RetryCallout({
  children,
  offline = false,
  onRetry,
}: {
  readonly children: ReactNode;
  /** Shows a warning that isn't announced, instead of an error. */
  readonly offline?: boolean;
  readonly onRetry: () => void;
}) {
  return (
    <Callout
      tone={offline ? 'warning' : 'failed'}
      alert={!offline}
      action={
        <Button size="sm" onClick={onRetry}>
          {t.tryAgain}
        </Button>
      }
    >
      {children}
    </Callout>
  );
}
