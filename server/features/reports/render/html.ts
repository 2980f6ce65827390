import { languageTag } from '#contract/i18n/messages.ts';
import { cellOfLetter, LETTERS } from '#contract/reports/report.ts';
import type { ReportColumn, Report, ReportCell, ReportSection } from '#contract/reports/report.ts';
import { STATE_WORDS } from '#contract/reports/report.messages.en.ts';
import { isNumber, getStateSign, getFormatters } from './format.ts';
import type { Words } from './format.ts';
import { PAPER } from './theme.ts';
import type { ReportTheme } from './theme.ts';
import { reportMessages as t } from '../messages.en.ts';
import { DARK, LIGHT } from '#contract/branding/palette.ts';

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** Colors between light and dark, so that they are readable on both. */
const INKS: Readonly<Record<string, string>> = {
  Failed: PAPER.failedMark,
  Error: PAPER.failedMark,
  Missed: PAPER.off,
  Anomaly: PAPER.anomalyMark,
  Warning: PAPER.warningMark,
  Running: PAPER.runningMark,
  Success: PAPER.successMark,
  off: PAPER.off,
};
const session = (state: string): string =>
  `<b style="color:${INKS[state] ?? PAPER.off}">${getStateSign(state)}</b>`;
const FONT = 'font-family:system-ui,-apple-system,&quot;Segoe UI&quot;,Helvetica,Arial,sans-serif';

/**
 * Returns a report as one self-contained page without images, scripts or links. It defines its own
 * colors for light and dark, and stays readable if a mail program removes the style sheet. A report
 * with very many cells, which no email shows completely, is styled only by its style sheet, so that
 * it is small enough to send. Every name is escaped.
 */
export function reportHtml(
  report: Report,
  { provider, side, sideInk }: Pick<ReportTheme, 'provider' | 'side' | 'sideInk'>,
  foot = '',
): string {
  const words = getFormatters(report);
  const drawn = report.sections.some(({ columns }) => columns.some(({ kind }) => kind === 'days'));
  const hand = cellsIn(report) > MANY ? SHORT : LONG;
  return `<!doctype html>
<html lang="${languageTag()}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escaped(report.name)}</title><style>${STYLE}${hand.style}</style></head>
<body class="page" style="margin:0;background:${LIGHT.paper};color:${LIGHT.ink};${FONT};font-size:14px;line-height:1.4">
<div style="background:${side};color:${sideInk};padding:12px 20px;font-weight:600">${escaped(provider)}<span style="float:right;font-weight:400">${escaped(report.template)}</span></div>
<div style="padding:16px 20px;max-width:1200px">
<h1 style="font-size:22px;line-height:1.2;margin:0 0 4px">${escaped(report.name)}</h1>
<p class="soft" style="margin:0 0 16px;color:${LIGHT.ink2}">${escaped(words.span(report.from, report.to - 1))}</p>
<table role="presentation" class="rule" style="border-collapse:collapse;border-top:2px solid ${LIGHT.ink};margin:0 0 16px"><tr>${report.facts
    .map(
      ({ title, kind, value }) =>
        `<td style="padding:8px 24px 0 0;vertical-align:top"><div style="font-size:20px;font-weight:600">${escaped(words.cell(kind, value))}</div><div class="soft" style="font-size:12px;color:${LIGHT.ink2}">${escaped(title)}</div></td>`,
    )
    .join('')}</tr></table>
${report.notices.map((text) => `<p style="font-weight:600">${escaped(text)}</p>`).join('\n')}
${report.sections.map((section) => getSection(section, words, hand)).join('\n')}
${
  drawn
    ? `<p class="soft" style="font-size:12px;color:${LIGHT.ink2}">${Object.entries(STATE_WORDS)
        .filter(([state]) => state !== 'Error')
        .map(
          ([state, word]) =>
            `<span style="white-space:nowrap;margin-right:14px">${session(state)} ${escaped(word)}</span>`,
        )
        .join(' ')}<span style="white-space:nowrap">${escaped(t.notDueMark)}</span></p>`
    : ''
}
<p class="soft" style="font-size:12px;color:${LIGHT.ink2}">${escaped(t.created({ provider, when: words.moment(report.madeAt), timeZone: report.timeZone }))}</p>${foot}
</div></body></html>
`;
}

/** For mail programs that support style sheets. The inline styles are for those that do not. */
const STYLE = `@media (prefers-color-scheme:dark){.page{background:${DARK.paper}!important;color:${DARK.ink}!important}.soft,.page th{color:${DARK.ink2}!important}.rule,.page th{border-color:${DARK.head}!important}.page td.c{border-color:${DARK.hair}!important}}@media print{tr{break-inside:avoid}thead{display:table-header-group}}`;

