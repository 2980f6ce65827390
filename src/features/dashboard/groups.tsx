import { formatList } from '#contract/i18n/list.ts';
import type { Overview } from '#contract/dashboard/overview.ts';
import { Icon } from '#src/ui/icon.tsx';
import { resultsAddress } from '#src/features/shared/page-links/results.ts';
import type { DashboardBoard } from './address.ts';
import { countDelta, getSuccessRate, formatShare } from '../shared/charts/deltas.ts';
import { SectionLink } from '../shared/section-link.tsx';
import type { DayRange } from '../shared/date-range/day-range.ts';
import { ENTITY_GROUP_WORDS } from '#src/features/shared/runs/labels.ts';
import { dashboardMessages as t } from './messages.en.ts';

interface GroupsProps {
  readonly board: DashboardBoard;
  readonly stretch: DayRange;
  readonly overview: Overview;
  readonly canOpen: boolean;
}

/** A line for each entity group with results in either period. */
export function Groups({
  board,
  stretch,
  overview: {
    groups,
    before: { whole },
  },
  canOpen,
}: GroupsProps) {
  const shown = groups.filter(({ now, before }) => now.runs > 0 || before.runs > 0);
  if (shown.length === 0) return null;
  return (
    <ul
      aria-label={t.entityGroups}
      className="m-0 grid list-none gap-x-3 border-b border-rule p-0 py-1 max-tablet:grid-cols-1 tablet:grid-cols-3 desk:grid-cols-5"
    >
      {shown.map(({ group, now, before }) => {
        const share = getSuccessRate(now);
        const delta = countDelta(now, { ...before, whole }, 'failed');
        const details = formatList(
          [
            share === null ? t.noResults : t.share({ share: formatShare(share) }),
            ...(now.failed > 0 || delta.tone !== null
              ? [
                  delta.tone === null
                    ? t.failedCount({ count: now.failed })
                    : t.failedWithDelta({ count: now.failed, delta: delta.label }),
                ]
              : []),
            ...(now.missed > 0 ? [t.missedCount({ count: now.missed })] : []),
          ],
          'plain',
        );
        const words = (
          <>
            <span className="flex items-center gap-0.5">
              <span className="truncate">{ENTITY_GROUP_WORDS[group]}</span>
              {canOpen && <Icon name="chevron-right" size={12} className="text-ink-3" />}
            </span>
            <span className="block truncate text-agate text-ink-3" data-tip={details}>
              {details}
            </span>
          </>
        );
        return (
          <li key={group} className="min-w-0">
            {canOpen ? (
              <SectionLink
                href={resultsAddress({
                  days: stretch.days,
                  companies: board.companies,
                  instructionTypes: [group],
                })}
                className="block py-1 hover:bg-wash pointer-coarse:min-h-11"
              >
                {words}
              </SectionLink>
            ) : (
              <div className="py-1">{words}</div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
