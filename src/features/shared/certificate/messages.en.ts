import { defineMessages } from '#contract/i18n/messages.ts';

/** Certificates that no public authority signed. */
export const certificateMessages = defineMessages('certificate', {
  username: 'Username',
  password: 'Password',
  pinned: 'Pinned certificate',
  trustPublic: 'Trust public certificate authorities',
  seen: 'The system presented the certificate “{subject}”, valid until {day}. Compare its SHA-256 fingerprint with the one on the system:',
  unnamed:
    'The system presented a certificate without a name, valid until {day}. Compare its SHA-256 fingerprint with the one on the system:',
  thumbprint: 'SHA-1 thumbprint, as Windows shows it:',
  pin: 'Pin this certificate',
});
