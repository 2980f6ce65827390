import { Suspense, lazy, useEffect, useState } from 'react';
import { prefetch } from '#src/app/prefetch.ts';
import { loadPart } from '../../../ui/chunk-load.ts';
import { lazyDialog } from '../../../ui/lazy-dialog.ts';
import { useNow } from '../../clock.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { useZone } from '../../session/session.ts';
import { Icon } from '../../../ui/icon.tsx';
import { announce } from '../announce.tsx';
import { getGlance, spokenSync } from './labels.ts';
import type { Glance } from './labels.ts';
import { syncMessages as t } from '../sync.messages.en.ts';

const syncStory = () => import('./sync-status-dialog.tsx');
/** If it cannot be loaded, the page works without it. */
const SourceFailures = lazy(async () => ({
  default:
    (await loadPart(() => import('./source-failures.tsx')).catch(() => null))?.SourceFailures ??
    Nothing,
}));
const SyncStory = lazyDialog(async () => (await syncStory()).SyncStatusDialog);

/** The sync state in the header; the button opens the details. */
export function SyncStatusButton() {
  const status = useWatch('status', EMPTY);
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const now = useNow();
  const spoken = status ? spokenSync(status, zone, now) : '';
  useEffect(() => prefetch(syncStory), []);
  useEffect(() => {
    if (spoken !== '') announce(spoken);
  }, [spoken]);
  if (!status) return <span className="w-40" />;
  const { icon, tone, lead, rest } = getGlance(status, zone, now);
  return (
    <>
      <Suspense>
        <SourceFailures />
      </Suspense>
      <button
        type="button"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        data-tip={t.syncTip}
        className="flex h-8 shrink-0 items-center gap-2 rounded-part px-1.5 whitespace-nowrap text-ink-2 hover:bg-wash pointer-coarse:h-11 pointer-coarse:min-w-11
          pointer-coarse:justify-center"
      >
        <Icon name={icon} className={TONE[tone]} />
        <span className="sr-only tablet:not-sr-only tablet:max-w-64 tablet:truncate desk:max-w-none">
          <b className="text-ink">{lead}</b>
          {rest !== '' && `, ${rest}`}
        </span>
      </button>
      {open && (
        <Suspense>
          <SyncStory status={status} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The same as text, on a phone's second line. */
export function SyncLine() {
  const status = useWatch('status', EMPTY);
  const zone = useZone();
  const now = useNow();
  if (!status) return null;
  const { lead, rest } = getGlance(status, zone, now, true);
  const text = rest === '' ? lead : `${lead}, ${rest}`;
  return (
    <span aria-hidden className="block min-w-0 truncate text-agate text-ink-3" data-tip={text}>
      {text}
    </span>
  );
}

const Nothing = (): null => null;
const EMPTY = {};
const TONE: Readonly<Record<Glance['tone'], string>> = {
  well: 'text-success',
  busy: 'text-running',
  trouble: 'text-warning',
};
