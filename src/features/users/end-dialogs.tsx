import type { UserListed } from '#contract/users/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { TypedConfirm } from '../shared/forms/typed-confirm.tsx';
import { getId } from '../shared/ids.ts';
import { richText } from '#src/ui/rich-text.tsx';
import { userMessages as t } from './messages.en.ts';

interface EndProps {
  readonly user: UserListed;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function DeleteUser({ user, onDone, onClose }: EndProps) {
  return (
    <TypedConfirm
      title={t.deleteTitle({ user: user.name })}
      type={null}
      phrase={t.deleteUser}
      send={() => withReauth(() => client().ask('deleteUser', { id: getId(user) }))}
      onDone={() => {
        showSuccess(t.userDeleted({ user: user.name }));
        onDone();
      }}
      onClose={onClose}
    >
      <p className="m-0">
        {richText(t.deleteSignsOut, { user: <b className="text-ink">{user.username}</b> })}
      </p>
      <p className="m-0">{t.deleteKeeps}</p>
    </TypedConfirm>
  );
}

export function ResetFactors({ user, onDone, onClose }: EndProps) {
  return (
    <TypedConfirm
      title={t.resetTwoFactorTitle}
      type={null}
      phrase={t.resetTwoFactor}
      send={() => withReauth(() => client().ask('resetFactors', { id: getId(user) }))}
      onDone={() => {
        showSuccess(t.twoFactorReset({ user: user.name }));
        onDone();
      }}
      onClose={onClose}
    >
      <p className="m-0">
        {richText(t.resetNeedsOnlyPassword, { user: <b className="text-ink">{user.username}</b> })}
      </p>
      <p className="m-0">{t.resetSignsOut}</p>
    </TypedConfirm>
  );
}

export function RemoveUser({ user, onDone, onClose }: EndProps) {
  return (
    <TypedConfirm
      title={t.eraseTitle}
      type={{ label: t.typeUsername, text: user.username }}
      phrase={t.erase}
      send={() => withReauth(() => client().ask('removeUser', { id: getId(user) }))}
      onDone={() => {
        showSuccess(t.userErased({ user: user.username }));
        onDone();
      }}
      onClose={onClose}
    >
      <p className="m-0">
        {richText(t.eraseConfirm, { user: <b className="text-ink">{user.name}</b> })}
      </p>
      <p className="m-0">{t.cannotUndo}</p>
    </TypedConfirm>
  );
}
