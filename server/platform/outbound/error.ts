import { OutboundError } from './address.ts';

/** Codes of Node and OpenSSL for an invalid certificate. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME_MISMATCH/;
/** The same where a library has replaced the code. */
const SAID = /certificate|altnames/i;

/**
 * Returns why an outbound request failed, in a sentence without anything that was sent or received.
 */
export function describeError(error: unknown, host: string): string {
  if (error instanceof OutboundError) return error.message;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const name = typeof code === 'string' ? code : '';
  if (CERTIFICATE.test(name) || (typeof message === 'string' && SAID.test(message)))
    return `The certificate of ${host} is not trusted, or is not of this host.`;
  if (name === 'ECONNREFUSED') return `${host} refused the connection.`;
  if (name === 'ENOTFOUND' || name === 'EAI_AGAIN' || name === 'EDNS')
    return `The host ${host} is not known.`;
  if (name === 'ETIMEDOUT' || name === 'ETIME') return `${host} did not answer in time.`;
  if (name === 'ETLS') return `${host} does not offer TLS.`;
  if (name === 'EAUTH') return `${host} did not accept the user name and password.`;
  return `${host} could not be talked with${name === '' ? '' : ` (${name.slice(0, 40)})`}.`;
}
