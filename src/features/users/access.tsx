import { useState } from 'react';
import type { ReactNode } from 'react';
import { can } from '#contract/abilities.ts';
import { mayImpersonate } from '#contract/users/authority.ts';
import type { Me } from '#contract/auth/current-user.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { UserListed } from '#contract/users/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { CallButton } from '#src/app/call-button.tsx';
import { useAreaPage } from '#src/app/router/area.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { Button } from '#src/ui/button.tsx';
import { formatAge, formatUtc, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { showSuccess, showFailure } from '#src/ui/toasts.ts';
import { getId } from '../shared/ids.ts';
import { UserKeys } from './api-keys.tsx';
import { DeleteUser, RemoveUser, ResetFactors } from './end-dialogs.tsx';
import { LoginAsDialog } from './login-as-dialog.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { AUTH_WORDS, FACTOR_WORDS, getUserState } from './labels.ts';
import { userMessages as t } from './messages.en.ts';

export interface AccessProps {
  readonly me: Me;
  readonly user: UserListed;
  readonly offline: boolean;
  readonly zone: string;
  readonly now: Ms;
  /** Loads the list and the user again. */
  readonly onChanged: () => void;
  /** The user no longer exists. */
  readonly onGone: () => void;
  readonly onFollow: (href: string) => void;
}

/** Account status, password, second factors, impersonation and deletion of a user. */
export function Access({ me, user, offline, zone, now, onChanged, onGone, onFollow }: AccessProps) {
  const [asking, setAsking] = useState<
    'password' | 'factors' | 'login-as' | 'delete' | 'remove' | null
  >(null);
  const logs = useAreaPage('/monitoring/users-logs');
  const mutation = useServerMutation();
  const own = getId(user) === me.id || getId(user) === me.impersonator?.id;
  const locked = !user.editable;
  const state = getUserState(user);
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  const close = (): void => setAsking(null);

  async function sendLink(): Promise<void> {
    const result = await mutation.send(() =>
      client().ask('forgotPassword', { username: user.username }),
    );
    if (result.ok)
      showSuccess(user.email === null ? t.linkSent : t.linkSentTo({ email: user.email }));
    else showFailure(getFailureText(result.failure));
  }

  const canManage = !own && !locked && !user.deleted;
  return (
    <div className="grid content-start gap-6 overflow-auto px-4 py-4 tablet:px-5">
      <dl className="m-0 grid grid-cols-2 gap-x-4 gap-y-2 border-t-2 border-head-rule pt-2">
        <Fact label={t.status}>
          <span className={`inline-flex items-center gap-1.5 ${state.text}`}>
            <Icon name={state.icon} />
            {state.label}
          </span>
        </Fact>
        <Fact label={t.signInMethod}>{AUTH_WORDS[user.auth]}</Fact>
        <Fact label={t.twoFactor}>{FACTOR_WORDS[user.secondFactor]}</Fact>
        <Fact label={t.lastSignIn}>
          {user.lastSignIn === null ? (
            t.never
          ) : (
            <time data-tip={`${formatWhen(user.lastSignIn, zone)}, ${formatUtc(user.lastSignIn)}`}>
              {formatAge(user.lastSignIn, now)}
            </time>
          )}
        </Fact>
        <Fact label={t.created}>
          <time data-tip={formatUtc(user.madeAt)}>{formatWhen(user.madeAt, zone)}</time>
        </Fact>
        {user.deletedAt !== null && (
          <Fact label={t.deleted}>
            <time data-tip={formatUtc(user.deletedAt)}>{formatWhen(user.deletedAt, zone)}</time>
          </Fact>
        )}
      </dl>
      {own && <p className="m-0 text-ink-2">{t.ownAccount}</p>}
      {!own && locked && <p className="m-0 text-ink-2">{t.cannotChange}</p>}
      {canManage && user.auth === 'db' && (
        <AccessAction
          title={user.invited ? t.invitation : t.resetLink}
          description={user.invited ? t.invitationDetail : t.resetLinkDetail}
        >
          <Button
            icon="mail"
            busy={mutation.busy}
            disabled={offline}
            {...why}
            onClick={() => void sendLink()}
          >
            {t.sendLink}
          </Button>
        </AccessAction>
      )}
      {canManage && (
        <AccessAction
          title={t.password}
          description={user.auth === 'ad' ? t.setDirectoryPasswordDetail : t.setPasswordDetail}
        >
          <CallButton
            call="setPasswordDb"
            icon="key"
            disabled={offline}
            {...why}
            onClick={() => setAsking('password')}
          >
            {t.setPassword}
          </CallButton>
        </AccessAction>
      )}
      {canManage && user.secondFactor !== 'none' && (
        <AccessAction title={t.twoFactor} description={t.resetTwoFactorDetail}>
          <CallButton
            call="resetFactors"
            icon="lock"
            disabled={offline}
            {...why}
            onClick={() => setAsking('factors')}
          >
            {t.resetTwoFactor}
          </CallButton>
        </AccessAction>
      )}
      {canManage &&
        me.impersonator === null &&
        mayImpersonate(
          me,
          {
            roles: user.acl.map(({ role }) => role),
            companies: user.companies && user.companies.map(({ n }) => n),
          },
          false,
        ) && (
          <AccessAction title={t.signInAsUser} description={t.signInAsDetail}>
            <CallButton
              call="loginAs"
              icon="person"
              disabled={offline}
              {...why}
              onClick={() => setAsking('login-as')}
            >
              {t.signInAs({ user: short(user.username) })}
            </CallButton>
          </AccessAction>
        )}
      {!own && !locked && !user.deleted && (
        <UserKeys user={user} offline={offline} zone={zone} now={now} />
      )}
      {can(me.roles, 'monitoring.userLogs') && (
        <AccessAction title={t.activityLog} description={t.activityLogDetail}>
          <Button icon="log" onClick={() => onFollow(`${logs}?user=${getId(user)}`)}>
            {t.viewActivityLog}
          </Button>
        </AccessAction>
      )}
      {canManage && (
        <AccessAction title={t.deleteUser} description={t.deleteDetail}>
          <CallButton
            call="deleteUser"
            variant="danger"
            icon="trash"
            disabled={offline}
            {...why}
            onClick={() => setAsking('delete')}
          >
            {t.deleteUser}
          </CallButton>
        </AccessAction>
      )}
      {!own && !locked && (
        <AccessAction title={t.erase} description={t.eraseDetail}>
          <CallButton
            call="removeUser"
            variant="danger"
            icon="trash"
            disabled={offline}
            {...why}
            onClick={() => setAsking('remove')}
          >
            {t.erase}
          </CallButton>
        </AccessAction>
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

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-agate text-ink-3">{label}</dt>
      <dd className="m-0 break-words">{children}</dd>
    </div>
  );
}

function AccessAction({
  title,
  description,
  children,
}: {
  readonly title: string;
  readonly description: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="grid gap-2">
      <h3 className="m-0 border-b border-rule pb-1">{title}</h3>
      <p className="m-0 text-ink-2">{description}</p>
      <span>{children}</span>
    </section>
  );
}

const short = (username: string): string =>
  username.length > 24 ? `${username.slice(0, 24)}…` : username;
