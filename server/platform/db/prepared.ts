const NAMES = new Map<string, string>();

/**
 * Marks a statement that each connection parses and plans once. Only for statements of every
 * append, whose plan doesn't depend on the size of the tables: it is made while they are empty.
 */
export function prepared(text: string): string {
  NAMES.set(text, `p${NAMES.size}`);
  return text;
}

/** Undefined: not prepared. */
export const preparedName = (text: string): string | undefined => NAMES.get(text);
