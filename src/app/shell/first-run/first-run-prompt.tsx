import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { MESSAGES } from '#contract/messages.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { announce } from '../announce.tsx';
import { FIRST_STEP } from './first-run.ts';
import { uiMessages } from '#src/ui/messages.en.ts';
import { firstRunMessages as t } from './messages.en.ts';

/**
 * A prompt above the page of a provider without data: the first step to take. It does not take the
 * focus. A dismissal applies to all of the user's devices.
 */
export function FirstRunPrompt({ onDismiss }: { readonly onDismiss: () => void }) {
  const keys = useWatch('keys', NOTHING);
  const isShown = keys?.every(({ revokedAt }) => revokedAt !== null) ?? false;
  useEffect(() => {
    if (isShown) announce(MESSAGES.firstRun);
  }, [isShown]);

  if (!isShown) return null;
  return (
    <section
      aria-label={t.getStarted}
      className="flex min-h-11 flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-l-[3px] border-b-rule border-l-accent bg-sheet px-3 py-1.5 print:hidden tablet:px-5"
    >
      <Icon name="source" className="text-accent" />
      <p className="m-0 min-w-0 grow basis-52 break-words">{MESSAGES.firstRun}</p>
      <span className="flex flex-wrap items-center gap-2">
        <Link
          to={FIRST_STEP}
          className="inline-flex items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          {t.connectSource}
        </Link>
        <Button size="sm" onClick={onDismiss}>
          {uiMessages.dismiss}
        </Button>
      </span>
    </section>
  );
}

const NOTHING = {};
