import { useRouter } from '@tanstack/react-router';
import { Suspense, lazy, useEffect, useState } from 'react';
import { withChunkTimeout } from '../../../ui/chunk-load.ts';
import { prefetch } from '../../prefetch.ts';
import { client, useWatch } from '../../worker/worker-client.ts';
import { forgetUser } from '../../session/sign-out.ts';
import { pauseRedirectTarget } from '../../router/redirect-target.ts';
import { Icon } from '../../../ui/icon.tsx';
import { tellFailure } from '../../../ui/toasts.ts';
import type { Unsent } from './unsent-question.tsx';
import { syncMessages as t } from '../sync.messages.en.ts';

const unsentQuestion = () => import('./unsent-question.tsx');
const UnsentQuestion = lazy(async () => ({
  default: (await withChunkTimeout(unsentQuestion())).UnsentQuestion,
}));

export interface LogOutProps {
  readonly mini?: boolean;
  /** `plain`: for pages without the sidebar. */
  readonly look?: 'side' | 'plain';
}

/**
 * Signs out at once if nothing is unsent. Asks first if there are unsent changes (OUT-7), or
 * offline, when nobody could sign in again.
 */
export function LogOut({ mini = false, look = 'side' }: LogOutProps) {
  const router = useRouter();
  const status = useWatch('status', NOTHING);
  const offline = status?.is === 'offline' || status?.is === 'server-trouble';
  const [unsent, setUnsent] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  // Offline it could not be loaded when it is needed.
  useEffect(() => prefetch(unsentQuestion), []);

  async function leave(how: 'ask' | Unsent): Promise<void> {
    if (how === 'ask' && offline && status.waiting + status.refused === 0) {
      setUnsent(0);
      return;
    }
    if (how === 'send' && offline) {
      setRefused(t.cannotSend);
      return;
    }
    setBusy(true);
    pauseRedirectTarget(true);
    const result = await client().signOut(how);
    setBusy(false);
    if (result.ok && result.value.out) {
      setUnsent(null);
      forgetUser();
      await router.navigate({ to: '/login', replace: true });
      return;
    }
    pauseRedirectTarget(false);
    if (result.ok) {
      setRefused(how === 'send' ? t.notAllSent : null);
      setUnsent(result.value.unsent);
    } else if (unsent === null) tellFailure(result.failure.message, () => void leave('ask'));
    else setRefused(result.failure.message);
  }

  return (
    <>
      <button
        type="button"
        onClick={() => void leave('ask')}
        {...(mini && { 'aria-label': t.logOut, 'data-tip': t.logOut })}
        aria-busy={busy}
        className={`flex h-8 items-center gap-2.5 rounded-part px-2 pointer-coarse:h-11 ${look === 'side' ? ON_SIDE : 'text-ink-2 hover:bg-wash hover:text-ink'}`}
      >
        <Icon name="sign-out" />
        {!mini && t.logOut}
      </button>
      {unsent !== null && (
        <Suspense>
          <UnsentQuestion
            count={unsent}
            offline={offline}
            busy={busy}
            refused={refused}
            onChoose={(how) => void leave(how)}
            onClose={() => {
              setUnsent(null);
              setRefused(null);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

const NOTHING = {};
const ON_SIDE =
  'hover:text-side-ink focus-visible:-outline-offset-2 focus-visible:outline-side-ink';
