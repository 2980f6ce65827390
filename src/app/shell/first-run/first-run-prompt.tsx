import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { MESSAGES } from '#contract/messages.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { writeStored, readStored } from '../../session/browser-storage.ts';
import { PROMPT_DISMISSED } from '../../session/storage-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { announce } from '../announce.tsx';
import { FIRST_STEP, mayPrompt, needsPrompt, PROMPT_DELAY_MS } from './first-run.ts';

/**
 * A prompt above the page of a provider without data: the first step to take. It does not take the
 * focus. A dismissal applies to all of the user's devices.
 */
export function FirstRunPrompt({ me, path }: { readonly me: Me; readonly path: string }) {
  const [isNeeded, setNeeded] = useState(false);
  const [dismissedBy, setDismissedBy] = useState(() => readStored(PROMPT_DISMISSED));
  const hasKey = useWatch('keys', NOTHING)?.some(({ revokedAt }) => revokedAt === null) ?? false;
  const isShown = isNeeded && !hasKey && mayPrompt(me, path, dismissedBy);
  const { id } = me;
  const isAsked = mayPrompt(me, '/monitoring/', null);

  useEffect(() => {
    if (!isAsked) return;
    let isOver = false;
    const ask = async (): Promise<void> => {
      const profile = await client().ask('readProfile', { id });
      if (isOver || !profile.ok) return;
      setNeeded(needsPrompt(profile.value));
      // The prompt was dismissed while the server was unreachable.
      if (readStored(PROMPT_DISMISSED) === id && profile.value.wizardPromptDismissed !== true)
        await saveDismissal(id);
    };
    const timer = setTimeout(() => void ask(), PROMPT_DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [id, isAsked]);
  useEffect(() => {
    if (isShown) announce(MESSAGES.firstRun);
  }, [isShown]);

  if (!isShown) return null;
  return (
    <section
      aria-label="Get started"
      className="flex min-h-11 flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-l-[3px] border-b-rule border-l-accent bg-sheet px-3 py-1.5 print:hidden tablet:px-5"
    >
      <Icon name="source" className="text-accent" />
      <p className="m-0 min-w-0 grow basis-52 break-words">{MESSAGES.firstRun}</p>
      <span className="flex flex-wrap items-center gap-2">
        <Link
          to={FIRST_STEP}
          className="inline-flex items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
        >
          Connect a source
        </Link>
        <Button
          size="sm"
          onClick={() => {
            writeStored(PROMPT_DISMISSED, id);
            setDismissedBy(id);
            void saveDismissal(id);
          }}
        >
          Dismiss
        </Button>
      </span>
    </section>
  );
}

/**
 * Saves the dismissal on the user's profile. If that fails, this browser remembers it and saves it
 * at the next load.
 */
async function saveDismissal(id: string): Promise<void> {
  await client().ask('editProfile', { id, wizardPromptDismissed: true });
}

const NOTHING = {};
