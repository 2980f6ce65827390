import { owned, type Migration } from './migration.ts';

/** Rules that act on results as they arrive (RULES-1). */
export const migration0011: Migration = {
  name: '0011',
  statements: [
    ...owned(
      'result_rule',
      'tenant_id uuid not null, id text not null, row json not null, primary key (tenant_id, id)',
    ),
  ],
};
