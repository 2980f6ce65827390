import type { RetentionPolicy } from '#contract/backup/retention.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

/** `Years3` in words. */
export const retentionLabel = (policy: RetentionPolicy): string =>
  policy === 'Keep' ? t.keep : t.years({ count: Number(policy.replace(/\D/g, '')) });
