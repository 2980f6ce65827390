import { NOBODY } from '#server/platform/auth/nobody.ts';
import { chooseLanguage } from '#contract/i18n/languages.ts';
import type { Language } from '#contract/i18n/messages.ts';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/**
 * Returns the language in which to write to a user: their own, else the provider's, else English.
 * `user` is null for readers without an account.
 */
export async function loadUserLanguage(
  { tenant, sql }: TenantTx,
  user: UserId | null,
): Promise<Language> {
  const { branding, language } = await sql
    .selectFrom('provider')
    .leftJoin('person', (on) =>
      on.onRef('person.tenant_id', '=', 'provider.tenant_id').on('person.id', '=', user ?? NOBODY),
    )
    .select(['provider.branding', 'person.language'])
    .where('provider.tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return chooseLanguage([language, branding.language]);
}

/** Returns the same for an email address: the language of the user who has confirmed it. */
export async function languageOfAddress(tx: TenantTx, address: string): Promise<Language> {
  const person = await tx.sql
    .selectFrom('person')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where((e) => e.fn<string>('lower', ['email']), '=', address.toLowerCase())
    .where('email_verified', '=', true)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return loadUserLanguage(tx, person?.id ?? null);
}
