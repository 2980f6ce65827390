import sanitizeHtml from 'sanitize-html';

/** Returns the text of HTML, with a line for each block. */
export function htmlToText(html: string): string {
  const broken = html
    .replaceAll(/<(?:br|hr)\b[^>]*>/gi, '\n')
    .replaceAll(/<\/t[dh]\s*>/gi, ' ')
    .replaceAll(/<\/(?:p|div|li|tr|h[1-6]|table|ul|ol|blockquote)\s*>/gi, '\n');
  const text = sanitizeHtml(broken, { allowedTags: [], allowedAttributes: {} })
    .replaceAll(/&(lt|gt|quot|amp|nbsp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replaceAll(/[ \t]+/g, ' ');
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  nbsp: ' ',
};
