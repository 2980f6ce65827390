/**
 * Maximum lengths of username and password, in characters. A file of their own, because the sign-in
 * page needs no other limits.
 */
export const TEXT_LIMITS = { nameChars: 200, passwordChars: 128 } as const;
