import type { Migration } from './migration.ts';

/** Of which certificate administrators were warned, and at how many days before it expires (ENG-82). */
export const migration0085: Migration = {
  name: '0085',
  statements: ['alter table organization_access add column warned text'],
};
