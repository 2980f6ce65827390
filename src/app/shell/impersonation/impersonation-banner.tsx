import { useMe, useZone } from '../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { formatTime } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { richText } from '../../../ui/rich-text.tsx';
import { ExitQuestion } from './exit-question.tsx';
import { exitWord, useImpersonation } from './impersonation.ts';
import { impersonationMessages as t } from './messages.en.ts';

/** Banner above every page during impersonation: who acts as whom, until when, and the way back. */
export function ImpersonationBanner() {
  const me = useMe();
  const zone = useZone();
  const impersonation = useImpersonation(true);
  const { state, send } = impersonation;
  const busy = state.matches('exiting') || state.matches('discarding');
  if (me === null || me.impersonator === null) return null;
  return (
    <aside
      aria-label={t.label}
      className="flex min-h-11 items-center gap-2.5 border-b border-l-[3px] border-rule border-l-warning-mark bg-warning-wash px-3 py-1.5 tablet:px-5"
    >
      <Icon name="warning" className="text-warning" />
      <p className="m-0 min-w-0 grow break-words">
        {richText(t.banner, {
          administrator: <b>{me.impersonator.name}</b>,
          name: <b>{me.name}</b>,
          username: me.username,
          time: formatTime(me.impersonator.until, zone),
        })}
      </p>
      <Button size="sm" icon="sign-out" busy={busy} onClick={() => send({ type: 'EXIT' })}>
        {exitWord(me.username)}
      </Button>
      <ExitQuestion {...impersonation} />
    </aside>
  );
}
