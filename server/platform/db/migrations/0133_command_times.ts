import type { Migration } from './migration.ts';

/** Finds the answers to commands that are older than the server stores them. */
export const migration0133: Migration = {
  name: '0133',
  statements: ['create index command_at on command (tenant_id, at)'],
};
