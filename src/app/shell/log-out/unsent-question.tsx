import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { plural } from '../../../ui/format.ts';
import { Choice } from '../../../ui/choice.tsx';

export type Unsent = 'send' | 'keep' | 'discard';

export interface UnsentQuestionProps {
  /** None: only the missing network is the question. */
  readonly count: number;
  readonly offline: boolean;
  readonly busy: boolean;
  /** Why the last choice could not be carried out. */
  readonly refused: string | null;
  readonly onChoose: (how: Unsent) => void;
  readonly onClose: () => void;
}

/** What is to become of work that has not been sent (OUT-7). */
export function UnsentQuestion(props: UnsentQuestionProps) {
  const { count, offline, busy, refused, onChoose, onClose } = props;
  const [how, setHow] = useState<Unsent>(offline ? 'keep' : 'send');
  if (count === 0) return <OfflineQuestion {...props} />;
  const word =
    how === 'send'
      ? 'Send and log out'
      : how === 'keep'
        ? 'Keep and log out'
        : `Discard ${plural(count, 'change')}`;
  return (
    <Dialog
      title={`${plural(count, 'change')} not sent yet`}
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
          <Button onClick={onClose}>Stay logged in</Button>
        </>
      }
    >
      <fieldset className="m-0 grid border-0 px-5 py-2">
        <legend className="sr-only">What is to become of them</legend>
        <Choice
          name="unsent"
          checked={how === 'send'}
          onChoose={() => setHow('send')}
          title="Send them now"
          detail={
            offline
              ? 'Needs the network, which is not there now.'
              : 'Needs the network. You are logged out when the server has them.'
          }
        />
        <Choice
          name="unsent"
          checked={how === 'keep'}
          onChoose={() => setHow('keep')}
          title="Keep them for me"
          detail="They stay on this device, locked, and are sent when you log in here again."
        />
        <Choice
          name="unsent"
          checked={how === 'discard'}
          onChoose={() => setHow('discard')}
          title="Discard them"
          detail="They are deleted from this device. This cannot be undone."
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

/** Nothing waits, but the way back in is closed until the network is there. */
function OfflineQuestion({ busy, refused, onChoose, onClose }: UnsentQuestionProps) {
  return (
    <Dialog
      title="Log out with no network?"
      onClose={onClose}
      footer={
        <>
          <Button variant="danger" busy={busy} onClick={() => onChoose('keep')}>
            Log out
          </Button>
          <Button onClick={onClose}>Stay logged in</Button>
        </>
      }
    >
      <p className="m-0 px-5 py-4">
        Logging in again needs the network. What this device keeps of the portal is deleted at once.
      </p>
      {refused !== null && (
        <p role="alert" className="m-0 border-t border-hair px-5 py-3 text-failed">
          {refused}
        </p>
      )}
    </Dialog>
  );
}
