import type { ShortPeriod } from '#contract/backup/server-repositories.ts';
import type { RetentionPolicy } from '#contract/backup/retention.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** `Years3` in words. */
export const retentionLabel = (policy: RetentionPolicy): string =>
  policy === 'Keep' ? t.keep : t.years({ count: Number(policy.replace(/\D/g, '')) });

/** How long a repository keeps backups, in words. `period`: of a server, in days or months. */
export function describeRetention({
  retentionPolicy,
  period,
}: {
  readonly retentionPolicy: RetentionPolicy;
  readonly period?: ShortPeriod | null;
}): string {
  if (period == null) return retentionLabel(retentionPolicy);
  return (period.unit === 'days' ? t.days : t.months)({ count: period.count });
}
