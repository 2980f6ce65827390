import { defineMessages } from '#contract/i18n/messages.ts';

export const privacyMessages = defineMessages('privacy', {
  title: 'Privacy policy',
  intro:
    '{provider} runs this portal. This policy explains which data it stores about you, why, and what you can do about it.',
  cookies: 'Cookies',
  cookiesText:
    "The portal sets cookies that keep you signed in, protect each sign-in, and recognize your device. They are sent only to this portal. None are for advertising, and no other company sets any. You can't sign in without them.",
  device: 'Data on this device',
  deviceText:
    'Your browser stores the results that you can access, so that the portal works offline. They are encrypted. Logging out deletes them.',
  webLogs: 'Web logs',
  webLogsText:
    'The server logs every request with its time, address, and outcome. It also logs who changed accounts and results. The logs help to find faults and misuse and are the record of the work. They contain no passwords and no codes.',
  emailVendors: 'Email vendors',
  emailVendorsText:
    'Email and SMS services chosen by your provider deliver codes, notices, and reports to you. They receive the message and your address or number, and nothing else about you.',
  children: 'Children under 13',
  childrenText:
    "The portal is for people at work. It isn't meant for children under 13 and doesn't knowingly store data about them. Data provided by mistake is deleted as soon as it is found.",
  disclosures: 'Disclosures',
  disclosuresText:
    "Your data isn't sold or lent. It is shared only if the law requires it, or to protect the portal or its users. Companies that work on the portal for your provider have the same duties.",
  optOut: 'Opt-out',
  optOutText:
    'Choose in your profile which emails you receive. You can also limit emails about your own account there. You can ask to see or correct your data, and to have your account deleted.',
  contact: 'Contact',
  contactAdministrator: 'Ask the administrator who created your account.',
  contactEmail: 'Write to {email}.',
  contactPhone: 'Call {phone}.',
  contactEither: 'Write to {email}, or call {phone}.',
});
