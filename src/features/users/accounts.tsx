import { useRef } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { userCalls } from '#contract/users/calls.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { IconButton } from '#src/ui/button.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { getId } from '../shared/ids.ts';
import { userMessages as t } from './messages.en.ts';

export interface AccountsProps {
  readonly user: UserListed;
  readonly offline: boolean;
  readonly onSaved: (user: UserListed) => void;
}

/**
 * Accounts in ticketing or billing systems that a user is responsible for. Changes apply at once.
 */
export function Accounts({ user, offline, onSaved }: AccountsProps) {
  const field = useRef<HTMLInputElement>(null);
  const locked = user.deleted || !user.editable;
  const stored = (saved: UserListed, text: string): void => {
    showSuccess(text);
    onSaved(saved);
    field.current?.focus();
  };
  const { form, change, errors, error, busy, formRef, save, reset, refuse } = useDraftForm({
    initial: EMPTY,
    offline,
    schema: makeAccountSchema(user),
    submit: (input) => withReauth(() => client().ask('addUserAccount', input)),
    onSaved: (saved, { accountId }) => {
      reset(EMPTY);
      stored(saved, t.accountAdded({ account: accountId }));
    },
  });
  const removing = useServerMutation();

  async function remove(accountId: string): Promise<void> {
    refuse(null);
    const result = await removing.send(() =>
      withReauth(() => client().ask('removeUserAccount', { id: getId(user), accountId })),
    );
    if (result.ok) stored(result.value, t.accountRemoved({ account: accountId }));
    else refuse({ errors: {}, above: getFailureText(result.failure) });
  }

  return (
    <div className="grid content-start gap-4 overflow-auto px-4 py-4 tablet:px-5">
      {user.accounts.length === 0 ? (
        <p className="m-0 text-ink-2">{t.noAccounts}</p>
      ) : (
        <ul aria-label={t.accounts} className="m-0 list-none border-t-2 border-head-rule p-0">
          {user.accounts.map((one) => (
            <li
              key={one.accountId}
              className="flex min-h-11 items-center gap-2 border-b border-hair"
            >
              <span className="min-w-0 grow">
                <span className="block truncate font-semibold" data-tip={one.accountId}>
                  {one.accountId}
                </span>
                {one.name !== null && (
                  <span className="block truncate text-agate text-ink-3" data-tip={one.name}>
                    {one.name}
                  </span>
                )}
              </span>
              {!locked && (
                <IconButton
                  icon="trash"
                  label={t.removeAccount({ account: one.accountId })}
                  disabled={offline || busy || removing.busy}
                  onClick={() => void remove(one.accountId)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {!locked && (
        <form
          ref={formRef}
          className="grid gap-3"
          noValidate
          onSubmit={(event) => void save(event)}
        >
          <TextField
            ref={field}
            label={t.accountNumber}
            required
            value={form.accountId}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            spellCheck={false}
            error={errors['accountId'] ?? null}
            onChange={({ target }) => change({ accountId: target.value })}
          />
          <TextField
            label={t.accountName}
            value={form.name}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            hint={t.optional}
            onChange={({ target }) => change({ name: target.value })}
          />
          {error !== null && (
            <p role="alert" className="m-0 text-failed">
              {error}
            </p>
          )}
          {offline && <p className="m-0 text-warning">{MESSAGES.needsNetwork}</p>}
          <span>
            <CallButton
              call="addUserAccount"
              type="submit"
              icon="plus"
              busy={busy}
              disabled={offline}
            >
              {t.addAccount}
            </CallButton>
          </span>
        </form>
      )}
    </div>
  );
}

interface AccountForm {
  readonly accountId: string;
  readonly name: string;
}
const EMPTY: AccountForm = { accountId: '', name: '' };

const makeAccountSchema = (user: UserListed) =>
  makeFormSchema(userCalls.addUserAccount.input, (form: AccountForm) => {
    const accountId = form.accountId.trim();
    const name = form.name.trim();
    const known = user.accounts.some((one) => one.accountId === accountId);
    return {
      value: { id: getId(user), accountId, ...(name !== '' && { name }) },
      errors: {
        accountId: accountId === '' ? t.accountNumberMissing : known ? t.accountExists : null,
      },
    };
  });
