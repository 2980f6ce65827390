import { Link } from '@tanstack/react-router';
import { MESSAGES } from '#contract/messages.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { FIRST_STEP } from './first-run.ts';
import { PROMPT_LINK, PromptBanner } from './prompt-banner.tsx';
import { firstRunMessages as t } from './messages.en.ts';

/**
 * A prompt above the page of a provider without data: the first step to take. A dismissal applies to
 * all of the user's devices.
 */
export function FirstRunPrompt({ onDismiss }: { readonly onDismiss: () => void }) {
  const keys = useWatch('keys', EMPTY);
  return (
    keys?.every(({ revokedAt }) => revokedAt !== null) === true && (
      <PromptBanner
        icon="source"
        text={MESSAGES.firstRun}
        link={
          <Link to={FIRST_STEP} className={PROMPT_LINK}>
            {t.connectSource}
          </Link>
        }
        onDismiss={onDismiss}
      />
    )
  );
}

const EMPTY = {};
