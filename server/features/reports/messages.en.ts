import { defineMessages } from '#contract/i18n/messages.ts';

/** Report files and the emails with them. */
export const reportMessages = defineMessages('report-server', {
  shown: 'This email shows the first {shown, number} of {rows, number} rows.',
  shownWithFile:
    'This email shows the first {shown, number} of {rows, number} rows. All rows are in {file}.',
  sameAsFile: 'The attached file {file} has the same content.',
  why: 'You receive this email because this address is a recipient of a scheduled report.',
  subject: '{report}: {period}',
  figure: '{title}: {value}',
  attached: 'Attached: {file}',
  openAt: 'Open in the portal: {link}',
  open: 'Open in the portal',
  signature: '{provider}. {reason}',
  created: '{provider} · created {when} ({timeZone})',
  page: 'Page {page, number} of {pages, number}',
  notDue: 'Not due',
  notDueMark: '· Not due',
  dayState: '{day}: {state}',
  dayStates: '{day}: {state}, {count, number}',
  stateWithCount: '{state} ({count})',
  utcColumn: '{column} (UTC)',
  undrawn:
    "The PDF can't show some letters, so boxes replace them. The HTML and CSV files contain all letters.",
  seconds: '{seconds} s',
  minutesSeconds: '{minutes} min {seconds} s',
  minutes: '{minutes} min',
  hoursMinutes: '{hours} h {minutes} min',
});
