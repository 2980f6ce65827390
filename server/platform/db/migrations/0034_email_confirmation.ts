import type { Migration } from './migration.ts';

/**
 * Whether a person's e-mail address was proven to be theirs (EMAIL-1). Addresses from before count
 * as proven, except where the person registered with an invitation and neither an administrator has
 * set the address since then nor a link or code that was mailed to it has set the password. The
 * owner of the tables is bound by forced policies, which are lifted for this one statement.
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
