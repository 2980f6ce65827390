import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as PdfMake from 'pdfmake';
import type { Content, TableCell, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { languageTag } from '#contract/i18n/messages.ts';
import type { ReportColumn, Report, ReportCell, ReportSection } from '#contract/reports/report.ts';
import { isNumber, getStateSign, getFormatters } from './format.ts';
import type { Words } from './format.ts';
import { PAPER } from './theme.ts';
import type { Logo, ReportTheme } from './theme.ts';
import { legend, renderMarks } from './marks.ts';
import { reportMessages as t } from '../messages.en.ts';

const require = createRequire(import.meta.url);
const FONTS = join(dirname(require.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
/** Three font sizes: headings, text, and details. */
const TITLE = 16;
const TEXT = 7.5;
const SMALL = 6.5;
const MARGIN = 34;
const BAND = 40;
const WIDE = 842;
const NARROW = 595;

/**
 * Returns a report as a PDF: the provider's banner, figures, and tables with repeated headers. It
 * loads nothing over the network.
 */
export async function reportPdf(report: Report, look: ReportTheme): Promise<Buffer> {
  const pdfmake = require('pdfmake') as typeof PdfMake;
  pdfmake.setFonts({
    DejaVu: {
      normal: join(FONTS, 'DejaVuSansCondensed.ttf'),
      bold: join(FONTS, 'DejaVuSansCondensed-Bold.ttf'),
    },
  });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => path.startsWith(FONTS));
  try {
    return await pdfmake.createPdf(getDocument(report, look)).getBuffer();
  } catch (error) {
    // A logo that cannot be drawn must not make the report fail.
    if (look.logo === null) throw error;
    return pdfmake.createPdf(getDocument(report, { ...look, logo: null })).getBuffer();
  }
}

function getDocument(report: Report, look: ReportTheme): TDocumentDefinitions {
  const words = getFormatters(report);
  const drawn = report.sections.some(({ columns }) => columns.some(({ kind }) => kind === 'days'));
  const lying = drawn || report.sections.some(({ columns }) => columns.length > 9);
  const width = lying ? WIDE : NARROW;
  const inner = width - 2 * MARGIN;
  const span = words.span(report.from, report.to - 1);
  return {
    pageSize: 'A4',
    pageOrientation: lying ? 'landscape' : 'portrait',
    pageMargins: [MARGIN, BAND + 18, MARGIN, drawn ? 46 : 34],
    info: {
      title: report.name,
      author: look.provider,
      subject: report.template,
      creator: look.provider,
      producer: look.provider,
    },
    displayTitle: true,
    language: languageTag(),
    defaultStyle: { font: 'DejaVu', fontSize: TEXT, color: PAPER.ink, lineHeight: 1.15 },
    header: (page): Content =>
      page === 1
        ? band(look, report.template, width)
        : {
            margin: [MARGIN, 20, MARGIN, 0],
            fontSize: SMALL,
            color: PAPER.ink3,
            columns: [
              { text: broken(report.name), bold: true, color: PAPER.ink2, width: '*' },
              { text: span, width: 'auto', alignment: 'right' },
            ],
          },
    footer: (page, pages): Content => ({
      margin: [MARGIN, 6, MARGIN, 0],
      fontSize: SMALL,
      color: PAPER.ink3,
      stack: [
        ...(drawn ? [legendRow()] : []),
        {
          margin: [0, drawn ? 5 : 0, 0, 0],
          columns: [
            {
              text: t.created({
                provider: look.provider,
                when: words.moment(report.madeAt),
                timeZone: report.timeZone,
              }),
              width: '*',
            },
            { text: t.page({ page, pages }), width: 'auto', alignment: 'right' },
          ],
        },
      ],
    }),
    content: [
      { text: broken(report.name), fontSize: TITLE, bold: true, lineHeight: 1.1 },
      { text: span, fontSize: TEXT + 1.5, color: PAPER.ink2, margin: [0, 2, 0, 10] },
      facts(report, words, inner),
      ...pdfNotices(report, look).map((text): Content => ({
        text,
        color: PAPER.warning,
        bold: true,
        margin: [0, 0, 0, 8],
      })),
      ...report.sections.flatMap((section) => getSection(section, words, inner)),
    ],
  };
}

/** Letters of scripts that the PDF's font does not contain: they become an empty box. */
const UNDRAWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Common}\p{Script=Inherited}]/u;

/** Returns the notices about the report, and about this PDF. */
export function pdfNotices(
  { name, notices, sections }: Report,
  { provider }: Pick<ReportTheme, 'provider'>,
): readonly string[] {
  const undrawn =
    [name, provider].some((text) => UNDRAWN.test(text)) ||
    sections.some(
      ({ title, rows }) =>
        UNDRAWN.test(title ?? '') ||
        rows.some((row) => row.some((cell) => typeof cell === 'string' && UNDRAWN.test(cell))),
    );
  return undrawn ? [...notices, t.undrawn] : notices;
}

