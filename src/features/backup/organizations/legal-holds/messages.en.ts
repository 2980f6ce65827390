import { defineMessages } from '#contract/i18n/messages.ts';

/** Legal holds of an organization. */
export const legalHoldMessages = defineMessages('legal-holds', {
  title: 'Legal holds',
  none: 'None. While a person, site or team is on legal hold, none of its backups is removed. A hold on a site includes the sites below it.',
  place: 'Place a legal hold',
  release: 'Release',
  releaseTitle: 'Release the legal hold on {name}',
  releaseHint: 'The next clean-up removes what is older than the retention.',
  user: 'Person',
  site: 'Site',
  team: 'Team',
  kind: 'On a',
  name: 'Name',
  searchByName: 'Search by name',
  chosen: 'Chosen: {name}',
  nothingChosen: 'Choose one.',
  reason: 'Reason',
  reasonHint: 'Administrators of this organization see it.',
  reasonNeeded: 'Enter a reason.',
  until: 'Until the end of this day',
  untilHint:
    'Leave it empty if the hold has no end. Clean-ups extend Object Lock by up to 30 days, not past this day.',
  untilInvalid: 'Choose a day that is not over.',
  placedBy: 'Placed on {day} by {name}',
  placed: 'Placed on {day}',
  endsOn: 'Ends on {day}',
  ended: 'Ended on {day}',
  noEnd: 'No end',
  placedToast: 'Legal hold placed',
  releasedToast: 'Legal hold released',
});
