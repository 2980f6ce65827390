import { MOST_CUSTOMERS } from '../reports/template.ts';

export const REPORTS = {
  makeReport: 'Error while creating the report, try again later.',
  changeReport: 'Error while editing the report. Try again later.',
  removeReport: 'Error while deleting the report. Try again later.',
  sendReport: 'Error while sending the report, try again later.',
  reportsFull: (most: number): string =>
    `There are ${most} reports, which is the most. Remove one first.`,
  reportOneCompany: 'Choose the one company that this report is about.',
  reportSomeCompanies: 'Choose the companies that this report is about.',
  reportManyCompanies: `Choose up to ${MOST_CUSTOMERS} companies.`,
  reportNoCompanies: 'This report is about providers, not about companies.',
  reportNotYours: 'Choose companies that you and the owner of this report see.',
  reportNotAllowed: 'This template is not for you.',
  reportZone: 'This is not a time zone.',
  reportOwnerGone: 'The owner of this report may not send it any more. Save it to take it over.',
  reportNothingSeen: 'The owner of this report sees none of its companies any more.',
  reportNotMade: 'The report could not be made.',
  reportTooLate: 'The report took too long to make. Choose fewer companies or a shorter time.',
  reportFileTooLarge: 'The file is too large for a mail. Choose fewer companies or a shorter time.',
  reportAddressNotConfirmed:
    'The owner of this report has not confirmed this address as their own.',
} as const;
