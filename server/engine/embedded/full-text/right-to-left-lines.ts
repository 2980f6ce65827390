/** A text of a PDF as its reader gives it: in the order of reading, however its letters are printed. */
export interface PdfText {
  readonly str: string;
  /** A matrix: two lengths, two heights, and where it begins at the left and above the bottom. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

/** Letters of the scripts, without their digits, which go from the left to the right. */
const RIGHT_TO_LEFT = /[\u0590-\u065f\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Letters as they look within a word, and ligatures, each as one character. */
const ARABIC_LIGATURE = /\u0644\u0627|[\ufef5-\ufefc]/;
/** What separates words is wider, in heights of letters. */
const MIN_SPACE = 0.12;
/** Letters of a line are less far apart, in heights of letters. */
const MAX_LINE_STEP = 0.3;

export const isRightToLeft = (text: string): boolean => RIGHT_TO_LEFT.test(text);

/**
 * Returns the lines of a page with Hebrew or Arabic text. Programs print its letters each on its own,
 * from the left or from the right: words are put together by where their letters are. `isForPeople`:
 * without second forms of words, which only help to search.
 */
export function joinRightToLeft(texts: readonly PdfText[], isForPeople = false): string {
  const printed = texts.filter(({ str }) => str.trim() !== '');
  const lines = groupLines(printed).map((line) =>
    line.some(({ str }) => isRightToLeft(str))
      ? joinLine(line)
      : line.map(({ str }) => str).join(' '),
  );
  const text = lines.join('\n');
  return isForPeople || ARABIC_LIGATURE.test(printed.map(({ str }) => str).join('\n'))
    ? text
    : `${text}\n${swapLigatures(text)}`;
}

function groupLines(texts: readonly PdfText[]): readonly (readonly PdfText[])[] {
  const lines: PdfText[][] = [];
  let bottom = Number.NaN;
  for (const text of texts.toSorted((a, b) => getY(b) - getY(a))) {
    if (Math.abs(getY(text) - bottom) <= MAX_LINE_STEP * text.height) lines.at(-1)?.push(text);
    else {
      lines.push([text]);
      bottom = getY(text);
    }
  }
  return lines;
}

const getX = ({ transform }: PdfText): number => transform[4] ?? 0;
const getY = ({ transform }: PdfText): number => transform[5] ?? 0;

/** From the right to the left, but numbers and words of other scripts from the left to the right. */
function joinLine(line: readonly PdfText[]): string {
  const sorted = line.toSorted((a, b) => getX(b) - getX(a));
  const parts: string[] = [];
  /** Texts of another script, the last one first. */
  let others: string[] = [];
  const add = (part: string, isOther: boolean): void => {
    if (isOther) others.unshift(part);
    else {
      parts.push(...others, part);
      others = [];
    }
  };
  let before: PdfText | null = null;
  for (const text of sorted) {
    const isOther = !isRightToLeft(text.str);
    const isApart =
      before !== null &&
      getX(before) - getX(text) - text.width > MIN_SPACE * Math.max(text.height, before.height);
    if (isApart) add(' ', isOther && others.length > 0);
    add(text.str.normalize('NFKC'), isOther);
    before = text;
  }
  return [...parts, ...others].join('');
}

/**
 * Lam and alef are printed as one sign. Programs that say which two letters it is have them in the
 * order of reading, and the reader of the PDF turns them around with all others. On a page on which
 * they are nowhere in their order, each word has a second form.
 */
const swapLigatures = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => word.includes('\u0627\u0644'))
    .flatMap((word) => {
      const inner = word.slice(0, 1) + word.slice(1).replaceAll('\u0627\u0644', '\u0644\u0627');
      return word.startsWith('\u0627\u0644')
        ? [inner, word.replaceAll('\u0627\u0644', '\u0644\u0627')]
        : [inner];
    })
    .join(' ');
