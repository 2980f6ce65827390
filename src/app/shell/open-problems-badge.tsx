import { useMemo } from 'react';
import { getDay, startOfDay } from '#contract/time/day.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import { useNow } from '../clock.ts';
import { useWatch } from '../worker/worker-client.ts';
import { useBranding } from '../session/session.ts';
import { formatCount } from '../../ui/format.ts';
import { shellMessages as t } from './shell.messages.en.ts';

const DAYS = 2;

/** Number of open results in the default run list, beside the daily checks entry. */
export function ToCheck() {
  const branding = useBranding();
  const now = useNow();
  const zone = branding?.timeZone ?? 'UTC';
  const hour = branding?.dayBeginsHour ?? 0;
  const today = getDay(now, zone, hour);
  const takes = useMemo(
    () => ({
      filter: {
        ...EVERYTHING,
        from: startOfDay(today + 1 - DAYS, zone, hour),
        to: startOfDay(today + 1, zone, hour),
        rows: 'jobs' as const,
        review: 'pending' as const,
      },
      window: { first: 0, count: 0 },
      isInUse: false,
      folded: [],
      round: 0,
      facets: 'none' as const,
    }),
    [today, zone, hour],
  );
  const total = useWatch('runs', takes)?.total ?? 0;
  if (total === 0) return null;
  const label = t.openProblems({ count: formatCount(total), days: DAYS });
  return (
    <span className="ml-auto font-semibold text-side-ink tabular-nums" data-tip={label}>
      <span aria-hidden>{formatCount(total)}</span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
