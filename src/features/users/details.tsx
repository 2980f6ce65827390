import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { focusFirstError } from '#src/ui/form-errors.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useBranding } from '#src/app/session/session.ts';
import { tell } from '#src/ui/toasts.ts';
import { getFieldErrors } from '../shared/forms/field-errors.ts';
import { SaveBar } from '../shared/forms/form-parts.tsx';
import { LeaveQuestion } from '../shared/forms/leave-question.tsx';
import { getId } from '../shared/ids.ts';
import { usersPlace } from './address.ts';
import { useAreaPage } from '#src/app/router/area.ts';
import { UserFields } from './fields.tsx';
import { toChanges, createInput, toDraft, getUserErrors, getField, isChanged } from './form.ts';
import type { FormErrors, UserDraft } from './form.ts';
import { userMessages as t } from './messages.en.ts';

export interface DetailsProps {
  readonly me: Me;
  /** Null: a new user. */
  readonly user: UserListed | null;
  readonly offline: boolean;
  readonly onSaved: (user: UserListed) => void;
}

/** Form of a user, also of a new one. */
export function Details({ me, user, offline, onSaved }: DetailsProps) {
  const users = useAreaPage('/monitoring/users');
  const authType = useBranding()?.authType ?? 'db';
  const [before, setBefore] = useState(() => toDraft(user, authType));
  const [draft, setDraft] = useState(before);
  const [busy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const [details, setResult] = useState<FormErrors>({});
  const [error, setError] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const left = useRef(false);
  const errors: FormErrors = tried ? { ...details, ...getUserErrors(draft, user) } : details;
  const dirty = isChanged(draft, before);
  const locked = user !== null && (user.deleted || !user.editable);

  const change = (next: Partial<UserDraft>): void => {
    setDraft((now) => ({ ...now, ...next }));
    setResult((now) =>
      Object.fromEntries(
        Object.entries(now).filter(([field]) => !(field in next) && !('sso' in next)),
      ),
    );
    setError(null);
  };

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (busy || offline || locked) return;
    if (Object.keys(getUserErrors(draft, user)).length > 0) {
      focusFirstError(form.current);
      return;
    }
    setBusy(true);
    setError(null);
    setResult({});
    const result =
      user === null
        ? await withReauth(() => client().ask('createUser', createInput(draft)))
        : await withReauth(() =>
            client().ask('editUser', { id: getId(user), ...toChanges(draft, user) }),
          );
    setBusy(false);
    if (result.ok) {
      const next = toDraft(result.value);
      left.current = user === null;
      setBefore(next);
      setDraft(next);
      setTried(false);
      tell(
        user !== null
          ? t.changesSaved
          : result.value.invited
            ? t.userInvited({ user: result.value.name })
            : t.userCreated({ user: result.value.name }),
      );
      onSaved(result.value);
      return;
    }
    const { failure } = result;
    const fields =
      failure.kind === 'conflict' && failure.message === MESSAGES.usernameTaken
        ? { username: failure.message }
        : Object.fromEntries(
            Object.entries(getFieldErrors(failure)).flatMap(([path, message]) => {
              const field = getField(path);
              return field === null ? [] : [[field, message]];
            }),
          );
    setResult(fields);
    if (Object.keys(fields).length > 0) focusFirstError(form.current);
    else setError(getFailureText(failure));
  }

  return (
    <form
      ref={form}
      className="flex min-h-0 grow flex-col"
      noValidate
      onSubmit={(event) => void save(event)}
    >
      <div className="min-h-0 grow overflow-auto px-4 py-4 tablet:px-5">
        {locked && (
          <p className="m-0 pb-4 text-ink-2">{user.deleted ? t.deletedUser : t.cannotChange}</p>
        )}
        <fieldset disabled={locked} className="m-0 grid min-w-0 gap-6 border-0 p-0">
          <UserFields me={me} user={user} draft={draft} errors={errors} onChange={change} />
        </fieldset>
      </div>
      {!locked && (
        <SaveBar
          label={
            user !== null
              ? t.saveChanges
              : draft.auth === 'db' && draft.first === 'invite'
                ? t.createAndInvite
                : t.createUser
          }
          busy={busy}
          dirty={dirty || user === null}
          offline={offline}
          error={error}
          onUndo={
            user === null
              ? null
              : () => {
                  setDraft(before);
                  setTried(false);
                  setResult({});
                  setError(null);
                }
          }
        />
      )}
      <LeaveQuestion
        dirty={dirty}
        leaves={(path, query) => {
          const place = usersPlace(query);
          return (
            !left.current &&
            (path !== users ||
              place.open !== (user === null ? 'new' : getId(user)) ||
              place.tab !== 'details')
          );
        }}
      />
    </form>
  );
}
