import { owned, type Migration } from './migration.ts';

/** Solutions of users for recurring problems (HINT-1). */
export const migration0013: Migration = {
  name: '0013',
  statements: [
    ...owned(
      'hint',
      'tenant_id uuid not null, id text not null, row json not null, primary key (tenant_id, id)',
    ),
  ],
};
