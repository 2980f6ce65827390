import type { Ms } from '#contract/ids.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { formatAge, formatWhen } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { StateMark } from '../../../ui/state-mark.tsx';
import { failingSources } from './failing-sources.ts';
import { FailingSources } from './source-failures-list.tsx';
import { syncMessages as t } from '../sync.messages.en.ts';

export interface LastSyncProps {
  readonly zone: string;
  readonly now: Ms;
  readonly onGo: () => void;
}

/**
 * Shows whether the last sync of every source succeeded, from the data on this device. It also
 * works offline.
 */
export function LastSyncList({ zone, now, onGo }: LastSyncProps) {
  const lastSync = useWatch('lastSync', EMPTY);
  if (lastSync == null)
    return (
      <li className="py-1 text-ink-3" aria-busy="true">
        {t.loading}
      </li>
    );
  const { status, at, failed } = lastSync;
  return (
    <>
      <li className="flex items-center justify-between gap-3 py-1">
        {status === 'NEVER' && <span className="text-ink-2">{t.noReports}</span>}
        {status === 'SUCCEEDED' && (
          <span className="inline-flex items-center gap-1.5 text-success">
            <Icon name="check" />
            {t.noFailures}
          </span>
        )}
        {status === 'FAILED' && <StateMark state="Failed" />}
        {at !== null && (
          <span className="text-agate text-ink-3" data-tip={formatWhen(at, zone)}>
            {t.lastReport({ age: formatAge(at, now) })}
          </span>
        )}
      </li>
      <FailingSources failing={failingSources(failed)} onGo={onGo} />
    </>
  );
}

const EMPTY = {};
