/** The text of a header or footer without its codes, such as for the page number or a font ([MS-XLS] 2.4.136). */
export const withoutHeaderCodes = (text: string): string =>
  text.replaceAll(/&(?:"[^"]*"|\d+|K[\dA-F]{6}|[A-Za-z])/g, ' ').replaceAll('&&', '&');
