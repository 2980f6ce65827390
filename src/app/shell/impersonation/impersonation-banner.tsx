import { useMe, useZone } from '../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { formatTime } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { ExitQuestion } from './exit-question.tsx';
import { exitWord, useImpersonation } from './impersonation.ts';

/** Banner above every page during impersonation: who acts as whom, until when, and the way back. */
export function ActingBanner() {
  const me = useMe();
  const zone = useZone();
  const impersonation = useImpersonation(true);
  const { state, send } = impersonation;
  const busy = state.matches('exiting') || state.matches('discarding');
  if (me === null || me.acting === null) return null;
  return (
    <aside
      aria-label="Signed in as another user"
      className="flex min-h-11 items-center gap-2.5 border-b border-l-[3px] border-rule border-l-warning-mark bg-warning-wash px-3 py-1.5 tablet:px-5"
    >
      <Icon name="warning" className="text-warning" />
      <p className="m-0 min-w-0 grow break-words">
        <b>{me.acting.name}</b>, you are signed in as <b>{me.name}</b> ({me.username}) until{' '}
        {formatTime(me.acting.until, zone)}. All that you do is recorded with both names.
      </p>
      <Button size="sm" icon="sign-out" busy={busy} onClick={() => send({ type: 'EXIT' })}>
        {exitWord(me.username)}
      </Button>
      <ExitQuestion {...impersonation} />
    </aside>
  );
}
