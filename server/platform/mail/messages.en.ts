import { defineMessages } from '#contract/i18n/messages.ts';

/** Why a message was not sent, and the operator's outbox page. */
export const deliveryMessages = defineMessages('delivery', {
  addressNotValid: 'The address or the subject is not valid.',
  mailRefused: '{host} refused the mail ({code}).',
  smsRefused: 'The gateway refused the message ({status}).',
  smsRefusedWith: 'The gateway refused the message ({status}, {code}).',
  tlsRequired: 'Emails require TLS unless the operator of this server allows unencrypted email.',
  attachmentExpired: 'The attachment of this email has expired.',
  noGateway: 'No gateway is set up.',
  failed: "The message couldn't be read or sent.",

  title: 'Outbox',
  intro:
    'Emails and text messages without a gateway in the settings of their provider. Only a browser on the server itself opens this page. Messages are stored for seven days.',
  reload: 'Load again',
  asOf: 'As of {time}',
  empty: 'No messages',
  textMessage: 'Text message',
  mailTo: 'Mail to',
  smsTo: 'SMS to',
  from: 'From',
  written: 'Written',
});