function band(
  { provider, side, sideInk, logo }: ReportTheme,
  template: string,
  width: number,
): Content {
  const kind: Content = { text: template, alignment: 'right', margin: [0, 15, MARGIN, 0] };
  const mark: Content = logo
    ? { stack: [getLogo(logo)], margin: [MARGIN, (BAND - 24) / 2, 0, 0] }
    : { text: broken(provider), bold: true, fontSize: 11, margin: [MARGIN, 13, 0, 0] };
  return {
    layout: { ...PLAIN, fillColor: () => side, paddingLeft: () => 0, paddingRight: () => 0 },
    table: {
      widths: [width / 2, width / 2],
      heights: [BAND],
      body: [
        [
          { stack: [mark], color: sideInk },
          { stack: [kind], color: sideInk },
        ],
      ],
    },
  };
}
const getLogo = (logo: Logo): Content =>
  logo.kind === 'svg'
    ? { svg: logo.text, fit: [190, 24] }
    : { image: `data:${logo.type};base64,${logo.base64}`, fit: [190, 24] };

const legendRow = (): Content => ({
  columnGap: 12,
  columns: [
    ...legend().map(({ letter, word }) => ({
      width: 'auto' as const,
      layout: { ...PLAIN, paddingLeft: (i: number) => (i === 0 ? 0 : 3), paddingRight: () => 0 },
      table: {
        widths: [9, 'auto'],
        body: [
          [
            renderMarks(letter, 9),
            { text: word, margin: [0, 1, 0, 0] as [number, number, number, number] },
          ],
        ],
      },
    })),
    { text: '', width: '*' as const },
  ],
});
const PLAIN = {
  hLineWidth: () => 0,
  vLineWidth: () => 0,
  paddingTop: () => 0,
  paddingBottom: () => 0,
};

function facts({ facts: all }: Report, words: Words, inner: number): Content {
  if (all.length === 0) return { text: '' };
  const places = [...all, ...Array.from({ length: Math.max(0, 6 - all.length) }, () => null)];
  const wide = inner / places.length;
  return {
    margin: [0, 0, 0, 12],
    layout: RULED_ABOVE,
    table: {
      widths: places.map(() => wide - 8),
      body: [
        places.map((fact): TableCell =>
          fact === null
            ? ''
            : {
                stack: [
                  { text: words.cell(fact.kind, fact.value), fontSize: 12, bold: true },
                  { text: fact.title, fontSize: SMALL, color: PAPER.ink3 },
                ],
              },
        ),
      ],
    },
  };
}
const RULED_ABOVE = {
  hLineWidth: (i: number) => (i === 0 ? 1.2 : 0),
  vLineWidth: () => 0,
  hLineColor: () => PAPER.head,
  paddingLeft: () => 0,
  paddingRight: () => 8,
  paddingTop: () => 5,
  paddingBottom: () => 2,
};

function getSection(
  { title, columns, rows, total, none }: ReportSection,
  words: Words,
  inner: number,
): Content[] {
  if (rows.length === 0)
    return [
      ...(title === null ? [] : [{ text: broken(title), ...TITLED }]),
      { text: none, color: PAPER.ink2, margin: [0, 2, 0, 10] },
    ];
  const { widths, day } = getWidths(columns, inner);
  const body: TableCell[][] = [];
  // The title is a header row, so it is repeated on every page of its table and is never alone at
  // the end of a page.
  if (title !== null)
    body.push([
      { text: broken(title), ...TITLED, colSpan: columns.length },
      ...columns.slice(1).map(() => ''),
    ]);
  body.push(columns.map((column) => headCell(column, day)));
  const heads = body.length;
  for (const row of rows)
    body.push(columns.map((column, i) => getCell(column, row[i] ?? null, words, day)));
  if (total)
    body.push(
      columns.map((column, i) => ({
        ...textCell(column, total[i] ?? null, words, true),
        bold: true,
      })),
    );
  const last = body.length;
  const strong = (i: number): boolean => i === heads || (total !== null && i === last - 1);
  return [
    {
      margin: [0, 0, 0, 12],
      table: { headerRows: heads, dontBreakRows: true, keepWithHeaderRows: 1, widths, body },
      layout: {
        vLineWidth: () => 0,
        paddingLeft: (i) => (i === 0 ? 0 : gapBefore(columns, i)),
        paddingRight: (i) => (i === columns.length - 1 ? 0 : GAP),
        paddingTop: () => 2,
        paddingBottom: () => 2,
        hLineWidth: (i) => (i < heads || i === last ? 0 : strong(i) ? 1 : 0.4),
        hLineColor: (i) => (strong(i) ? PAPER.head : PAPER.hair),
      },
    },
  ];
}
/** Adds a gap between a right-aligned column and a left-aligned one after it. */
const gapBefore = (columns: readonly ReportColumn[], i: number): number => {
  const before = columns[i - 1];
  const own = columns[i];
  return before && own && isNumber(before) && !isNumber(own) ? 9 : GAP;
};
const longest = (title: string): number => Math.max(...title.split(' ').map((word) => word.length));
const GAP = 3;
const TITLED = { bold: true, fontSize: 9.5 };

