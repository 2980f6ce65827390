import type { InputOf } from '#contract/calls.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useBranding } from '#src/app/session/session.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { SaveBar } from '../shared/forms/form-parts.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { getId } from '../shared/ids.ts';
import { usersPlace } from './address.ts';
import { useAreaPage } from '#src/app/router/area.ts';
import { UserFields } from './fields.tsx';
import { explainUserRefusal, makeUserEditSchema, newUserSchema, toDraft } from './form.ts';
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
  const locked = user !== null && (user.deleted || !user.editable);
  const { form, change, errors, error, busy, dirty, formRef, save, reset } = useDraftForm({
    initial: toDraft(user, authType),
    offline,
    schema: user === null ? newUserSchema : makeUserEditSchema(user),
    submit: (input: InputOf<'createUser'> | InputOf<'editUser'>) =>
      withReauth(() =>
        'id' in input ? client().ask('editUser', input) : client().ask('createUser', input),
      ),
    explain: explainUserRefusal,
    onSaved: (saved) => {
      reset(toDraft(saved));
      showSuccess(
        user !== null
          ? t.changesSaved
          : saved.invited
            ? t.userInvited({ user: saved.name })
            : t.userCreated({ user: saved.name }),
      );
      onSaved(saved);
    },
  });

  return (
    <form
      ref={formRef}
      className="flex min-h-0 grow flex-col"
      noValidate
      onSubmit={(event) => void save(event)}
    >
      <div className="min-h-0 grow overflow-auto px-4 py-4 tablet:px-5">
        {locked && (
          <p className="m-0 pb-4 text-ink-2">{user.deleted ? t.deletedUser : t.cannotChange}</p>
        )}
        <fieldset disabled={locked} className="m-0 grid min-w-0 gap-6 border-0 p-0">
          <UserFields me={me} user={user} draft={form} errors={errors} onChange={change} />
        </fieldset>
      </div>
      {!locked && (
        <SaveBar
          label={
            user !== null
              ? t.saveChanges
              : form.auth === 'db' && form.first === 'invite'
                ? t.createAndInvite
                : t.createUser
          }
          busy={busy}
          dirty={dirty || user === null}
          offline={offline}
          error={error}
          onUndo={user === null ? null : () => reset()}
        />
      )}
      <UnsavedQuestion
        dirty={dirty}
        leaves={(path, query) => {
          const place = usersPlace(query);
          return (
            path !== users ||
            place.open !== (user === null ? 'new' : getId(user)) ||
            place.tab !== 'details'
          );
        }}
      />
    </form>
  );
}
