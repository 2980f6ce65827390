import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useRouter } from '@tanstack/react-router';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { AccountPage } from '../account-page.tsx';
import { accountMessages as t } from '../messages.en.ts';

/**
 * Confirmation of a finished recovery. Recovery never signs anybody in, so the next page is the
 * sign-in.
 */
export function Done({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  const router = useRouter();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <AccountPage title={title}>
      <Callout tone="success" alert>
        {children}
      </Callout>
      <Button
        ref={button}
        variant="primary"
        className="h-10 w-full"
        onClick={() => void router.navigate({ to: '/login', replace: true })}
      >
        {t.signIn}
      </Button>
    </AccountPage>
  );
}
