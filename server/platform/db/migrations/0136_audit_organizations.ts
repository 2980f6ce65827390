import type { Migration } from './migration.ts';

/**
 * The organization of an audit entry as a column: under row-level security, an index of an expression
 * with `->>` is not used.
 */
export const migration0136: Migration = {
  name: '0136',
  statements: [
    'drop index audit_of_organization',
    "alter table audit add column organization text generated always as (detail ->> 'organization') stored",
    'create index audit_of_organization on audit (tenant_id, organization, at desc, id desc) where organization is not null',
  ],
};
