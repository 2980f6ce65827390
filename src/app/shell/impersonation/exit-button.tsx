import { Suspense, lazy } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { withChunkTimeout } from '../../../ui/chunk-load.ts';
import { Icon } from '../../../ui/icon.tsx';
import { exitWord, useExit } from './impersonation.ts';

const ExitQuestion = lazy(async () => ({
  default: (await withChunkTimeout(import('./exit-question.tsx'))).ExitQuestion,
}));

/**
 * Replaces "Log out" while an administrator impersonates a user, and returns to the administrator's
 * own session.
 */
export function Exit({ me, mini }: { readonly me: Me; readonly mini: boolean }) {
  const { busy, unsent, exit, stay } = useExit();
  const word = exitWord(me.username);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          if (!busy) exit();
        }}
        {...(mini && { 'aria-label': word, 'data-tip': word })}
        aria-busy={busy}
        className="flex h-8 items-center gap-2.5 rounded-part px-2 hover:text-side-ink focus-visible:-outline-offset-2 focus-visible:outline-side-ink pointer-coarse:h-11"
      >
        <Icon name="sign-out" />
        {!mini && <span className="truncate">{word}</span>}
      </button>
      {unsent !== null && (
        <Suspense>
          <ExitQuestion
            count={unsent}
            busy={busy}
            onDiscard={() => exit('discard')}
            onClose={stay}
          />
        </Suspense>
      )}
    </>
  );
}
