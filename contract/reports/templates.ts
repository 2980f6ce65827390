import { calendarReportBasic } from './calendar-report-basic.ts';
import { calendarReportCompanyFull } from './calendar-report-company-full.ts';
import { calendarReportCompanySummary } from './calendar-report-company-summary.ts';
import { calendarReportFull } from './calendar-report-full.ts';
import { calendarReportSummary } from './calendar-report-summary.ts';
import { detailReport } from './detail-report.ts';
import { licenseStorageReport } from './license-storage-report.ts';
import { multiCustomerReportDetails } from './multi-customer-report-details.ts';
import { multiCustomerReportSummary } from './multi-customer-report-summary.ts';
import { sspCalendarReportSummary } from './ssp-calendar-report-summary.ts';
import type { TemplateKey } from './template.ts';

export const TEMPLATES = {
  calendarReportFull,
  calendarReportBasic,
  calendarReportCompanyFull,
  calendarReportSummary,
  sspCalendarReportSummary,
  calendarReportCompanySummary,
  detailReport,
  licenseStorageReport,
  multiCustomerReportSummary,
  multiCustomerReportDetails,
} as const satisfies Readonly<Record<TemplateKey, unknown>>;
