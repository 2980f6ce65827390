import type { Me } from '#contract/auth/current-user.ts';
import { SSO_PROVIDERS } from '#contract/auth/profile.ts';
import type { Principal } from '../http/handler.ts';
import type { TenantTx } from '../db/store.ts';

/** Returns the user of a session as the page knows it. Throws if the user doesn't exist. */
export async function loadCurrentUser(tx: TenantTx, session: Principal): Promise<Me> {
  const { tenant, sql } = tx;
  const people = await sql
    .selectFrom('person')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', 'in', [...new Set([session.userId, session.actor])])
    .execute();
  const person = people.find(({ id }) => id === session.userId);
  const actor = people.find(({ id }) => id === session.actor);
  if (!person) throw new Error('a session of a user who has no name');
  const { master_id } = await sql
    .selectFrom('tenant_list')
    .select('master_id')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const { settings } = person;
  // An actor of a parent provider isn't in this provider's user list, so the session stores its
  // name.
  const stored =
    session.impersonation === null
      ? undefined
      : await sql
          .selectFrom('session')
          .select(['actor_name', 'absolute_until'])
          .where('tenant_id', '=', tenant)
          .where('id', '=', session.sessionId)
          .executeTakeFirst();
  return {
    id: session.userId,
    username: person.username,
    name: person.name,
    email: person.email ?? '',
    roles: [...session.roles],
    companies: session.companies === null ? null : [...session.companies],
    serviceProviderId: tenant,
    masterServiceProviderId: master_id,
    auth: person.auth,
    passwordReset: person.password_reset && session.impersonation === null,
    forceSecurityQuestions: person.force_questions && session.impersonation === null,
    acceptedTerms: person.terms_at !== null,
    landingPage: settings.landingPage ?? null,
    managedFilterType: settings.managedFilterType ?? null,
    sso: SSO_PROVIDERS.filter((provider) => settings.sso?.[provider]?.enabled === true),
    language: person.language,
    timeZone: person.time_zone,
    impersonator:
      session.impersonation === null
        ? null
        : {
            id: session.actor,
            username: actor?.username ?? stored?.actor_name ?? '',
            name: actor?.name ?? stored?.actor_name ?? '',
            impersonation: session.impersonation,
            until: stored?.absolute_until ?? session.beganAt,
          },
  };
}
