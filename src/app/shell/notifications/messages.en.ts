import { defineMessages } from '#contract/i18n/messages.ts';

export const noticeBarMessages = defineMessages('noticeBar', {
  notices: 'Notices',
  severityAndMessage: '{severity} {message}',
  info: 'Notice.',
  success: 'Good news.',
  warning: 'Warning.',
  error: 'Error.',
  readMore: 'Read more',
  createLink: 'Create link',
  copyLink: 'Copy link',
  copyBlocked: "Your browser didn't allow copying. Open the link and copy its address.",
  gotIt: 'Got it',
  closeUntilReload: 'Close until you reload the page',
  inviteFirst: 'Invite a user: create a link that registers one person within seven days.',
  invite: 'Invite a user: this link registers one person within seven days.',
});
