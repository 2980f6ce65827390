import { unowned, type Migration } from './migration.ts';

/** How often callers near a limit have called each server in their present minute (HTTP-26). */
export const migration0080: Migration = {
  name: '0080',
  statements: [
    ...unowned(
      'shared_count',
      'caller text not null, server text not null, began_at timestamptz not null, calls bigint not null, primary key (caller, server)',
    ),
    'create index shared_count_age on shared_count (began_at)',
  ],
};
