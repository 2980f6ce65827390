import { defineMessages } from '#contract/i18n/messages.ts';

export const restoreDownloadMessages = defineMessages('restoreDownload', {
  download: 'Download',
  downloadHint: 'Downloads are recorded.',
  started: 'Download of {name} started ({size}).',
  missing:
    '{count, plural, one {# item has} other {# items have}} no backed-up content and {count, plural, one {is} other {are}} not in the file.',
});
