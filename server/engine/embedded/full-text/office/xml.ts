/** A tag with its local name and attributes, or the text before the next one. */
const TAG_OR_TEXT = /<(\/)?(?:[\w-]{1,40}:)?([\w-]{1,40})([^<>]*?)(\/)?>|<[^<>]*>|([^<]+)/g;

/** A tag with its local name, or a text, whose `name` is empty. */
export interface XmlPiece {
  readonly name: string;
  /** How much deeper what follows is: 1 after a start tag, -1 after an end tag, else 0. */
  readonly step: -1 | 0 | 1;
  readonly attributes: string;
  /** With its entities. */
  readonly text: string;
}

/** Lists the tags and texts of any XML or what looks like it, in linear time and without nesting. */
export function* listPieces(xml: string): Generator<XmlPiece, void> {
  for (const [, isEnd, name = '', attributes = '', isEmpty, text = ''] of xml.matchAll(TAG_OR_TEXT))
    yield {
      name,
      step: text !== '' || isEmpty !== undefined ? 0 : isEnd === undefined ? 1 : -1,
      attributes,
      text,
    };
}

/** Returns the value of an attribute, by its name with its prefix. */
export function getAttribute(attributes: string, name: string): string | null {
  const value = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return value === null ? null : decodeEntities(value[1] ?? value[2] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

export const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (entity, ...parts) => {
    const [decimal, hex, name] = parts as (string | undefined)[];
    if (name !== undefined) return ENTITIES[name] ?? entity;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ' ';
  });

/** A text, or where a line ends, or a word. A word may be in several texts. */
const PIECE =
  /<(?:\w{1,20}:)?(?:t|text)(?:\s[^<>]*)?>([^<]*)<\/|(<\/(?:\w{1,20}:)?(?:p|text)>|<(?:\w{1,20}:)?(?:br|cr)\b)|<\/(?:\w{1,20}:)?tc>|<(?:\w{1,20}:)?tab\b/g;

/** The text of a file of any document, such as a slide, a drawing or comments. */
export function getXmlText(xml: string): string {
  const texts: string[] = [];
  for (const [, text, line] of xml.matchAll(PIECE))
    texts.push(text !== undefined ? decodeEntities(text) : line !== undefined ? '\n' : ' ');
  return texts.join('');
}
