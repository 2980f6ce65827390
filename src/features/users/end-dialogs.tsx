import type { UserListed } from '#contract/users/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { tell } from '#src/ui/toasts.ts';
import { TypedConfirm } from '../shared/forms/typed-confirm.tsx';
import { idOf } from '../shared/ids.ts';

interface EndProps {
  readonly user: UserListed;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function DeleteUser({ user, onDone, onClose }: EndProps) {
  const end = async (): Promise<string | null> => {
    const result = await withReauth(() => client().ask('deleteUser', { id: idOf(user) }));
    if (!result.ok) return getFailureText(result.failure);
    tell(`${user.name} is deleted.`);
    onDone();
    return null;
  };
  return (
    <TypedConfirm
      title={`Delete ${user.name}?`}
      type={null}
      word="Delete the user"
      onConfirm={end}
      onClose={onClose}
    >
      <p className="m-0">
        <b className="text-ink">{user.username}</b> is signed out everywhere at once and cannot sign
        in any more. What is not sent yet from its devices is lost.
      </p>
      <p className="m-0">
        Its reviews, notes and its log stay under its name. This cannot be undone; name and
        addresses are kept until it is removed for good.
      </p>
    </TypedConfirm>
  );
}

export function ResetFactors({ user, onDone, onClose }: EndProps) {
  const end = async (): Promise<string | null> => {
    const result = await withReauth(() => client().ask('resetFactors', { id: idOf(user) }));
    if (!result.ok) return getFailureText(result.failure);
    tell(`The second factors of ${user.name} are taken away.`);
    onDone();
    return null;
  };
  return (
    <TypedConfirm
      title="Take the second factors away?"
      type={null}
      word="Take them away"
      onConfirm={end}
      onClose={onClose}
    >
      <p className="m-0">
        Until <b className="text-ink">{user.username}</b> sets up new ones, the password alone lets
        in, unless the provider asks everybody for more. Make sure that it is this user who asks
        you.
      </p>
      <p className="m-0">Its sessions end at once. This cannot be undone.</p>
    </TypedConfirm>
  );
}

export function RemoveUser({ user, onDone, onClose }: EndProps) {
  const end = async (): Promise<string | null> => {
    const result = await withReauth(() => client().ask('removeUser', { id: idOf(user) }));
    if (!result.ok) return getFailureText(result.failure);
    tell(`${user.username} is removed for good.`);
    onDone();
    return null;
  };
  return (
    <TypedConfirm
      title="Remove for good?"
      type={{ label: 'Type the user name', text: user.username }}
      word="Remove for good"
      onConfirm={end}
      onClose={onClose}
    >
      <p className="m-0">
        Name, addresses, numbers, password, second factors and sessions of{' '}
        <b className="text-ink">{user.name}</b> are erased. What it did stays in the log under a
        number that leads to nobody.
      </p>
      <p className="m-0">This cannot be undone.</p>
    </TypedConfirm>
  );
}
