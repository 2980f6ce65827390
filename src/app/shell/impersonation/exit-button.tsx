import type { Me } from '#contract/auth/current-user.ts';
import { Icon } from '../../../ui/icon.tsx';
import { ExitQuestion } from './exit-question.tsx';
import { exitWord, useImpersonation } from './impersonation.ts';

/**
 * Replaces "Log out" while an administrator impersonates a user, and returns to the administrator's
 * own session.
 */
export function Exit({ me, mini }: { readonly me: Me; readonly mini: boolean }) {
  const impersonation = useImpersonation(true);
  const { state, send } = impersonation;
  const busy = state.matches('exiting') || state.matches('discarding');
  const word = exitWord(me.username);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          send({ type: 'EXIT' });
        }}
        {...(mini && { 'aria-label': word, 'data-tip': word })}
        aria-busy={busy}
        className="flex h-8 items-center gap-2.5 rounded-part px-2 hover:text-side-ink focus-visible:-outline-offset-2 focus-visible:outline-side-ink pointer-coarse:h-11"
      >
        <Icon name="sign-out" />
        {!mini && <span className="truncate">{word}</span>}
      </button>
      <ExitQuestion {...impersonation} />
    </>
  );
}
