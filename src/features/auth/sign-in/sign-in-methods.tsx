import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import type { SignInReply } from '#workers/api.ts';
import { knowsPasskeys, showPasskey } from './passkey.ts';
import { signInWaysMessages as t } from './sign-in-ways.messages.en.ts';
import { SignInLink } from '../account-page.tsx';

export interface SignInWaysProps {
  readonly branding: Branding;
  /** Who checks the typed password. */
  readonly auth: 'ad' | 'db';
  readonly busy: boolean;
  readonly onGo: (ask: () => Promise<Result<SignInReply>>) => void;
  readonly onAuth: (auth: 'ad' | 'db') => void;
}

/** Other sign-in methods than the password, and recovery links. */
export function SignInWays({ branding, auth, busy, onGo, onAuth }: SignInWaysProps) {
  const passkeys = branding.passkeys && knowsPasskeys();
  const { oidc } = branding;
  return (
    <>
      {(passkeys || oidc !== null) && (
        <div className="grid gap-3 border-t border-rule pt-5">
          {passkeys && (
            <Button
              icon="key"
              className="h-10 w-full"
              disabled={busy}
              onClick={() => onGo(byPasskey)}
            >
              {t.signInWithPasskey}
            </Button>
          )}
          {oidc !== null && (
            <SignInLink href="/api/v1/auth/oidc/start">
              {t.signInWith({ service: oidc })}
            </SignInLink>
          )}
        </div>
      )}
      <nav aria-label={t.help} className="flex flex-wrap gap-x-5 gap-y-1">
        {auth === 'db' ? (
          <Way to="/forgot-password-db">{t.forgotPassword}</Way>
        ) : (
          <>
            <Way to="/forgot-password">{t.forgotPassword}</Way>
            <Way to="/unlock">{t.unlockAccount}</Way>
          </>
        )}
        {branding.authType === 'ad' && (
          <button
            type="button"
            disabled={busy}
            className="text-accent underline underline-offset-2 pointer-coarse:min-h-11"
            onClick={() => onAuth(auth === 'ad' ? 'db' : 'ad')}
          >
            {auth === 'ad' ? t.portalPasswordInstead : t.directoryInstead}
          </button>
        )}
      </nav>
    </>
  );
}

function Way({
  to,
  children,
}: {
  readonly to: '/forgot-password' | '/forgot-password-db' | '/unlock';
  readonly children: ReactNode;
}) {
  return (
    <Link
      to={to}
      className="inline-flex items-center text-accent underline underline-offset-2 pointer-coarse:min-h-11"
    >
      {children}
    </Link>
  );
}

/** Signs in with a passkey only. A failed attempt leaves no pending sign-in. */
async function byPasskey(): Promise<Result<SignInReply>> {
  const begun = await client().signIn({ way: 'passkeys' });
  if (!begun.ok || begun.value.kind === 'in') return begun;
  const shown = await showPasskey(begun.value.step.passkey);
  const answer = shown.ok
    ? await client().signIn({ way: 'passkey', response: shown.value })
    : shown;
  if (!answer.ok) await client().signInBack();
  return answer;
}
