import { owned, type Migration } from './migration.ts';

/**
 * The licensed users of each organization on each day that has ended, so that reports don't depend on
 * how long restore points stay. The index finds the restore points of an object in a time range.
 */
export const migration0056: Migration = {
  name: '0056',
  statements: [
    ...owned(
      'usage_day',
      'tenant_id uuid not null, organization_id uuid not null, day integer not null, used integer not null, free integer not null, bytes bigint not null, primary key (tenant_id, organization_id, day)',
    ),
    'create index object_point_at on object_point (tenant_id, object_n, at)',
  ],
};
