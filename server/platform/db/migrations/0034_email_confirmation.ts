import type { Migration } from './migration.ts';

/**
 * Whether a user's email address was confirmed (EMAIL-1). Existing addresses count as confirmed,
 * unless the user registered with an invitation and since then neither an administrator set the
 * address nor a mailed link or code set the password. Forced policies also bind the tables' owner,
 * so they are lifted for this one statement.
 */
export const migration0034: Migration = {
  name: '0034',
  statements: [
    'alter table person add column email_verified boolean not null default true',
    'alter table person no force row level security',
    'alter table audit no force row level security',
    `update person as p set email_verified = false where p.email is not null
      and exists (select 1 from audit as a where a.tenant_id = p.tenant_id and a.user_id = p.id and a.what = 'user.registered')
      and not exists (select 1 from audit as a where a.tenant_id = p.tenant_id and a.user_id = p.id and
        ((a.what = 'user.changed' and a.actor_id is distinct from p.id and (a.detail->>'fields') ~ '(^|, )email(,|$)') or (a.what = 'password.reset' and a.detail->>'by' in ('link', 'code'))))`,
    'alter table audit force row level security',
    'alter table person force row level security',
  ],
};
