/** Returns the text with the wildcards of SQL's LIKE as plain characters. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
