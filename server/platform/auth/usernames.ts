import { sql } from 'kysely';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/** What makes two user names the same: case and surrounding space do not tell people apart. */
export const usernameKey = (username: string): string =>
  username.normalize('NFC').trim().toLowerCase();

/** Invisible characters, line breaks, and what has no meaning of its own; marks of a path. */
const NEVER = /[\p{C}\p{Zl}\p{Zp}/\\]/u;
/** Alphabets that have letters which look like those of another one. */
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
 * Whether a user name can be set: one that may pass for another is refused (USER-15). It has one of
 * these alphabets and no other form of a letter, such as a full-width one. Signing in does not ask,
 * so that names from before this rule go on working.
 */
export const isPlainUsername = (username: string): boolean =>
  !NEVER.test(username) &&
  username.normalize('NFC') === username.normalize('NFKC') &&
  ALPHABETS.filter((letters) => letters.test(username)).length <= 1;

/** Small letters that look like Latin ones (Unicode UTS 39, confusables.txt). */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  [
    ['аеорсухѕіјһԁԛԝӏѵ', 'aeopcyxsijhdqwlv'],
    ['αγινορσυ', 'ayivopou'],
    ['ɑɡı', 'agi'],
  ].flatMap(([from = '', to = '']) =>
    Array.from(from).map((letter, i) => [letter, to[i] ?? ''] as const),
  ),
);

/** Equal for names that look the same although their letters are of different alphabets. */
export const usernameSkeleton = (username: string): string =>
  Array.from(usernameKey(username.normalize('NFKC')))
    .map((letter) => LOOKS_LIKE.get(letter) ?? letter)
    .join('');

/** Whether somebody but `but` has this user name, or one that looks the same (USER-15). */
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
