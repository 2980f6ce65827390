import { withoutBidi } from '#contract/bidi.ts';
import { firstRows, rowsIn } from '#contract/reports/report.ts';
import type { Report } from '#contract/reports/report.ts';
import { getFormatters } from './render/format.ts';
import { escaped, reportHtml } from './render/html.ts';
import type { ReportTheme } from './render/theme.ts';
import { reportMessages as t } from './messages.en.ts';
import { LIGHT } from '#contract/branding/palette.ts';

/** Mail programs cut longer emails. */
const MAX_CHARS = 90_000;
/** The number of rows in an email that does not contain the whole report. */
const FEW = 25;

/**
 * Returns the email for a report: the figures and the first rows, or the whole report if it is
 * short. `fileName` is null if no file is attached.
 */
export function reportMail(
  report: Report,
  look: ReportTheme,
  fileName: string | null,
  portal: string | null,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const words = getFormatters(report);
  const span = words.span(report.from, report.to - 1);
  const rows = rowsIn(report);
  const link = portal === null ? null : `${portal}/monitoring/report-settings`;
  const said = (shown: number): readonly string[] => [
    ...(shown < rows
      ? [
          fileName === null
            ? t.shown({ shown, rows })
            : t.shownWithFile({ shown, rows, file: fileName }),
        ]
      : fileName === null
        ? []
        : [t.sameAsFile({ file: fileName })]),
    t.why,
  ];
  const html = (shown: Report): string =>
    reportHtml(shown, look, renderFooter(said(rowsIn(shown)), link));
  const whole = rows <= 400 ? html(report) : null;
  return {
    subject: withoutBidi(t.subject({ report: report.name, period: span })).replace(
      /[\p{Cc}\u2028\u2029]+/gu,
      ' ',
    ),
    text: [
      report.name,
      span,
      '',
      ...report.facts.map(({ title, kind, value }) =>
        t.figure({ title, value: words.cell(kind, value) }),
      ),
      ...(report.notices.length > 0 ? ['', ...report.notices] : []),
      '',
      ...(fileName === null ? [] : [t.attached({ file: fileName })]),
      ...(link === null ? [] : [t.openAt({ link })]),
      '',
      t.signature({ provider: look.provider, reason: t.why }),
      '',
    ].join('\n'),
    html: whole !== null && whole.length <= MAX_CHARS ? whole : html(firstRows(report, FEW)),
  };
}

const renderFooter = (lines: readonly string[], link: string | null): string =>
  [
    ...lines.map(
      (line) =>
        `<p class="soft" style="font-size:12px;color:${LIGHT.ink2};margin:4px 0">${escaped(line)}</p>`,
    ),
    ...(link === null
      ? []
      : [`<p><a href="${escaped(link)}" style="color:inherit">${escaped(t.open)}</a></p>`]),
  ].join('\n');
