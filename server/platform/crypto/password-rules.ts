import type { Failure } from '#contract/errors.ts';
import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { COMMON, WALKS } from './breached-passwords.ts';
import type { TenantTx } from '../db/store.ts';

/** The password rules for a user. `own`: names that the password must not contain. */
export interface PasswordMeasure {
  readonly min: number;
  readonly own: readonly string[];
}

const PRODUCT = ['daybook'];
/** Shorter parts of names occur in too many words. */
const MIN_OWN_CHARS = 4;
const DIGITS_AS_LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  '$': 's',
  '!': 'i',
  '|': 'l',
  '€': 'e',
  '+': 't',
};

/**
 * Returns a sentence why the password is refused; null if it is fine. There is no rule about kinds
 * of characters (G35).
 */
export function findPasswordError(password: string, { min, own }: PasswordMeasure): string | null {
  const length = Array.from(password).length;
  if (length < min) return MESSAGES.passwordShort({ min });
  const low = password.normalize('NFKC').toLowerCase();
  const read = getLetters(low);
  // Digits and symbols around a word don't count as letters.
  const inner = getLetters(low.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ''));
  if ([low, read, inner].some((text) => isCommon(text) || isCommon(text.replaceAll('i', 'l'))))
    return MESSAGES.passwordCommon;
  const words = [...PRODUCT, ...own].map((word) => word.normalize('NFKC').toLowerCase());
  if (
    words.some(
      (word) => word.length >= MIN_OWN_CHARS && (low.includes(word) || read.includes(word)),
    )
  )
    return MESSAGES.passwordOwnWords;
  return null;
}

/** Returns the refusal as a failure of the field `path`. */
export const passwordRefused = (message: string, path = 'newPassword'): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});

/** Returns the rules for an existing user. With a second factor, a password may be shorter. */
export async function loadMeasure(tx: TenantTx, userId: UserId): Promise<PasswordMeasure> {
  const { tenant, sql } = tx;
  const person = await sql
    .selectFrom('person')
    .select(['username', 'name', 'email', 'settings', 'mobile_phone'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const totp = await sql
    .selectFrom('totp')
    .select('user_id')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  const passkey = await sql
    .selectFrom('passkey')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  const measure = await measureOfNew(tx, person);
  const beside =
    totp !== undefined ||
    passkey !== undefined ||
    (person.settings.sms === true && person.mobile_phone !== null);
  return beside ? { ...measure, min: LIMITS.minPasswordCharsWithFactor } : measure;
}

/**
 * Returns the rules for a user that is being created: only the provider's requirement for a second
 * factor is known.
 */
export async function measureOfNew(
  { tenant, sql }: TenantTx,
  person: { readonly username: string; readonly name: string; readonly email: string | null },
): Promise<PasswordMeasure> {
  const { settings, branding } = await sql
    .selectFrom('provider')
    .select(['settings', 'branding'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  const needsFactor = settings.secondFactor === 'sms' || settings.secondFactor === 'strong';
  return {
    min: needsFactor ? LIMITS.minPasswordCharsWithFactor : LIMITS.minPasswordChars,
    own: [
      person.username,
      ...parts(person.username),
      ...parts(person.name),
      ...parts((person.email ?? '').split('@')[0] ?? ''),
      ...parts(branding.name),
      ...parts(branding.title),
    ],
  };
}

const parts = (text: string): string[] =>
  text.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= MIN_OWN_CHARS);
const getLetters = (text: string): string =>
  Array.from(text, (one) => DIGITS_AS_LETTERS[one] ?? one).join('');

/**
 * One or two words of the list with any non-letters around them, one repeated unit, or a walk along
 * the keyboard.
 */
function isCommon(text: string): boolean {
  if (text === '') return false;
  if (new Set(text).size <= 3) return true;
  const unit = getUnit(text);
  if (unit !== text && (unit.length <= 4 || isCommon(unit))) return true;
  const letters = text.replace(/[^\p{L}]/gu, '');
  return isWords(letters, 2) || walks(text);
}

/** Returns the shortest text that `text` repeats; `text` if there is none. */
function getUnit(text: string): string {
  for (let size = 1; size <= text.length / 2; size += 1) {
    if (text.length % size === 0 && text.slice(0, size).repeat(text.length / size) === text)
      return text.slice(0, size);
  }
  return text;
}

/** Returns whether it consists of at most `most` words of the list. */
function isWords(letters: string, max: number): boolean {
  if (letters === '') return false;
  if (COMMON.has(letters)) return true;
  if (max <= 1) return false;
  for (let at = 3; at <= letters.length - 3; at += 1)
    if (COMMON.has(letters.slice(0, at)) && isWords(letters.slice(at), max - 1)) return true;
  return false;
}

/**
 * Returns whether all of it is steps along keyboard rows or counting sequences, of at least four
 * characters each, with any non-alphanumeric characters between them.
 */
function walks(text: string): boolean {
  let at = 0;
  let walked = 0;
  while (at < text.length) {
    const step = stepAt(text, at);
    if (step >= 4) {
      at += step;
      walked += step;
    } else if (/[^\p{L}\p{N}]/u.test(text[at] ?? '')) at += 1;
    else return false;
  }
  return walked > 0;
}

function stepAt(text: string, at: number): number {
  let longest = 0;
  for (const row of WALKS) {
    for (const line of [row, Array.from(row).toReversed().join('')]) {
      let size = longest;
      while (at + size < text.length && (line + line).includes(text.slice(at, at + size + 1)))
        size += 1;
      longest = Math.max(longest, size);
    }
  }
  return longest;
}
