import type { Migration } from './migration.ts';

/**
 * The link of a sign-up is stored sealed, so that each email repeats it. Passwords that were chosen
 * before the address was verified are dropped: whoever holds the link sets one.
 */
export const migration0070: Migration = {
  name: '0070',
  statements: [
    'alter table sign_up add column sealed_token text',
    // Otherwise the policy hides the rows of all providers from the owner of the table, too.
    'alter table sign_up no force row level security',
    "update sign_up set password_hash = ''",
    'alter table sign_up force row level security',
  ],
};
