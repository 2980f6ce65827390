import { owned, type Migration } from './migration.ts';

/** Maps an identity at an issuer (its name and the subject) to a user (G43). */
export const migration0010: Migration = {
  name: '0010',
  statements: [
    ...owned(
      'identity',
      'tenant_id uuid not null, issuer text not null, subject text not null, user_id uuid not null, made_at bigint not null, primary key (tenant_id, issuer, subject)',
    ),
    'create unique index identity_of_user on identity (tenant_id, user_id, issuer)',
  ],
};
