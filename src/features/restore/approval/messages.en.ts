import { defineMessages } from '#contract/i18n/messages.ts';

export const restoreApprovalMessages = defineMessages('restoreApproval', {
  waiting:
    '{count, plural, one {# restore waits for approval} other {# restores wait for approval}}.',
  show: 'Show waiting restores',
  title: 'Waiting for approval',
  none: 'No restores are waiting',
  approve: 'Approve',
  reject: 'Reject',
  approveTitle: 'Approve restore',
  rejectTitle: 'Reject restore',
  reason: 'Reason',
  reasonHint: 'The person who requested the restore and the customer can read it.',
  reasonNeeded: 'Enter a reason.',
  approved: 'Restore approved',
  rejected: 'Restore rejected',
  rightsTitle: 'Sign in to start the restore',
  requested: '{user} requested {items, plural, one {# item} other {# items}}.',
  target: 'To {target}',
  why: 'Reason: {reason}',
  until: 'Expires {when}',
  ownRequest: 'Another person has to approve it.',
  approvedBy: 'Approved by {user}: {reason}',
  rejectedBy: 'Rejected by {user}: {reason}',
  withdrawnBy: 'Withdrawn by {user}',
  expired: 'Expired without approval',
  needsNetwork: "You're offline. Reconnect to approve or reject restores.",
});
