import { defineMessages } from '#contract/i18n/messages.ts';

/** Why an outbound request failed. */
export const outboundMessages = defineMessages('outbound', {
  certificate: 'The certificate of {host} is not trusted, or belongs to another host.',
  certificateChanged:
    'The certificate of {host} has changed. Its SHA-256 fingerprint is {shown}, and the pinned one is {pinned}.',
  refused: '{host} refused the connection.',
  unknownHost: 'The host {host} is unknown.',
  timeout: '{host} did not answer in time.',
  noTls: '{host} does not offer TLS.',
  credentials: '{host} refused the username and password.',
  failed: 'The connection to {host} failed.',
  failedWith: 'The connection to {host} failed ({code}).',
  issuerName: "The issuer's name differs from the settings.",
  notAnIssuer: "The issuer's response isn't valid OpenID Connect.",
});
