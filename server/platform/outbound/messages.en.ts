import { defineMessages } from '#contract/i18n/messages.ts';

/** Why an outbound request failed. */
export const outboundMessages = defineMessages('outbound', {
  certificate: 'The certificate of {host} is not trusted, or belongs to another host.',
  certificateChanged:
    'The certificate of {host} has changed. Its SHA-256 fingerprint is {shown}, and the pinned one is {pinned}.',
  refused: '{host} refused the connection.',
  unknownHost: 'The host {host} is unknown.',
  addressInvalid: 'Enter a valid address.',
  httpsNeeded: 'Enter an address that begins with https://.',
  noCredentials: 'Enter an address without a username or password.',
  portNotAllowed: "Port {port} isn't allowed. Use 443 or a port above 1023.",
  wrongHost: "The address {host} doesn't belong to this service.",
  privateNetwork:
    "{host} is in a private network, which the operator of this server hasn't allowed.",
  certificateUnreadable: "The certificate can't be read.",
  tooLarge: '{host} sent more than {limit} MiB.',
  badResponse: '{host} sent an unexpected response.',
  timeout: "{host} didn't respond in time.",
  noTls: '{host} does not offer TLS.',
  credentials: '{host} refused the username and password.',
  failed: 'The connection to {host} failed.',
  failedWith: 'The connection to {host} failed ({code}).',
  issuerName: "The issuer's name differs from the settings.",
  notAnIssuer: "The issuer's response isn't valid OpenID Connect.",
});
