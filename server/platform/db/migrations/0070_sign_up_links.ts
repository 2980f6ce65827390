import type { Migration } from './migration.ts';

/**
 * Drops passwords that were chosen before the address was verified: whoever holds the link sets one.
 * Sign-ups of today have a sealed link, so a restored backup of an older version runs this too.
 */
export const DROP_EARLY_PASSWORDS =
  "update sign_up set password_hash = '' where sealed_token is null";

/** The link of a sign-up is stored sealed, so that each email repeats it. */
export const migration0070: Migration = {
  name: '0070',
  statements: [
    'alter table sign_up add column sealed_token text',
    // Otherwise the policy hides the rows of all providers from the owner of the table, too.
    'alter table sign_up no force row level security',
    DROP_EARLY_PASSWORDS,
    'alter table sign_up force row level security',
  ],
};
