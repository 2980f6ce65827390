/**
 * Characters of what everybody types first. By themselves: the sign-in page needs no other limit.
 */
export const TEXT_LIMITS = { nameChars: 200, passwordChars: 128 } as const;
