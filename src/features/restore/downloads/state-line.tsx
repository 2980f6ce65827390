/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a rule that fills, as everywhere on these pages, can't be drawn with <progress> */
import { LIMITS } from '#contract/limits.ts';
import { formatBytes, formatCount } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { downloadsMessages as t } from './messages.en.ts';
import type { BackgroundDownload } from './use-downloads.ts';

const STATES = {
  queued: { icon: 'clock', text: 'text-ink-2' },
  running: { icon: 'running', text: 'text-running' },
  ready: { icon: 'success', text: 'text-success' },
  failed: { icon: 'failed', text: 'font-semibold text-failed' },
  cancelled: { icon: 'stop', text: 'text-ink-2' },
} as const satisfies Record<
  BackgroundDownload['state'],
  { readonly icon: IconName; readonly text: string }
>;

export function DownloadStateLine({ download }: { readonly download: BackgroundDownload }) {
  const { state, items, isListed, onServer } = download;
  const { icon, text } = STATES[state];
  return (
    <span className={`inline-flex flex-wrap items-center gap-x-1.5 ${text}`}>
      <Icon name={icon} />
      {t[state]}
      {state === 'running' && !onServer && (
        <span className="text-agate">
          {isListed
            ? t.progress({ done: formatCount(items.done), total: formatCount(items.total) })
            : t.counting}
        </span>
      )}
    </span>
  );
}

/** A rule that fills, in bytes: items have very different sizes. */
export function ProgressRule({ download }: { readonly download: BackgroundDownload }) {
  const { done, total } = download.bytes;
  return (
    <div className="grid gap-1">
      <div
        role="progressbar"
        aria-label={t.running}
        // Without a value, it is one whose end is unknown.
        {...(total > 0 && { 'aria-valuenow': done, 'aria-valuemin': 0, 'aria-valuemax': total })}
        className="h-0.5 bg-rule"
      >
        <div
          className="h-full bg-accent transition-[width] duration-300"
          style={{ width: `${total === 0 ? 0 : Math.min(100, (100 * done) / total)}%` }}
        />
      </div>
      <p className="m-0 text-ink-2 empty:hidden">
        {total > 0
          ? t.progressBytes({ done: formatBytes(done), total: formatBytes(total) })
          : done > 0 && formatBytes(done)}
      </p>
    </div>
  );
}

/** What is in a download. A server counts no further than it has to. */
export const itemsLabel = ({ items, isListed, onServer }: BackgroundDownload): string => {
  if (onServer && items.total > LIMITS.restorePlainItems)
    return t.many({ count: LIMITS.restorePlainItems });
  if (items.total === 0 && !isListed) return t.notKnown;
  const count = formatCount(items.total);
  return isListed ? count : t.about({ size: count });
};

/** Of the finished files; before, what is expected. */
export function sizeLabel({ parts, bytes, isExact }: BackgroundDownload): string {
  if (parts.length > 0) return formatBytes(parts.reduce((sum, part) => sum + part.bytes, 0));
  if (bytes.total === 0) return t.notKnown;
  const size = formatBytes(bytes.total);
  return isExact ? size : t.about({ size });
}
