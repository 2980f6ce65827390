import sanitizeHtml from 'sanitize-html';
import type { Attributes, IOptions } from 'sanitize-html';

/** HTML that loads nothing, runs nothing and leads nowhere. */
export interface CleanMail {
  readonly html: string;
  /** Pictures of other servers that were left out. */
  readonly heldPictures: number;
}

/**
 * Cleans the HTML of a mail (G64): only tags and styles that format text stay. Pictures are data of
 * this mail; `pictures` has them by Content-ID. Links become text that names where they lead.
 */
export function cleanMail(html: string, pictures: ReadonlyMap<string, string>): CleanMail {
  let heldPictures = 0;
  const picture = (attribs: Attributes): { tagName: string; attribs: Attributes } => {
    const { src = '', srcset, alt = '', width, height } = attribs;
    const data = pictureData(src.trim(), pictures);
    if (data !== null)
      return {
        tagName: 'img',
        attribs: {
          src: data,
          alt,
          ...(width === undefined ? {} : { width }),
          ...(height === undefined ? {} : { height }),
          ...(attribs['style'] === undefined ? {} : { style: attribs['style'] }),
        },
      };
    if (REMOTE.test(src.trim()) || srcset !== undefined) heldPictures += 1;
    return { tagName: 'span', attribs: { class: 'held', ...(alt === '' ? {} : { title: alt }) } };
  };
  const cleaned = sanitizeHtml(html, {
    ...OPTIONS,
    transformTags: {
      '*': (tagName, attribs) => {
        if (REMOTE.test(attribs['background']?.trim() ?? '')) heldPictures += 1;
        return { tagName, attribs };
      },
      'img': (_tag, attribs) => picture(attribs),
      'image': (_tag, attribs) => picture(attribs),
      'a': (_tag, { href = '' }) => ({
        tagName: 'span',
        attribs: SHOWN_LINK.test(href.trim())
          ? { class: 'link', title: href.trim().slice(0, LINK_CHARS) }
          : {},
      }),
      // Old mails format with these. A frame's text is for programs that show no frames.
      'center': () => ({ tagName: 'div', attribs: { align: 'center' } }),
    },
  });
  return { html: cleaned, heldPictures };
}

const REMOTE = /^(?:https?:)?[\\/]{2}/i;
const SHOWN_LINK = /^(?:https?:\/\/|mailto:|tel:)/i;
const LINK_CHARS = 2_000;
/** Raster formats only: a drawing could have scripts and addresses of its own. */
const PICTURE = /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[\d+/=A-Za-z\s]*$/;

function pictureData(src: string, pictures: ReadonlyMap<string, string>): string | null {
  if (/^cid:/i.test(src)) return pictures.get(contentId(src.slice(4))) ?? null;
  return PICTURE.test(src) ? src : null;
}

/** The id of a part as an address has it: without brackets, decoded. */
export function contentId(id: string): string {
  const bare = id.trim().replace(/^<(.*)>$/, '$1');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

/** A value without functions, except colors, and without escapes that could hide one. */
const PLAIN_VALUE = /^(?=.{1,300}$)(?:[^\\<>{}@;()]|(?:rgb|hsl)a?\([\d\s.,%/deg-]*\))*$/i;
const plain = (names: readonly string[]): Record<string, RegExp[]> =>
  Object.fromEntries(names.map((name) => [name, [PLAIN_VALUE]]));

const wordsIn = (text: string): string[] => text.trim().split(/\s+/);
const TAGS = wordsIn(`
  address article aside blockquote br caption cite code col colgroup dd del details
  dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins
  kbd li main mark ol p pre q s samp section small span strike strong sub summary sup
  table tbody td tfoot th thead time tr tt u ul var wbr abbr b big bdi bdo
`);
const STYLES = wordsIn(`
  background background-color border border-bottom border-collapse border-color
  border-left border-radius border-right border-spacing border-style border-top
  border-width clear color direction float font font-family font-size font-style
  font-variant font-weight height letter-spacing line-height list-style-type margin
  margin-bottom margin-left margin-right margin-top max-width min-width padding
  padding-bottom padding-left padding-right padding-top table-layout text-align
  text-decoration text-indent text-transform vertical-align white-space width
  word-break
`);
/** What these contain is no text of the mail. */
const WITHOUT_TEXT = wordsIn(`
  applet audio canvas embed frameset head iframe math noembed noframes noscript object
  option plaintext script select style svg template textarea title video xml xmp
`);

const OPTIONS: IOptions = {
  allowedTags: TAGS,
  allowedAttributes: {
    '*': ['align', 'bgcolor', 'dir', 'height', 'lang', 'style', 'title', 'valign', 'width'],
    'col': ['span'],
    'colgroup': ['span'],
    'font': ['color', 'face', 'size'],
    'img': ['alt', 'src'],
    'ol': ['start', 'type'],
    'span': ['class'],
    'table': ['border', 'cellpadding', 'cellspacing'],
    'td': ['colspan', 'rowspan'],
    'th': ['colspan', 'rowspan', 'scope'],
  },
  allowedClasses: { span: ['held', 'link'] },
  allowedSchemes: [],
  allowedSchemesByTag: { img: ['data'] },
  allowedSchemesAppliedToAttributes: ['src', 'href', 'background', 'cite', 'longdesc'],
  allowProtocolRelative: false,
  allowedStyles: {
    '*': plain(STYLES),
  },
  nonTextTags: WITHOUT_TEXT,
  nestingLimit: 200,
};
