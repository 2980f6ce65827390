import { defineMessages } from './i18n/messages.ts';

/** What a text should look like, where its schema has a pattern: "Expected …". */
export const schemaMessages = defineMessages('schemas', {
  companyNumber: 'the number of a company',
  pageRows: 'a whole number from 1 to 9999',
  offset: 'a whole number from 0 to 9999999',
  wholeFromOne: 'a whole number from 1',
  fewDigits: 'a whole number of up to four digits',
  moment: 'a time in milliseconds, or such as 2026-11-30T07:30:00.000Z',
  timeOfDay: 'a time such as 07:30',
  month: 'a month such as 2026-11',
  backupWindow: '168 hours, each 0 or 1',
  thumbprint: 'a thumbprint of 40 hexadecimal digits',
  storageAddress: 'an address without a path, such as https://s3.example.com',
  region: 'a region such as eu-central-1',
  bucket: 'the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens',
  prefix: 'up to five names with / between them',
  importedMailbox: 'the id of an imported mailbox or drive',
  host: 'the name or address of a host',
  serverId: 'an id of up to 100 letters, digits, hyphens and underscores',
  serverPath: 'a full path such as D:\\Backups or /backups',
  digits: 'digits',
  remoteId: 'an id of up to 20 letters, digits and underscores',
  stripeId: 'an id of up to 100 letters, digits, hyphens and underscores',
  webAddress: 'an address that begins with https:// or http://',
});