function getSection(
  { title, columns, rows, total, none }: ReportSection,
  words: Words,
  hand: Hand,
): string {
  const head =
    title === null ? '' : `<h2 style="font-size:16px;margin:20px 0 6px">${escaped(title)}</h2>`;
  if (rows.length === 0)
    return `${head}<p class="soft" style="color:${LIGHT.ink2}">${escaped(none)}</p>`;
  const heads = columns.flatMap((column) =>
    column.kind === 'days'
      ? (column.days ?? []).map((date) => hand.head(String(Number(date.slice(8))), 'center'))
      : [hand.head(escaped(column.title), isNumber(column) ? 'right' : 'left')],
  );
  return `${head}<div style="overflow-x:auto"><table${hand.table} style="border-collapse:collapse;width:100%;font-size:13px"><thead><tr>${heads.join('')}</tr></thead><tbody>
${rows.map((row) => `<tr>${columns.map((column, i) => cells(column, row[i] ?? null, words, false, hand)).join('')}${hand.end}`).join('\n')}
${total ? `<tr style="font-weight:600">${columns.map((column, i) => cells(column, total[i] ?? null, words, true, hand)).join('')}</tr>` : ''}</tbody></table></div>`;
}

function cells(
  column: ReportColumn,
  value: ReportCell,
  words: Words,
  sum: boolean,
  hand: Hand,
): string {
  if (column.kind === 'days') {
    const days = column.days ?? [];
    if (value === null || typeof value !== 'object') return hand.gap(days.length);
    return days
      .map((date, i) => {
        const cell = cellOfLetter(value.states[i] ?? '');
        const bad = value.bad?.[i] ?? 0;
        const values = { day: date, state: cell === null ? t.notDue : STATE_WORDS[cell] };
        const said = bad > 0 ? t.dayStates({ ...values, count: bad }) : t.dayState(values);
        return hand.day(cell ?? '', escaped(said));
      })
      .join('');
  }
  const word = value === null && sum ? '' : escaped(words.cell(column.kind, value));
  const text =
    column.kind === 'state' && typeof value === 'string' ? `${session(value)} ${word}` : word;
  return hand.cell(text, column);
}

type Side = 'left' | 'right' | 'center';
/** Writes cells. `day`: the cell of a state, with its text. `end`: the end of a row. */
interface Hand {
  readonly style: string;
  readonly table: string;
  readonly end: string;
  head(inner: string, side: Side): string;
  cell(inner: string, column: ReportColumn): string;
  day(state: string, said: string): string;
  gap(days: number): string;
}

/** More day cells than an email shows. */
const MANY = 10_000;
const cellsIn = ({ sections }: Report): number =>
  sections.reduce(
    (all, { columns, rows }) =>
      all + rows.length * columns.reduce((days, column) => days + (column.days?.length ?? 0), 0),
    0,
  );

const td = (inner: string, style: string, more = ''): string =>
  `<td class="c"${more} style="border-bottom:1px solid ${LIGHT.hair};padding:4px 6px;vertical-align:top;${style}">${inner}</td>`;
/** Each cell with inline styles. */
const LONG: Hand = {
  style: '',
  table: '',
  end: '</tr>',
  gap: (days) => td('', '', ` colspan="${days}"`),
  day: (state, said) => td(session(state), 'text-align:center;padding:4px 2px', ` title="${said}"`),
  head: (inner, side) =>
    `<th scope="col" style="text-align:${side};font-size:12px;font-weight:600;color:${LIGHT.ink2};border-bottom:2px solid ${LIGHT.ink};padding:4px ${side === 'center' ? '2px' : '6px'};vertical-align:bottom">${inner}</th>`,
  cell: (inner, column) =>
    td(
      inner,
      isNumber(column)
        ? 'text-align:right;white-space:nowrap'
        : column.kind === 'text'
          ? `overflow-wrap:anywhere;min-width:${Math.round(110 * (column.wide ?? 1))}px`
          : 'white-space:nowrap',
    ),
};

const LETTER_OF: Readonly<Record<string, string>> = { ...LETTERS, '': 'u' };
/**
 * Cells with classes, without the optional end tags. Days with success or without a due run have no
 * tooltip, because the legend explains them.
 */
const SHORT: Hand = {
  style: `.z th{text-align:left;font-size:12px;font-weight:600;color:${LIGHT.ink2};border-bottom:2px solid ${LIGHT.ink};padding:4px 6px;vertical-align:bottom}.z .h{text-align:center;padding:4px 2px}.z td{border-bottom:1px solid ${LIGHT.hair};padding:4px 6px;vertical-align:top;white-space:nowrap}.z .t{overflow-wrap:anywhere;white-space:normal;min-width:110px}.z .n{text-align:right}${Object.entries(
    LETTER_OF,
  )
    .map(
      ([state, letter]) =>
        `.z .${letter}{text-align:center;padding:4px 2px;font-weight:700;color:${INKS[state] ?? PAPER.off}}`,
    )
    .join('')}@media (prefers-color-scheme:dark){.page .z td{border-color:${DARK.hair}}}`,
  table: ' class="z"',
  end: '',
  head: (inner, side) =>
    `<th scope=col${side === 'left' ? '' : ` class=${side === 'right' ? 'n' : 'h'}`}>${inner}`,
  gap: (days) => `<td colspan=${days}>`,
  day: (state, said) =>
    `<td class=${LETTER_OF[state] ?? 'u'}${state === 'Success' || state === '' ? '' : ` title="${said}"`}>${getStateSign(state)}`,
  cell: (inner, column) =>
    `<td${isNumber(column) ? ' class=n' : column.kind === 'text' ? ' class=t' : ''}>${inner}`,
};
