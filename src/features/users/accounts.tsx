import { useRef, useState } from 'react';
import type { SyntheticEvent } from 'react';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { UserListed } from '#contract/users/calls.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { IconButton } from '#src/ui/button.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
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
  const [accountId, setAccountId] = useState('');
  const [name, setName] = useState('');
  const [busy, setBusy] = useState<string | null>(null);
  const [missing, setMissing] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const locked = user.deleted || !user.editable;

  async function add(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    const id = accountId.trim();
    const known = user.accounts.some((one) => one.accountId === id);
    setMissing(id === '' ? t.accountNumberMissing : known ? t.accountExists : null);
    if (id === '' || known) field.current?.focus();
    if (busy !== null || offline || id === '' || known) return;
    setBusy('add');
    setError(null);
    const result = await withReauth(() =>
      client().ask('addUserAccount', {
        id: getId(user),
        accountId: id,
        ...(name.trim() !== '' && { name: name.trim() }),
      }),
    );
    setBusy(null);
    if (!result.ok) {
      setError(getFailureText(result.failure));
      return;
    }
    setAccountId('');
    setName('');
    tell(t.accountAdded({ account: id }));
    onSaved(result.value);
    field.current?.focus();
  }

  async function remove(id: string): Promise<void> {
    setBusy(id);
    setError(null);
    const result = await withReauth(() =>
      client().ask('removeUserAccount', { id: getId(user), accountId: id }),
    );
    setBusy(null);
    if (!result.ok) {
      setError(getFailureText(result.failure));
      return;
    }
    tell(t.accountRemoved({ account: id }));
    onSaved(result.value);
    field.current?.focus();
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
                  disabled={offline || busy !== null}
                  onClick={() => void remove(one.accountId)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {!locked && (
        <form className="grid gap-3" noValidate onSubmit={(event) => void add(event)}>
          <TextField
            ref={field}
            label={t.accountNumber}
            required
            value={accountId}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            spellCheck={false}
            error={missing}
            onChange={(event) => {
              setAccountId(event.target.value);
              setMissing(null);
            }}
          />
          <TextField
            label={t.accountName}
            value={name}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            hint={t.optional}
            onChange={(event) => setName(event.target.value)}
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
              busy={busy === 'add'}
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
