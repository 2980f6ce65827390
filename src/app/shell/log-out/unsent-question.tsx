import { useState } from 'react';
import type { UnsentChoice } from '#machines/sign-out.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { syncMessages as t } from '../sync.messages.en.ts';

export interface UnsentQuestionProps {
  /** Zero: the only reason to ask is that the device is offline. */
  readonly count: number;
  readonly offline: boolean;
  readonly busy: boolean;
  /** Why the last choice could not be carried out. */
  readonly refused: string | null;
  readonly onChoose: (how: UnsentChoice) => void;
  readonly onClose: () => void;
}

/** Asks what to do with unsent changes (OUT-7). */
export function UnsentQuestion(props: UnsentQuestionProps) {
  const { count, offline, busy, refused, onChoose, onClose } = props;
  const [how, setHow] = useState<UnsentChoice>(offline ? 'keep' : 'send');
  if (count === 0) return <OfflineQuestion {...props} />;
  const word =
    how === 'send' ? t.sendAndLogOut : how === 'keep' ? t.keepAndLogOut : t.discardCount({ count });
  return (
    <Dialog
      title={t.changesNotSent({ count })}
      onClose={onClose}
      footer={
        <>
          <Button
            variant={how === 'discard' ? 'danger' : 'primary'}
            busy={busy}
            onClick={() => onChoose(how)}
          >
            {word}
          </Button>
          <Button onClick={onClose}>{t.stayLoggedIn}</Button>
        </>
      }
    >
      <fieldset className="m-0 grid border-0 px-5 py-2">
        <legend className="sr-only">{t.unsentQuestion}</legend>
        <Choice
          name="unsent"
          checked={how === 'send'}
          onChoose={() => setHow('send')}
          title={t.sendNow}
          detail={offline ? t.sendNowOffline : t.sendNowHint}
        />
        <Choice
          name="unsent"
          checked={how === 'keep'}
          onChoose={() => setHow('keep')}
          title={t.keep}
          detail={t.keepHint}
        />
        <Choice
          name="unsent"
          checked={how === 'discard'}
          onChoose={() => setHow('discard')}
          title={t.discardChanges}
          detail={t.discardHint}
        />
      </fieldset>
      {refused !== null && (
        <p role="alert" className="m-0 border-t border-hair px-5 py-3 text-failed">
          {refused}
        </p>
      )}
    </Dialog>
  );
}

/** No unsent changes, but signing in again is impossible until the device is online. */
function OfflineQuestion({ busy, refused, onChoose, onClose }: UnsentQuestionProps) {
  return (
    <Dialog
      title={t.logOutOffline}
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={() => onChoose('keep')}>
            {t.logOut}
          </Button>
          <Button onClick={onClose}>{t.stayLoggedIn}</Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4">{t.logOutOfflineHint}</p>
      {refused !== null && (
        <p role="alert" className="m-0 border-t border-hair px-5 py-3 text-failed">
          {refused}
        </p>
      )}
    </Dialog>
  );
}
