import { defineMessages } from '../i18n/messages.ts';

export const REPORTS = defineMessages('reportFailures', {
  makeReport: 'Error while creating the report, try again later.',
  changeReport: 'Error while editing the report. Try again later.',
  removeReport: 'Error while deleting the report. Try again later.',
  sendReport: 'Error while sending the report, try again later.',
  reportsFull: "You've reached the limit of {max} reports. Remove one to add another.",
  reportOneCompany: 'Select the company that this report covers.',
  reportSomeCompanies: 'Select the companies that this report covers.',
  reportManyCompanies: 'Select up to {max} companies.',
  reportNoCompanies: 'This report covers providers, not companies.',
  reportNotYours: "Select companies that both you and the report's owner can see.",
  reportNotAllowed: "You don't have access to this template.",
  reportZone: "This time zone doesn't exist.",
  reportOwnerGone: "This report's owner can no longer send it. Save it to become its owner.",
  reportNothingSeen: "This report's owner no longer has access to any of its companies.",
  reportNotMade: "The report couldn't be created.",
  reportTooLate: 'The report took too long to create. Select fewer companies or a shorter period.',
  reportFileTooLarge:
    'The file is too large for an email. Select fewer companies or a shorter period.',
  reportAddressNotConfirmed: "The report's owner hasn't confirmed this email address.",
});
