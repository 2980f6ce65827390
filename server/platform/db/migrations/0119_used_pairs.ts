import type { Migration } from './migration.ts';

/**
 * Whether a session's device has its current tokens. While it isn't sure, the token before them gets
 * them again.
 */
export const migration0119: Migration = {
  name: '0119',
  statements: ['alter table session add column pair_used boolean not null default true'],
};
