import sanitizeHtml from 'sanitize-html';

const SHAPES = [
  'svg',
  'g',
  'defs',
  'title',
  'desc',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'text',
  'tspan',
  'linearGradient',
  'radialGradient',
  'stop',
  'clipPath',
  'mask',
  'filter',
  'feGaussianBlur',
  'feOffset',
  'feBlend',
  'feColorMatrix',
  'feFlood',
  'feComposite',
  'feMerge',
  'feMergeNode',
];
const LOOKS = [
  'id',
  'd',
  'x',
  'y',
  'x1',
  'y1',
  'x2',
  'y2',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'fx',
  'fy',
  'dx',
  'dy',
  'width',
  'height',
  'viewBox',
  'preserveAspectRatio',
  'points',
  'transform',
  'version',
  'fill',
  'fill-rule',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-linecap',
  'stroke-linejoin',
  'stroke-miterlimit',
  'stroke-dasharray',
  'stroke-dashoffset',
  'stroke-opacity',
  'opacity',
  'clip-path',
  'clip-rule',
  'clipPathUnits',
  'mask',
  'maskUnits',
  'maskContentUnits',
  'filter',
  'filterUnits',
  'gradientUnits',
  'gradientTransform',
  'spreadMethod',
  'offset',
  'stop-color',
  'stop-opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'letter-spacing',
  'text-anchor',
  'dominant-baseline',
  'display',
  'visibility',
  'color',
  'stdDeviation',
  'in',
  'in2',
  'result',
  'mode',
  'type',
  'values',
  'operator',
  'k1',
  'k2',
  'k3',
  'k4',
  'flood-color',
  'flood-opacity',
  'color-interpolation-filters',
  'role',
  'aria-label',
  'aria-labelledby',
];
/** A reference to an element of the same image. */
const INSIDE = /^\s*url\(\s*(['"]?)#[\w.:-]+\1\s*\)\s*$/;
/** Values that could load something external, or be more than styling. */
const LEADS_OUT = /url\s*\(|:\/\/|(?:java|vb)script|data:|expression\s*\(|@import|\\/i;

/**
 * Removes the document type, so that no entity is expanded. It searches forward only, so that it
 * takes linear time for any input.
 */
function undeclared(text: string): string {
  const from = text.search(/<!DOCTYPE/i);
  const inner = text.indexOf('[', from);
  const plain = text.indexOf('>', from);
  if (from < 0) return text;
  const own = inner < 0 || (plain >= 0 && plain < inner) ? from : text.indexOf(']', inner);
  const end = own < 0 ? -1 : text.indexOf('>', own);
  return end < 0 ? text : text.slice(0, from) + text.slice(end + 1);
}

/**
 * Returns an SVG of shapes and presentation attributes only: no script, style sheet, foreign
 * content, event handler, external reference, other namespace, or element that copies others.
 * Anything not on the lists is removed. Returns null if no image remains.
 */
export function cleanSvg(text: string): string | null {
  const clean = sanitizeHtml(undeclared(text), {
    allowedTags: SHAPES,
    allowedAttributes: { '*': LOOKS, 'svg': ['xmlns'] },
    allowedSchemes: [],
    disallowedTagsMode: 'discard',
    enforceHtmlBoundary: false,
    nonTextTags: [
      'script',
      'style',
      'foreignObject',
      'iframe',
      'image',
      'metadata',
      'use',
      'textarea',
      'option',
      'noscript',
      'animate',
      'set',
    ],
    parser: {
      xmlMode: true,
      lowerCaseTags: false,
      lowerCaseAttributeNames: false,
      decodeEntities: true,
    },
    transformTags: {
      '*': (tagName, attribs) => ({
        tagName,
        attribs: {
          ...pickStyleAttributes(attribs),
          ...(tagName === 'svg' && { xmlns: 'http://www.w3.org/2000/svg' }),
        },
      }),
    },
  }).trim();
  return /^<svg[\s>]/.test(clean) &&
    clean.endsWith('</svg>') &&
    clean.includes('<', 4) &&
    !/^<svg[^>]*><\/svg>$/.test(clean)
    ? clean
    : null;
}

const pickStyleAttributes = (attribs: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attribs).filter(
      ([name, value]) => name !== 'xmlns' && (!LEADS_OUT.test(value) || INSIDE.test(value)),
    ),
  );
