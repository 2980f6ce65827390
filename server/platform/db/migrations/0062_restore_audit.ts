import { APP_ROLE, type Migration } from './migration.ts';

/**
 * The audit is append-only: the server can't change entries, and deletes only those that are older
 * than the time that it names in the same transaction.
 */
export const migration0062: Migration = {
  name: '0062',
  statements: [
    `revoke update on audit from ${APP_ROLE}`,
    `create policy stored on audit as restrictive for delete to ${APP_ROLE}
      using (at < nullif(current_setting('app.audit_before', true), '')::bigint)`,
    "create index audit_of_organization on audit (tenant_id, (detail ->> 'organization'), at desc, id desc) where detail ->> 'organization' is not null",
  ],
};
