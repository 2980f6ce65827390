import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Callout } from './callout.tsx';
import { uiMessages as t } from './messages.en.ts';

/** An error of a request, with a button to send the request again. */
export function RetryCallout({
  children,
  onRetry,
}: {
  readonly children: ReactNode;
  readonly onRetry: () => void;
}) {
  return (
    <Callout
      tone="failed"
      alert
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