/**
 * Returns column widths in points: numbers as wide as needed, days as wide as possible, texts share
 * the rest.
 */
function getWidths(
  columns: readonly ReportColumn[],
  inner: number,
): { readonly widths: number[]; readonly day: number } {
  const days = columns.find(({ kind }) => kind === 'days')?.days?.length ?? 0;
  const day = days === 0 ? 0 : Math.max(7.5, Math.min(13, (inner * 0.42) / days));
  const fixed = columns.map(({ kind, title }) => {
    const min = FIXED[kind];
    return kind === 'days'
      ? days * day
      : min === undefined
        ? undefined
        : Math.max(min, longest(title) * LETTER);
  });
  const padding =
    columns.reduce((all, _, i) => all + (i === 0 ? 0 : gapBefore(columns, i)), 0) +
    (columns.length - 1) * GAP;
  const left = inner - padding - fixed.reduce<number>((all, one) => all + (one ?? 0), 0);
  const parts = columns.reduce(
    (all, { wide = 1 }, i) => all + (fixed[i] === undefined ? wide : 0),
    0,
  );
  // Without a text column, all columns share the remaining width.
  return {
    widths: columns.map(
      ({ wide = 1 }, i) =>
        (fixed[i] ?? Math.max(24, (left * wide) / parts)) +
        (parts === 0 ? Math.max(0, left) / columns.length : 0),
    ),
    day,
  };
}
const FIXED: Partial<Record<ReportColumn['kind'], number>> = {
  count: 34,
  share: 38,
  bytes: 42,
  seconds: 48,
  moment: 76,
  state: 56,
  day: 62,
};
/** The width of a header letter in points. */
const LETTER = 4;

function headCell(column: ReportColumn, day: number): TableCell {
  const style = { fontSize: SMALL, color: PAPER.ink3, bold: true };
  if (column.kind !== 'days')
    return { text: column.title, ...style, alignment: isNumber(column) ? 'right' : 'left' };
  return {
    ...style,
    bold: false,
    fontSize: day < 9 ? 5 : SMALL - 0.5,
    columnGap: 0,
    columns: (column.days ?? []).map((date) => ({
      text: String(Number(date.slice(8))),
      width: day,
      alignment: 'center',
      noWrap: true,
    })),
  };
}

const getCell = (column: ReportColumn, value: ReportCell, words: Words, day: number): TableCell =>
  value !== null && typeof value === 'object'
    ? renderMarks(value.states, day)
    : textCell(column, value, words, false);

function textCell(
  column: ReportColumn,
  value: ReportCell,
  words: Words,
  sum: boolean,
): { text: string; alignment: 'left' | 'right'; color?: string; bold?: boolean } {
  const word = value === null && sum ? '' : words.cell(column.kind, value);
  const state =
    column.kind === 'state' && typeof value === 'string' ? STATE_INKS[value] : undefined;
  const text =
    column.kind === 'state' && typeof value === 'string' ? `${getStateSign(value)} ${word}` : word;
  // A bad number is highlighted by color; the column header names it.
  const bad =
    column.kind === 'count' && BAD.has(column.id) && typeof value === 'number' && value > 0;
  return {
    text: column.kind === 'text' ? broken(text) : text,
    alignment: isNumber(column) ? 'right' : 'left',
    ...(state !== undefined && { color: state }),
    ...(bad && { color: PAPER.failed, bold: true }),
  };
}
const BAD = new Set(['failed', 'missed']);
const STATE_INKS: Readonly<Record<string, string>> = {
  Failed: PAPER.failed,
  Error: PAPER.failed,
  Missed: PAPER.missed,
  Anomaly: PAPER.anomaly,
  Warning: PAPER.warning,
  Running: PAPER.running,
  Success: PAPER.success,
};

/**
 * A word without spaces can be wider than its column, so it can break after every twelve letters.
 */
const broken = (text: string): string =>
  text.replace(/[^\s\u200b]{13,}/gu, (word) => word.replace(/(.{12})(?=.)/gu, '$1\u200b'));
