import { defineMessages } from '#contract/i18n/messages.ts';

/** How figures compare with the previous period. */
export const chartMessages = defineMessages('charts', {
  pointsHigher: '+{points} pts',
  pointsLower: '−{points} pts',
  more: '+{count}',
  fewer: '−{count}',
  noChange: 'No change',
  nothingToCompare: 'Nothing to compare',
  noPreviousPeriod: 'No previous period',
  comparedWith: 'Compared with the previous {days, plural, one {day} other {# days}}',
  previousNotStored:
    'Not compared: the previous {days, plural, one {day is} other {# days are}} only partly stored on this device',
  previousEmpty:
    'Not compared: nothing ran on the previous {days, plural, one {day} other {# days}}',
  column:
    '{days}: {failed, number} failed, {missed, number} did not run, {warnings, plural, one {# warning} other {# warnings}}, {good, number} succeeded',
  columnWithoutResults: '{days}: no results',
  companies: '{count, plural, one {# company} other {# companies}}',
  jobs: '{count, plural, one {# job} other {# jobs}}',
});
