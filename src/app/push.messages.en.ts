import { defineMessages } from '#contract/i18n/messages.ts';

export const pushMessages = defineMessages('push', {
  blocked:
    "Your browser blocks notifications from this site. Allow them in the browser's site settings, then try again.",
  notAllowed: "Notifications weren't allowed. Try again and choose “Allow”.",
  noPushService:
    "Your browser couldn't reach its push service. A firewall or the browser's settings may block it.",
  noStorage:
    "Your browser stores nothing for this site, for example in a private window. It can't receive notifications.",
});
