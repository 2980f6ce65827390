const NAMES = new Map<string, string>();

/**
 * A statement that each connection parses and plans once. For statements of every append alone,
 * whose plan is the same however large the tables are: the plan is made while they are empty.
 */
export function prepared(text: string): string {
  NAMES.set(text, `p${NAMES.size}`);
  return text;
}

/** Undefined: it is not prepared. */
export const preparedName = (text: string): string | undefined => NAMES.get(text);
