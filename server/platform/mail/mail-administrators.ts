import type { Ability } from '#contract/abilities.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import type { CompanyN } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { hasAbility } from '#server/platform/auth/authorization.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { loadUserLanguage } from '#server/platform/tenancy/reader-language.ts';

interface Written {
  readonly subject: string;
  readonly text: string;
}

/**
 * Emails the administrators who see a company: those of its users, and of the provider's. `write`
 * gets the company's name. `ability`: what makes an administrator.
 */
export async function mailAdministrators(
  tx: TenantTx,
  context: AppContext,
  company: CompanyN,
  write: (company: string) => Written,
  ability: Ability = 'monitoring.users',
): Promise<void> {
  const name = (await tx.rows('company', [company])).get(company)?.name ?? '';
  const administrators = (await tx.all('user')).filter(
    ({ deletedAt, roles, companies }) =>
      deletedAt === null &&
      hasAbility({ roles }, ability) &&
      (companies === null || companies.includes(company)),
  );
  if (administrators.length === 0) return;
  const people = await tx.sql
    .selectFrom('person')
    .select(['id', 'email'])
    .where('tenant_id', '=', tx.tenant)
    .where(
      'id',
      'in',
      administrators.map(({ id }) => id),
    )
    .where('email_verified', '=', true)
    .execute();
  for (const { id, email } of people) {
    if (email === null) continue;
    const { subject, text } = withLanguage(await loadUserLanguage(tx, id), () => write(name));
    await post(tx, context, {
      kind: 'mail',
      to: email,
      subject: subject.replaceAll(/\s+/g, ' ').slice(0, 150),
      text,
    });
  }
}
