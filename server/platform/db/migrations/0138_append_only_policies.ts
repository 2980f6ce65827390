import { IS_OWN_ROW, type Migration } from './migration.ts';

/** Which rows of each table may be deleted, and the name of its policy for that so far. */
const DELETABLE = {
  audit: {
    former: 'stored',
    condition: `at < nullif(current_setting('app.audit_before', true), '')::bigint`,
  },
  event: {
    former: 'archived',
    condition: `seq <= nullif(current_setting('app.cut_seq', true), '')::bigint`,
  },
  log_hash: {
    former: 'archived',
    condition: `seq <= nullif(current_setting('app.cut_seq', true), '')::bigint`,
  },
} as const;

/**
 * The audit and the log stay append-only on Citus, too. It drops `as restrictive` from policies that it
 * brings to its nodes, so these tables have one policy for each command, and none for updates.
 */
export const migration0138: Migration = {
  name: '0138',
  statements: Object.entries(DELETABLE).flatMap(([table, { former, condition }]) => [
    `drop policy ${former} on ${table}`,
    `drop policy tenant on ${table}`,
    `create policy tenant on ${table} for select using (${IS_OWN_ROW})`,
    `create policy appended on ${table} for insert with check (${IS_OWN_ROW})`,
    `create policy deletable on ${table} for delete using (${IS_OWN_ROW} and ${condition})`,
  ]),
};
