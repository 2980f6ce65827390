import type { Figures, FiguresName } from './figures.ts';
import type { Body } from './report.ts';

/** In the order in which they are offered. */
export const TEMPLATE_KEYS = [
  'calendarReportFull',
  'calendarReportBasic',
  'calendarReportCompanyFull',
  'calendarReportSummary',
  'sspCalendarReportSummary',
  'calendarReportCompanySummary',
  'detailReport',
  'licenseStorageReport',
  'multiCustomerReportSummary',
  'multiCustomerReportDetails',
] as const;
export type TemplateKey = (typeof TEMPLATE_KEYS)[number];

/**
 * The companies that a report needs. `any`: any number, and an empty list means all companies that
 * its owner can see. `one`: exactly one. `some`: 1 to `MAX_CUSTOMERS`. `none`: the report is about
 * providers.
 */
export type Customers = 'any' | 'one' | 'some' | 'none';
export const MAX_CUSTOMERS = 30;

export interface TemplateAbout {
  readonly key: TemplateKey;
  readonly prettyName: string;
  readonly description: string;
  /** The template's part of a file name. */
  readonly templateName: string;
  readonly customers: Customers;
}
/** `body` is pure: the same figures yield the same report. */
export interface Template<N extends FiguresName = FiguresName> extends TemplateAbout {
  readonly figures: N;
  body(figures: Figures[N]): Body;
}
