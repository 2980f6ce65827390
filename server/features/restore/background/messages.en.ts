import { defineMessages } from '#contract/i18n/messages.ts';

/** Downloads in the background: refusals, reasons and emails. */
export const backgroundMessages = defineMessages('background-downloads', {
  tooManyRunning:
    "You've reached the limit of {limit, number} downloads in preparation. Wait until one is ready, or cancel one.",
  noRoom:
    'The server has no room for this download. Delete downloads that you no longer need, or choose fewer items.',
  tooLarge: 'It is larger than {size}. Sign in again to request a download of this size.',
  diskFull: 'The disk of the server is full. Ask your administrator to free space, then try again.',
  unreadable: 'The backup could not be read for a day: {reason}',
  brokeOff:
    'The file was cut off {count, plural, one {once} other {# times}} while the server of the organization sent it: {reason}',
  gapFile: 'Missing items.csv',
  gapItem: 'Item',
  gapReason: 'Why it is missing',
  gapMissing: 'It has no backed-up content.',
  gapFailed: 'It could not be read from the backup.',
  notReady: 'This download is not ready yet.',
  ended: 'This download has ended already.',
  readySubject: 'Your download {name} is ready',
  ready:
    'Your download {name} is ready. It has {parts, plural, one {# file} other {# files}} and is deleted on {until}.',
  failedSubject: 'Your download {name} failed',
  failed: 'Your download {name} failed: {reason}',
  openAt: 'Open in the portal: {link}',
  noticeReady: 'Your download {name} is ready.',
  noticeFailed: 'Your download {name} failed.',
});
