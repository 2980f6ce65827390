import { sql as raw } from 'kysely';
import * as v from 'valibot';
import { preferenceId, ThemeSchema } from '#contract/auth/preferences.ts';
import type { Theme } from '#contract/auth/preferences.ts';
import type { SignedInUser } from '#contract/auth/current-user.ts';
import type { Profile } from '#contract/auth/profile-calls.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import type { Principal } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { loadCurrentUser } from '../../platform/auth/current-user.ts';
import { emailLinkUntil } from '../../platform/auth/email-confirmation.ts';
import { openNotifications } from '../notifications/notices.ts';

/**
 * Returns the user in the sign-in response (ROW-1): the profile as in `readProfile`, and what a
 * device needs in addition. Throws if there is no such user.
 */
export async function signedInUser(
  tx: TenantTx,
  session: Principal,
  now: Ms,
): Promise<SignedInUser> {
  const { sso: _systems, ...me } = await loadCurrentUser(tx, session);
  return { ...me, acting: me.impersonator, ...(await loadProfile(tx, session, now)) };
}

/** Returns the full profile of a session's user. Throws if there is none. */
export async function loadProfile(tx: TenantTx, session: Principal, now: Ms): Promise<Profile> {
  const { tenant, sql } = tx;
  const { userId: id, roles, companies } = session;
  const person = await sql
    .selectFrom('person')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { master_id } = await sql
    .selectFrom('tenant_list')
    .select('master_id')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const answers = await sql
    .selectFrom('security_answer')
    .select('question')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', id)
    .orderBy('question')
    .execute();
  const job =
    companies?.length === 0
      ? undefined
      : await sql
          .selectFrom('job')
          .select('n')
          .where('tenant_id', '=', tenant)
          .$if(companies !== null, (query) =>
            query.where('company_n', 'in', [...(companies ?? [])]),
          )
          .limit(1)
          .executeTakeFirst();
  // A company whose record names organizations.
  const named =
    companies?.length === 0
      ? undefined
      : await sql
          .selectFrom('company')
          .select('n')
          .where('tenant_id', '=', tenant)
          .where(
            raw<boolean>`row->'applications'->'office365'->>'enabled' = 'true' and row->'applications'->'office365'->'organizations'->0 is not null and row->>'deletedAt' is null`,
          )
          .$if(companies !== null, (query) => query.where('n', 'in', [...(companies ?? [])]))
          .limit(1)
          .executeTakeFirst();
  const { settings } = person;
  const isOwn = (row: { readonly company: number; readonly removedAt: Ms | null }): boolean =>
    row.removedAt === null && (companies === null || companies.includes(row.company));
  return {
    id,
    name: person.name,
    username: person.username,
    email: person.email ?? '',
    emailVerified: person.email_verified,
    emailLinkUntil: person.email_verified ? null : await emailLinkUntil(tx, id, now),
    auth: person.auth,
    acl: roles.map((role) => ({ role })),
    accounts: settings.accounts ?? [],
    sso: settings.sso ?? {},
    managedFilterType: settings.managedFilterType ?? null,
    assignAsConnectWiseOwner: settings.assignAsConnectWiseOwner ?? false,
    veeamServiceAccount: settings.veeamServiceAccount ?? null,
    isO365Migrator: settings.isO365Migrator ?? false,
    features: settings.features ?? [],
    notices: { security: true, reports: true, product: true, ...settings.notices },
    wizardPromptDismissed: settings.wizardPromptDismissed ?? false,
    passwordReset: person.password_reset && session.impersonation === null,
    forceSecurityQuestions: person.force_questions && session.impersonation === null,
    theme: await loadTheme(tx, id),
    mobilePhone: person.mobile_phone,
    officePhone: person.office_phone,
    serviceProviderId: tenant,
    masterServiceProviderId: master_id,
    landingApp: settings.landingPage ? { page: settings.landingPage } : null,
    ackO365TermsOfUse: person.terms_at !== null,
    hasOrganizations: named !== undefined || (await tx.all('organization')).some(isOwn),
    hasJobs: job !== undefined || (await tx.all('backupJob')).some(isOwn),
    // AUTH-12: a user who must choose a password first gets no notifications.
    notifications: session.mustReset ? [] : await openNotifications(tx, session),
    stripe: null,
    language: person.language,
    timeZone: person.time_zone,
    securityQuestions: answers.map(({ question }) => question),
    passwordAt: person.password_at,
  };
}

/** Returns the user's theme preferences; empty if none are stored. */
export async function loadTheme(tx: TenantTx, user: UserId): Promise<Theme> {
  const id = preferenceId(user, 'theme');
  const row = (await tx.rows('preference', [id])).get(id);
  const parsed = v.safeParse(ThemeSchema, row ? JSON.parse(row.value) : {});
  return parsed.success ? parsed.output : {};
}
