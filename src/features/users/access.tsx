import { useState } from 'react';
import type { ReactNode } from 'react';
import { can } from '#contract/abilities.ts';
import { mayActAs } from '#contract/users/authority.ts';
import type { Me } from '#contract/auth/current-user.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { UserListed } from '#contract/users/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Button } from '#src/ui/button.tsx';
import { formatAge, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { tell, tellFailure } from '#src/ui/toasts.ts';
import { LOGS_PATH } from './logs/address.ts';
import { idOf } from '../shared/ids.ts';
import { UserKeys } from './api-keys.tsx';
import { DeleteUser, RemoveUser, ResetFactors } from './end-dialogs.tsx';
import { LoginAsDialog } from './login-as-dialog.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { AUTH_WORDS, FACTOR_WORDS, stateOf } from './labels.ts';

export interface AccessProps {
  readonly me: Me;
  readonly user: UserListed;
  readonly offline: boolean;
  readonly zone: string;
  readonly now: Ms;
  /** The list and the user are asked for anew. */
  readonly onChanged: () => void;
  /** It is not there any more. */
  readonly onGone: () => void;
  readonly onFollow: (href: string) => void;
}

/** How a user gets in, and how it ends. */
export function Access({ me, user, offline, zone, now, onChanged, onGone, onFollow }: AccessProps) {
  const [asking, setAsking] = useState<
    'password' | 'factors' | 'login-as' | 'delete' | 'remove' | null
  >(null);
  const [sending, setSending] = useState(false);
  const own = idOf(user) === me.id || idOf(user) === me.acting?.id;
  const locked = !user.editable;
  const state = stateOf(user);
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  const close = (): void => setAsking(null);

  async function sendLink(): Promise<void> {
    setSending(true);
    const result = await client().ask('forgotPassword', { username: user.username });
    setSending(false);
    if (result.ok) tell(`A link goes to ${user.email ?? 'the address on record'}.`);
    else tellFailure(getFailureText(result.failure));
  }

  const may = !own && !locked && !user.deleted;
  return (
    <div className="grid content-start gap-6 overflow-auto px-4 py-4 tablet:px-5">
      <dl className="m-0 grid grid-cols-2 gap-x-4 gap-y-2 border-t-2 border-head-rule pt-2">
        <Fact word="State">
          <span className={`inline-flex items-center gap-1.5 ${state.text}`}>
            <Icon name={state.icon} />
            {state.word}
          </span>
        </Fact>
        <Fact word="Signs in by">{AUTH_WORDS[user.auth]}</Fact>
        <Fact word="Second factor">{FACTOR_WORDS[user.secondFactor]}</Fact>
        <Fact word="Last sign-in">
          {user.lastSignIn === null ? (
            'Never'
          ) : (
            <time data-tip={`${formatWhen(user.lastSignIn, zone)}, ${formatUtc(user.lastSignIn)}`}>
              {formatAge(user.lastSignIn, now)}
            </time>
          )}
        </Fact>
        <Fact word="Made">
          <time data-tip={formatUtc(user.madeAt)}>{formatWhen(user.madeAt, zone)}</time>
        </Fact>
        {user.deletedAt !== null && (
          <Fact word="Deleted">
            <time data-tip={formatUtc(user.deletedAt)}>{formatWhen(user.deletedAt, zone)}</time>
          </Fact>
        )}
      </dl>
      {own && (
        <p className="m-0 text-ink-2">
          This is your own account: your password and factors are on your profile.
        </p>
      )}
      {!own && locked && (
        <p className="m-0 text-ink-2">
          You can&apos;t change this user: it has roles that you can&apos;t grant.
        </p>
      )}
      {may && user.auth === 'db' && (
        <Deed
          title={user.invited ? 'Invitation' : 'Link for a new password'}
          says={
            user.invited
              ? 'The link to choose a password is sent once more. It is good once and for 15 minutes.'
              : 'The user chooses a new password by a link, which is good once and for 15 minutes. Its sessions go on until then.'
          }
        >
          <Button
            icon="mail"
            busy={sending}
            disabled={offline}
            {...why}
            onClick={() => void sendLink()}
          >
            Send a link
          </Button>
        </Deed>
      )}
      {may && (
        <Deed
          title="Password"
          says={`You set the password${user.auth === 'ad' ? ' in the directory' : ''}: its sessions end at once, it is told by mail, and chooses its own at the next sign-in.`}
        >
          <CallButton
            call="setPasswordDb"
            icon="key"
            disabled={offline}
            {...why}
            onClick={() => setAsking('password')}
          >
            Set a password
          </CallButton>
        </Deed>
      )}
      {may && user.secondFactor !== 'none' && (
        <Deed
          title="Second factors"
          says="For who has lost the phone or the device: authenticator, passkeys and recovery codes are taken away, and the mobile number has to be proven anew. Its sessions end, and it is told by mail."
        >
          <CallButton
            call="resetFactors"
            icon="lock"
            disabled={offline}
            {...why}
            onClick={() => setAsking('factors')}
          >
            Take the second factors away
          </CallButton>
        </Deed>
      )}
      {may &&
        me.acting === null &&
        mayActAs(
          me,
          {
            roles: user.acl.map(({ role }) => role),
            companies: user.companies && user.companies.map(({ n }) => n),
          },
          false,
        ) && (
          <Deed
            title="Log in as this user"
            says="You see the portal as this user does, for an hour at most. The reason stands in the log of both, and what you do is recorded with your name."
          >
            <CallButton
              call="loginAs"
              icon="person"
              disabled={offline}
              {...why}
              onClick={() => setAsking('login-as')}
            >
              Log in as {short(user.username)}
            </CallButton>
          </Deed>
        )}
      {!own && !locked && !user.deleted && (
        <UserKeys user={user} offline={offline} zone={zone} now={now} />
      )}
      {can(me.roles, 'monitoring.userLogs') && (
        <Deed title="Log" says="What was done with this account, and by it.">
          <Button icon="log" onClick={() => onFollow(`${LOGS_PATH}?user=${idOf(user)}`)}>
            Show its log
          </Button>
        </Deed>
      )}
      {may && (
        <Deed
          title="Delete"
          says="The account is marked as deleted: its sessions end and nobody signs in as it any more. What it did stays under its name."
        >
          <CallButton
            call="deleteUser"
            variant="danger"
            icon="trash"
            disabled={offline}
            {...why}
            onClick={() => setAsking('delete')}
          >
            Delete the user
          </CallButton>
        </Deed>
      )}
      {!own && !locked && (
        <Deed
          title="Remove for good"
          says="Name, addresses, numbers, factors and sessions are erased. The log keeps a number only."
        >
          <CallButton
            call="removeUser"
            variant="danger"
            icon="trash"
            disabled={offline}
            {...why}
            onClick={() => setAsking('remove')}
          >
            Remove for good
          </CallButton>
        </Deed>
      )}
      {asking === 'password' && (
        <PasswordDialog
          user={user}
          onDone={() => {
            close();
            onChanged();
          }}
          onClose={close}
        />
      )}
      {asking === 'factors' && (
        <ResetFactors
          user={user}
          onDone={() => {
            close();
            onChanged();
          }}
          onClose={close}
        />
      )}
      {asking === 'login-as' && <LoginAsDialog user={user} onClose={close} />}
      {asking === 'delete' && (
        <DeleteUser
          user={user}
          onDone={() => {
            close();
            onGone();
          }}
          onClose={close}
        />
      )}
      {asking === 'remove' && (
        <RemoveUser
          user={user}
          onDone={() => {
            close();
            onGone();
          }}
          onClose={close}
        />
      )}
    </div>
  );
}

function Fact({ word, children }: { readonly word: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-agate text-ink-3">{word}</dt>
      <dd className="m-0 break-words">{children}</dd>
    </div>
  );
}

function Deed({
  title,
  says,
  children,
}: {
  readonly title: string;
  readonly says: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="grid gap-2">
      <h3 className="m-0 border-b border-rule pb-1">{title}</h3>
      <p className="m-0 text-ink-2">{says}</p>
      <span>{children}</span>
    </section>
  );
}

const short = (username: string): string =>
  username.length > 24 ? `${username.slice(0, 24)}…` : username;
