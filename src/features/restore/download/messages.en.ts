import { defineMessages } from '#contract/i18n/messages.ts';

export const restoreDownloadMessages = defineMessages('restoreDownload', {
  title: 'Download',
  download: 'Download',
  downloadHint: 'Downloads are recorded.',
  format: 'Format',
  zip: 'ZIP',
  zipHint:
    'Mails are .eml files, events and tasks .ics files, contacts .vcf files. A single item is downloaded as it is.',
  pst: 'PST',
  pstHint:
    'One file for mail programs, with mails, calendars, contacts and tasks. Independent programs read it completely. It has not been tested with Outlook itself.',
  mbox: 'mbox',
  msg: 'MSG',
  msgHint:
    'One file in the format of Outlook for each mail, several in a ZIP file. It has not been tested with Outlook itself.',
  mboxHint: 'One mbox file for each mail folder, in a ZIP file.',
  zipHintServer: 'A single file is downloaded as it is, several in a ZIP file.',
  pstHintServer:
    'One file for mail programs. The Veeam server of the organization makes it, and needs Outlook for it.',
  mboxHintServer: 'One mbox file for each mail folder, in a ZIP file.',
  msgHintServer:
    'One file in the format of Outlook for each item. The Veeam server of the organization makes them.',
  backgroundServer:
    'The Veeam server of the organization makes the file. You get an email when it is ready. It is stored for 7 days.',
  count: '{count, plural, one {# item} other {# items}}',
  many: 'More than {count, number} items',
  teamsHintServer:
    'A single file is downloaded as it is, and a single post as an MSG file. Everything else is in a ZIP file.',
  teamsHint:
    'A single file is downloaded as it is, everything else in a ZIP file. It has posts with their replies as HTML and JSON, and tabs as JSON.',
  measuring: 'Measuring…',
  size: '{count, plural, one {# item} other {# items}}, {size}',
  about: '{count, plural, one {# item} other {# items}}, about {size}',
  background: 'Prepare in the background',
  backgroundHint: 'You get an email when the file is ready. It is stored for 7 days.',
  backgroundForced: 'Files of this format are always prepared in the background.',
  offline: "You're offline. Reconnect to download.",
  started: 'Download of {name} started ({size}).',
  preparing: '{name} is being prepared.',
  openDownloads: 'Open Downloads',
  missing:
    '{count, plural, one {# item has} other {# items have}} no backed-up content and {count, plural, one {is} other {are}} not in the file.',
});
