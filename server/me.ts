import type { Me } from '#contract/account/me.ts';
import { SSO_PROVIDERS } from '#contract/account/profile.ts';
import type { Signed } from './http/handler.ts';
import type { TenantTx } from './store/store.ts';

/** The user of a session as its page knows it. Throws where there is none. */
export async function meOf(tx: TenantTx, signed: Signed): Promise<Me> {
  const { tenant, sql } = tx;
  const people = await sql
    .selectFrom('person')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', 'in', [...new Set([signed.userId, signed.actor])])
    .execute();
  const person = people.find(({ id }) => id === signed.userId);
  const actor = people.find(({ id }) => id === signed.actor);
  if (!person) throw new Error('a session of a user who has no name');
  const { master_id } = await sql
    .selectFrom('tenant_list')
    .select('master_id')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const { settings } = person;
  // Who is of a provider above is not among the people here: its name came with it.
  const acting =
    signed.impersonation === null
      ? undefined
      : await sql
          .selectFrom('session')
          .select(['actor_name', 'absolute_until'])
          .where('tenant_id', '=', tenant)
          .where('id', '=', signed.sessionId)
          .executeTakeFirst();
  return {
    id: signed.userId,
    username: person.username,
    name: person.name,
    email: person.email ?? '',
    roles: [...signed.roles],
    companies: signed.companies === null ? null : [...signed.companies],
    serviceProviderId: tenant,
    masterServiceProviderId: master_id,
    auth: person.auth,
    passwordReset: person.password_reset && signed.impersonation === null,
    forceSecurityQuestions: person.force_questions && signed.impersonation === null,
    acceptedTerms: person.terms_at !== null,
    landingPage: settings.landingPage ?? null,
    managedFilterType: settings.managedFilterType ?? null,
    sso: SSO_PROVIDERS.filter((provider) => settings.sso?.[provider]?.enabled === true),
    language: person.language,
    timeZone: person.time_zone,
    acting:
      signed.impersonation === null
        ? null
        : {
            id: signed.actor,
            username: actor?.username ?? acting?.actor_name ?? '',
            name: actor?.name ?? acting?.actor_name ?? '',
            impersonation: signed.impersonation,
            until: acting?.absolute_until ?? signed.beganAt,
          },
  };
}
