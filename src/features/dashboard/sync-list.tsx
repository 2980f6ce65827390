import type { Ms } from '#contract/ids.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { LastSync } from '#contract/sync/calls.ts';
import { formatSpan, formatWhen } from '#src/ui/format.ts';
import { Icon } from '#src/ui/icon.tsx';
import { dashboardMessages as t } from './messages.en.ts';

/** The last sync of each tool, failing ones first. */
export function SyncList({
  sources,
  zone,
  now,
}: {
  readonly sources: LastSync['sources'];
  readonly zone: string;
  readonly now: Ms;
}) {
  if (sources.length === 0) return <p className="m-0 py-3 text-ink-2">{t.noSources}</p>;
  return (
    <ul className="m-0 list-none p-0">
      {sources
        .toSorted((a, b) => Number(b.failed > 0) - Number(a.failed > 0))
        .map(({ source, keys, failed, at }) => (
          <li
            key={source}
            className="grid min-h-10 grid-cols-[minmax(0,1fr)_auto_52px] items-center gap-2.5 border-b border-hair"
          >
            <span className="truncate" data-tip={SOURCE_NAMES[source]}>
              {SOURCE_NAMES[source]}
            </span>
            {failed > 0 ? (
              <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-failed">
                <Icon name="failed" />
                {keys === 1 ? t.failed : t.failedOf({ failed, total: keys })}
              </span>
            ) : at === null ? (
              <span className="whitespace-nowrap text-ink-2">{t.noSyncYet}</span>
            ) : (
              <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-success">
                <Icon name="success" />
                {t.succeeded}
              </span>
            )}
            <span
              className="text-right text-agate whitespace-nowrap text-ink-3"
              {...(at !== null && { 'data-tip': formatWhen(at, zone) })}
            >
              {at === null ? '' : (formatSpan(at, now) ?? t.now)}
            </span>
          </li>
        ))}
    </ul>
  );
}
