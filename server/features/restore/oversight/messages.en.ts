import { defineMessages } from '#contract/i18n/messages.ts';

/** Restores that others learn about, and their approval by a second person. */
export const oversightMessages = defineMessages('restore-oversight', {
  manyReason:
    'Enter the reason for restoring more than {max, plural, one {# item} other {# items}}.',
  recentReason:
    'With this restore, you restore more than {max, plural, one {# item} other {# items}} of this organization within 24 hours. Enter the reason.',
  operatorReason: 'Enter the reason. Another person has to approve this restore.',
  notWaiting: 'This restore no longer waits for approval.',
  ownRestore: 'Another person has to approve or reject your restore.',
  formerUser: 'A former user',

  rejected: 'Rejected by {user}: {reason}',
  withdrawn: 'Withdrawn by {user}.',
  expired: 'Nobody approved this restore in time.',

  requestedSubject: 'Restore of {organization}',
  approvalSubject: 'Restore of {organization} waits for approval',
  toOriginal:
    '{user} restores {items, plural, one {# item} other {# items}} of {organization} to the original location.',
  toOther:
    '{user} restores {items, plural, one {# item} other {# items}} of {organization} to another location: {target}.',
  undone:
    '{user} undoes a restore of {items, plural, one {# item} other {# items}} of {organization}.',
  reason: 'Reason: {reason}',
  waits: 'It starts after a second person has approved it, until {until} at the latest.',
  approveAt: 'Approve or reject it: {link}',

  approvedSubject: 'Restore of {organization} approved',
  approved: '{by} approved the restore of {organization} that {user} requested. It starts now.',
  rejectedSubject: 'Restore of {organization} rejected',
  rejectedBy: '{by} rejected the restore of {organization} that {user} requested.',
  withdrawnSubject: 'Restore of {organization} withdrawn',
  withdrawnBy: '{by} withdrew the restore of {organization} that {user} requested.',
  expiredSubject: 'Restore of {organization} expired',
  expiredAll: 'Nobody approved the restore of {organization} that {user} requested in time.',
});
