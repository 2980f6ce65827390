import type { Ms } from '#contract/ids.ts';
import { formatUtc, formatWhen } from '#src/ui/format.ts';
import { backupJobMessages as t } from './messages.en.ts';

/** When a job starts next; a moment that has passed means now. */
export function NextRun({
  at,
  now,
  zone,
}: {
  readonly at: Ms | null;
  readonly now: Ms;
  readonly zone: string;
}) {
  if (at === null) return <span className="text-ink-3">–</span>;
  return at <= now ? t.due : <time data-tip={formatUtc(at)}>{formatWhen(at, zone)}</time>;
}
