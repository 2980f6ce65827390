import { defineMessages } from '#contract/i18n/messages.ts';

/** Results of testing a gateway, and the messages that test it. */
export const gatewayMessages = defineMessages('gateways', {
  noDirectory: 'Set up a directory first.',
  noDirectoryPassword: "Set the service account's password first.",
  directoryWorks: 'The directory works, and the service account sees its users.',
  directoryWithoutUsers:
    'The directory responds, but the service account sees no users below the base DN.',
  directoryAccountRefused: 'The directory refused the service account.',
  directoryBaseUnknown: "The directory doesn't have this base DN.",
  directoryRefused: 'The directory refused the request ({code}).',
  noIssuer: 'Set up an issuer first.',
  issuerWithoutSecret:
    'The issuer responds. Without a client secret, register this portal there as a public client.',
  issuerWorks:
    'The issuer responds. Whether this portal is registered there shows at the first sign-in.',
  noMailServer: 'Set up a mail server and its password first.',
  noEmail: 'Add an email address to your profile first.',
  mailSubject: 'Test email from {portal}',
  mail: 'This is a test. {portal} can send email.',
  mailSent: 'We sent an email to {address}.',
  noSmsGateway: 'Set up an SMS gateway and its token first.',
  noPhone: 'Add a mobile phone number to your profile first.',
  sms: 'This is a test of the SMS gateway.',
  smsSent: 'We sent a text message to the number that ends in {digits}.',
  notThisType: "This file isn't an image of the given type.",
});
