import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { setOpenedFor, useForced } from '#src/app/shell/forced-pages.ts';
import { LogOut } from '#src/app/shell/log-out/log-out.tsx';
import { takeRedirectTarget } from '#src/app/router/redirect-target.ts';
import { isStepPage } from '#src/app/router/route-guards.ts';
import { AccountPage } from '../account-page.tsx';

export interface ForcedPageProps {
  readonly title: string;
  readonly description: string;
  /** The requirement of the page. Once it is met, the user is redirected. */
  readonly until: 'password' | 'questions';
  readonly children: ReactNode;
}

/** A page that the user must complete before any other, or log out. */
export function ForcedPage({ title, description, until, children }: ForcedPageProps) {
  const { history } = useRouter();
  const done = useForced() !== until;
  useEffect(() => {
    if (!done) return;
    setOpenedFor(null);
    const target = takeRedirectTarget();
    // Who opened the page by its address before signing in is done with it, too.
    history.replace(target === null || isStepPage(target) ? '/' : target);
  }, [done, history]);
  return (
    <AccountPage title={title} description={description}>
      {children}
      <div className="border-t border-hair pt-3">
        <LogOut look="plain" />
      </div>
    </AccountPage>
  );
}
