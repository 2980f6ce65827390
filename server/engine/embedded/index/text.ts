/**
 * Returns a text as the database can store it: without zero bytes and halves of characters, at most
 * `limit` characters.
 */
export const cleanText = (text: string, limit = 400): string =>
  text.slice(0, limit).replaceAll('\0', '').toWellFormed();
