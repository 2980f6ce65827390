import { chooseLanguage } from '#contract/i18n/languages.ts';
import type { Language } from '#contract/i18n/messages.ts';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/**
 * Returns the language in which to write to a user: their own, else English. `user` is null for
 * readers without an account.
 */
export async function languageOf(
  { tenant, sql }: TenantTx,
  user: UserId | null,
): Promise<Language> {
  const person = await sql
    .selectFrom('person')
    .select('language')
    .where('tenant_id', '=', tenant)
    .where('id', '=', user ?? NOBODY)
    .executeTakeFirst();
  return chooseLanguage([person?.language]);
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
  return languageOf(tx, person?.id ?? null);
}

const NOBODY = '00000000-0000-0000-0000-000000000000';
