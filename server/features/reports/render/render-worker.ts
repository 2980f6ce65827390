/**
 * The thread that renders a report to a file. It receives text and numbers, returns bytes, and
 * reads only its own fonts.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { chooseLanguage } from '#contract/i18n/languages.ts';
import { setLanguage } from '#contract/i18n/messages.ts';
import type { Report } from '#contract/reports/report.ts';
import type { ReportFormat } from '#contract/reports/setting.ts';
import { reportCsv } from './csv.ts';
import { reportHtml } from './html.ts';
import type { ReportTheme } from './theme.ts';
import { reportPdf } from './pdf.ts';

export interface RenderRequest {
  readonly report: Report;
  readonly look: ReportTheme;
  readonly format: ReportFormat;
  /** The tag of the language of the file's texts. */
  readonly language: string;
}

if (parentPort !== null) {
  const bytes = new Uint8Array(await rendered(workerData as RenderRequest));
  parentPort.postMessage(bytes, [bytes.buffer]);
}

async function rendered({ report, look, format, language }: RenderRequest): Promise<Buffer> {
  setLanguage(chooseLanguage([language]));
  switch (format) {
    case 'pdf':
      return reportPdf(report, look);
    case 'html':
      return Buffer.from(reportHtml(report, look), 'utf8');
    case 'csv':
      return Buffer.from(reportCsv(report), 'utf8');
  }
}
