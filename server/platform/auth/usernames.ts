/** What makes two user names the same: case and surrounding space do not tell people apart. */
export const usernameKey = (username: string): string =>
  username.normalize('NFC').trim().toLowerCase();

/** Invisible characters, line breaks, and what has no meaning of its own; marks of a path. */
const NEVER = /[\p{C}\p{Zl}\p{Zp}/\\]/u;
const LATIN = /\p{Script=Latin}/u;
const LATIN_LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;

/**
 * Whether a user name can be set: one that may pass for another is refused (USER-15). Signing in
 * does not ask, so that names from before this rule go on working.
 */
export const isPlainUsername = (username: string): boolean =>
  !NEVER.test(username) && !(LATIN.test(username) && LATIN_LOOKALIKE.test(username));
