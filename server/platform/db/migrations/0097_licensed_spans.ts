import type { Migration } from './migration.ts';

/** When people who were excluded from backups on request had restore points: they still count. */
export const migration0097: Migration = {
  name: '0097',
  statements: ["alter table backup_object add column licensed_spans jsonb not null default '[]'"],
};
