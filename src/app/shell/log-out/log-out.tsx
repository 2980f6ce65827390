import { Suspense, useEffect, useState } from 'react';
import { lazyDialog } from '../../../ui/lazy-dialog.ts';
import { prefetch } from '../../prefetch.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { Icon } from '../../../ui/icon.tsx';
import { syncMessages as t } from '../sync.messages.en.ts';

const signOut = () => import('./sign-out.tsx');
const SignOut = lazyDialog(async () => (await signOut()).SignOut);

export interface LogOutProps {
  readonly mini?: boolean;
  /** `plain`: for pages without the sidebar. */
  readonly look?: 'side' | 'plain';
}

/** Signs out. Only this button is part of the first load. */
export function LogOut({ mini = false, look = 'side' }: LogOutProps) {
  const status = useWatch('status', EMPTY);
  const [isLeaving, setLeaving] = useState(false);
  // Offline it could not be loaded when it is needed.
  useEffect(() => prefetch(signOut), []);

  return (
    <>
      <button
        type="button"
        onClick={() => setLeaving(true)}
        {...(mini && { 'aria-label': t.logOut, 'data-tip': t.logOut })}
        aria-busy={isLeaving}
        className={`flex h-8 items-center gap-2.5 rounded-part px-2 pointer-coarse:h-11 ${look === 'side' ? ON_SIDE : 'text-ink-2 hover:bg-wash hover:text-ink'}`}
      >
        <Icon name="sign-out" />
        {!mini && t.logOut}
      </button>
      {isLeaving && (
        <Suspense>
          <SignOut
            isOffline={status?.kind === 'offline' || status?.kind === 'server-trouble'}
            unsent={status === undefined ? 0 : status.waiting + status.refused}
            onStay={() => setLeaving(false)}
            onRetry={() => setLeaving(true)}
          />
        </Suspense>
      )}
    </>
  );
}

const EMPTY = {};
const ON_SIDE =
  'hover:text-side-ink focus-visible:-outline-offset-2 focus-visible:outline-side-ink';
