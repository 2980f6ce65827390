import { sql } from 'kysely';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/** Returns the form in which two user names are compared: without case and surrounding space. */
export const usernameKey = (username: string): string =>
  username.normalize('NFC').trim().toLowerCase();

/** Invisible characters, line breaks, unassigned characters, and path separators. */
const NEVER = /[\p{C}\p{Zl}\p{Zp}/\\]/u;
/** Alphabets with letters that look like those of another one. */
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
];

/**
 * Returns whether a user name may be set; refuses one that may be confused with another (USER-15).
 * All letters must be of one of these alphabets and in their normal form (not full-width, for
 * example). Sign-in doesn't check this, so names from before this rule still work.
 */
export const isPlainUsername = (username: string): boolean =>
  !NEVER.test(username) &&
  username.normalize('NFC') === username.normalize('NFKC') &&
  ALPHABETS.filter((letters) => letters.test(username)).length <= 1;

/** Lower-case letters that look like Latin ones (Unicode UTS 39, confusables.txt). */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  [
    ['аеорсухѕіјһԁԛԝӏѵ', 'aeopcyxsijhdqwlv'],
    ['αγινορσυ', 'ayivopou'],
    ['ɑɡı', 'agi'],
  ].flatMap(([from = '', to = '']) =>
    Array.from(from).map((letter, i) => [letter, to[i] ?? ''] as const),
  ),
);

/**
 * Returns the same text for names that look alike although their letters are of different
 * alphabets.
 */
export const usernameSkeleton = (username: string): string =>
  Array.from(usernameKey(username.normalize('NFKC')))
    .map((letter) => LOOKS_LIKE.get(letter) ?? letter)
    .join('');

/**
 * Returns whether a user other than `but` has this user name, or one that looks the same (USER-15).
 */
export async function isUsernameTaken(
  tx: TenantTx,
  username: string,
  but: UserId | null,
): Promise<boolean> {
  const key = usernameKey(username);
  const people = await tx.sql
    .selectFrom('person')
    .select(['id', 'username'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`char_length(username_key) = ${Array.from(key).length}`)
    .execute();
  const skeleton = usernameSkeleton(username);
  return people.some((one) => one.id !== but && usernameSkeleton(one.username) === skeleton);
}
