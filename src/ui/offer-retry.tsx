import type { ReactNode } from 'react';
import type { Failure } from '#contract/errors.ts';
import { Button } from './button.tsx';
import type { ButtonProps } from './button.tsx';
import { canRetry } from './can-retry.ts';
import { uiMessages as t } from './messages.en.ts';

/** Returns a button that repeats a failed request, or nothing if the server would refuse it again. */
export const offerRetry = (
  failure: Failure | null,
  onRetry: () => void,
  look: Omit<ButtonProps, 'onClick' | 'children'> = {},
): ReactNode =>
  canRetry(failure) ? (
    <Button {...look} onClick={onRetry}>
      {t.tryAgain}
    </Button>
  ) : undefined;
