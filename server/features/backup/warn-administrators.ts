import { withLanguage } from '#contract/i18n/messages.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import type { Principal } from '#server/platform/http/handler.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadLanguage } from '#server/platform/tenancy/reader-language.ts';
import { backupMessages as t } from './messages.en.ts';

/** What administrators learn by email. */
const NEWS = {
  deleteOrganization: [t.deleteOrganizationSubject, t.deleteOrganization],
  deleteImportedOrganization: [t.deleteOrganizationSubject, t.deleteImportedOrganization],
  deleteRepository: [t.deleteRepositorySubject, t.deleteRepository],
  shortenRetention: [t.shortenRetentionSubject, t.shortenRetention],
} as const;

/**
 * G73: emails all administrators of backups who see the company, and all administrators of the
 * provider's users, that backups will be deleted at `when`.
 */
export async function warnAdministrators(
  tx: TenantTx,
  context: AppContext,
  session: Principal,
  what: keyof typeof NEWS,
  about: { readonly company: CompanyN; readonly name: string; readonly when: Ms },
): Promise<void> {
  const company = (await tx.rows('company', [about.company])).get(about.company)?.name ?? '';
  const administrators = (await tx.all('user')).filter(
    ({ deletedAt, roles, companies }) =>
      deletedAt === null &&
      hasAbility({ roles }, 'monitoring.users') &&
      (companies === null || companies.includes(about.company)),
  );
  if (administrators.length === 0) return;
  const people = await tx.sql
    .selectFrom('person')
    .select(['id', 'name', 'email', 'email_verified'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', 'in', [session.actor, ...administrators.map(({ id }) => id)])
    .execute();
  const user = people.find(({ id }) => id === session.actor)?.name ?? '';
  for (const { id, email, email_verified: isVerified } of people) {
    if (email === null || !isVerified || !administrators.some((one) => one.id === id)) continue;
    await post(tx, context, {
      kind: 'mail',
      to: email,
      ...withLanguage(await loadLanguage(tx, id), () => ({
        subject: NEWS[what][0]({ name: about.name }).replaceAll(/\s+/g, ' ').slice(0, 150),
        text: `${NEWS[what][1]({ user, company, name: about.name, when: formatMoment(about.when) })}\n`,
      })),
    });
  }
}
