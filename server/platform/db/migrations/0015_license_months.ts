import { owned, type Migration } from './migration.ts';

/** The licenses that connections last reported in each month (LIC-2). `row`: as collected. */
export const migration0015: Migration = {
  name: '0015',
  statements: [
    ...owned(
      'licence_month',
      `tenant_id uuid not null, month text not null, connection_id uuid not null, uid text not null, company_n bigint, name text not null,
    row json not null, seen_at bigint not null, primary key (tenant_id, month, connection_id, uid)`,
    ),
  ],
};
