import { useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { prefetch } from '../../prefetch.ts';
import { lazyDialog } from '../../../ui/lazy-dialog.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { useMe } from '../../session/session.ts';
import { Icon } from '../../../ui/icon.tsx';
import { formatCount } from '../../../ui/format.ts';
import { announce } from '../announce.tsx';
import { failingSources, failureCount, failureSentence } from './failing-sources.ts';
import type { FailingSource } from './failing-sources.ts';
import { getArea } from '#contract/page-paths.ts';
import { syncMessages as t } from '../sync.messages.en.ts';

const list = () => import('./source-failures-list.tsx');
const SourceFailuresDialog = lazyDialog(async () => (await list()).SourceFailuresDialog);

/**
 * In the monitoring app, shows that sources failed to sync until they recover. The data comes from
 * the device's sync. The button opens the list of sources.
 */
export function SourceFailures() {
  const lastSync = useWatch('lastSync', EMPTY);
  const isMonitoring = useRouterState({
    select: ({ location }) => getArea(location.pathname) === 'monitoring',
  });
  const user = useMe()?.id ?? null;
  const [open, setOpen] = useState(false);
  const failing = failingSources(lastSync?.failed ?? []);
  const isShown = isMonitoring && failing.length > 0;
  const spoken = failing.length === 0 ? '' : failureSentence(failing);
  useEffect(() => {
    if (isMonitoring && user !== null && lastSync != null) say(user, spoken);
  }, [isMonitoring, user, lastSync, spoken]);
  useEffect(() => {
    if (isShown) prefetch(list);
  }, [isShown]);
  if (!isShown) return null;
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        aria-label={spoken}
        data-tip={spoken}
        className="flex h-8 shrink-0 items-center gap-2 rounded-part px-1.5 whitespace-nowrap text-failed hover:bg-wash pointer-coarse:h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center"
      >
        <Icon name="failed" />
        <span className="font-semibold desk:hidden">{formatCount(failing.length)}</span>
        <span className="hidden font-semibold desk:inline">{failureCount(failing)}</span>
      </button>
      {open && <OpenDialog failing={failing} onClose={() => setOpen(false)} />}
    </>
  );
}

const OpenDialog = (props: {
  readonly failing: readonly FailingSource[];
  readonly onClose: () => void;
}) => (
  <Suspense>
    <SourceFailuresDialog {...props} />
  </Suspense>
);

/** Announces each change once, whatever page is open. */
function say(user: string, sentence: string): void {
  const before = said.user === user ? said.sentence : '';
  said = { user, sentence };
  if (sentence !== before) announce(sentence === '' ? t.allSyncing : sentence);
}

let said = { user: '', sentence: '' };
const EMPTY = {};
