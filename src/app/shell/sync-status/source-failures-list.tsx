import { Link } from '@tanstack/react-router';
import { mayOpen, PAGES } from '#contract/pages.ts';
import { useWatch } from '../../worker/worker-client.ts';
import { useBranding, useMe, useZone } from '../../session/session.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { formatWhen } from '../../../ui/format.ts';
import { Icon } from '../../../ui/icon.tsx';
import { failureCount, mendAddress } from './failing-sources.ts';
import type { FailingSource } from './failing-sources.ts';
import { syncMessages as t } from '../sync.messages.en.ts';

interface FailuresProps {
  readonly failing: readonly FailingSource[];
  readonly onClose: () => void;
}

export function SourceFailuresDialog({ failing, onClose }: FailuresProps) {
  return (
    <Dialog title={failureCount(failing)} place="corner" onClose={onClose}>
      <AsOf />
      <ul className="m-0 list-none px-5 pt-1 pb-3">
        <FailingSources failing={failing} onGo={onClose} />
      </ul>
    </Dialog>
  );
}

/**
 * Lists each source with the time and reason of its failure. Users with access to its page get a
 * link to fix it.
 */
export function FailingSources({
  failing,
  onGo,
}: {
  readonly failing: readonly FailingSource[];
  readonly onGo: () => void;
}) {
  const zone = useZone();
  const roles = useMe()?.roles ?? [];
  const features = useBranding()?.features ?? null;
  return failing.map((source) => {
    const [to, hash] = mendAddress(source).split('#') as [
      '/monitoring/sources' | '/monitoring/connections',
      string?,
    ];
    return (
      <li key={source.key} className="border-t border-hair py-2.5 first:border-t-0">
        <span className="flex items-start gap-2">
          <Icon name="failed" className="mt-0.5 shrink-0 text-failed" />
          <span className="min-w-0 grow">
            {mayOpen(PAGES[to], roles, features) ? (
              <Link
                to={to}
                {...(hash !== undefined && { hash })}
                onClick={onGo}
                className="inline-block font-semibold break-words text-accent underline underline-offset-2 pointer-coarse:py-2.5"
              >
                {source.name}
              </Link>
            ) : (
              <b className="block break-words">{source.name}</b>
            )}
            <span className="block text-agate text-ink-3">
              {t.failedAt({ time: formatWhen(source.at, zone) })}
            </span>
            {source.parts.map((part) => (
              <span key={part.name ?? ''} className="block break-words text-ink-2">
                {part.name !== null && <b className="font-semibold">{part.name}: </b>}
                {part.message}
              </span>
            ))}
          </span>
        </span>
      </li>
    );
  });
}

/** Shows the age of the data while the server is unreachable. */
function AsOf() {
  const status = useWatch('status', EMPTY);
  const zone = useZone();
  if (
    status === undefined ||
    status.syncedAt === null ||
    (status.kind !== 'offline' && status.kind !== 'server-trouble')
  )
    return null;
  return (
    <p className="m-0 flex items-center gap-2.5 bg-warning-wash px-5 py-2">
      <Icon name="offline" className="text-warning" />
      {t.asOfSync({ time: formatWhen(status.syncedAt, zone) })}
    </p>
  );
}

const EMPTY = {};
