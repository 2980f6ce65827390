import { formatMoment } from '#contract/i18n/moment.ts';
import type { CompanyN, Ms, UserId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { mailAdministrators } from '#server/platform/mail/mail-administrators.ts';
import { backupMessages as t } from './messages.en.ts';

/** What administrators learn by email. */
const NEWS = {
  deleteOrganization: [t.deleteOrganizationSubject, t.deleteOrganization],
  deleteImportedOrganization: [t.deleteOrganizationSubject, t.deleteImportedOrganization],
  deleteRepository: [t.deleteRepositorySubject, t.deleteRepository],
  removeRepository: [t.removeRepositorySubject, t.removeRepository],
  shortenRetention: [t.shortenRetentionSubject, t.shortenRetention],
} as const;

/** G73: emails the administrators who see the company that backups will be deleted at `when`, or a repository was removed then. */
export async function warnAdministrators(
  tx: TenantTx,
  context: AppContext,
  { actor: actorId }: { readonly actor: UserId | null },
  what: keyof typeof NEWS,
  about: { readonly company: CompanyN; readonly name: string; readonly when: Ms },
): Promise<void> {
  const actor = await tx.sql
    .selectFrom('person')
    .select('name')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', actorId)
    .executeTakeFirst();
  const user = actor?.name ?? '';
  const { name } = about;
  await mailAdministrators(tx, context, about.company, (company) => ({
    subject: NEWS[what][0]({ name }),
    text: `${NEWS[what][1]({ user, company, name, when: formatMoment(about.when) })}\n`,
  }));
}
