import { getDocumentProxy } from 'unpdf';
import { isRightToLeft, joinRightToLeft, type PdfText } from './right-to-left-lines.ts';

/** Of a long document, the first pages are enough for its words. */
const MAX_PAGES = 1_000;

/**
 * Yields the texts of a PDF, page by page: what is printed, notes, and what was entered into its form.
 * What is only a picture has none. `isForPeople`: without what only helps to search.
 *
 * @throws if it isn't a PDF, or one that opens only with a password.
 */
export async function* readPdfText(
  bytes: Uint8Array,
  isForPeople = false,
): AsyncGenerator<string, void> {
  // A copy, since the library takes the bytes over. Nothing of the document is run or fetched.
  const pdf = await getDocumentProxy(bytes.slice(), {
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    stopAtErrors: false,
  });
  try {
    for (let n = 1; n <= Math.min(pdf.numPages, MAX_PAGES); n += 1) {
      const page = await pdf.getPage(n);
      const { items } = await page.getTextContent({ disableNormalization: false });
      const text = joinTexts(
        items.filter((item) => 'str' in item),
        isForPeople,
      );
      yield text;
      if (!isForPeople) yield joinHyphenated(text);
      for (const note of await page.getAnnotations()) yield getNoteText(note);
      page.cleanup();
    }
  } finally {
    await pdf.loadingTask.destroy();
  }
}

function joinTexts(texts: readonly PdfText[], isForPeople: boolean): string {
  const text = texts.map(({ str, hasEOL }) => str + (hasEOL ? '\n' : '')).join('');
  return isRightToLeft(text) ? joinRightToLeft(texts, isForPeople) : text;
}

/** The words that a line break divides. */
const joinHyphenated = (text: string): string =>
  [...text.matchAll(/(\p{L}+)[-\u00ad\u2010]\n(\p{L}+)/gu)]
    .map(([, first, second]) => `${first}${second}`)
    .join(' ');

function getNoteText(note: unknown): string {
  const { fieldValue, contentsObj } = note as {
    readonly fieldValue?: unknown;
    readonly contentsObj?: { readonly str?: unknown };
  };
  return [fieldValue, contentsObj?.str]
    .flat()
    .filter((value): value is string => typeof value === 'string')
    .join(' ');
}
