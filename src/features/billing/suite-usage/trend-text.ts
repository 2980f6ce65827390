import { formatCount } from '#src/ui/format.ts';
import { suiteUsageMessages as t } from './messages.en.ts';

/** Says how many licensed users the days had. */
export function describeTrend(users: readonly number[]): string {
  const [lowest, highest] = [Math.min(...users), Math.max(...users)];
  if (lowest === highest) return t.sameEachDay({ count: lowest });
  return t.trendText({ lowest: formatCount(lowest), highest: formatCount(highest) });
}
