import { defineMessages } from '#contract/i18n/messages.ts';

export const spanMessages = defineMessages('span', {
  today: 'Today',
  yesterday: 'Yesterday',
  lastDay: 'Last day',
  chooseDays: 'Choose days',
  lastXDays: 'Last X Days',
  showDays: 'Show days',
  firstDay: 'First day',
  numberOfDays: 'Number of days, including today',
  show: 'Show',
  chooseDaysOption: 'Choose days…',
  lastXDaysOption: 'Last X Days…',

  lastDays: 'Last {count} Days',
  thisMonth: 'This Month',
  thisQuarter: 'This Quarter',
  thisYear: 'This Year',
  lastMonth: 'Last Month',
  lastQuarter: 'Last Quarter',
  lastYear: 'Last Year',
  range: '{from} to {to}',
  days: 'Days',
});
