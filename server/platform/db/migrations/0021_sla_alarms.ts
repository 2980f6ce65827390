import { owned, type Migration } from './migration.ts';

/**
 * SLA alarms (SLA-1). `broken_since`: null while the target is met or before the first check;
 * `fired_at`: when recipients were last notified.
 */
export const migration0021: Migration = {
  name: '0021',
  statements: [
    ...owned(
      'sla_alarm',
      'tenant_id uuid not null, id text not null, row json not null, broken_since bigint, fired_at bigint, primary key (tenant_id, id)',
    ),
  ],
};
