import { OutboundError } from './address.ts';
import { outboundMessages as t } from './messages.en.ts';

/** Codes of Node and OpenSSL for an invalid certificate. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|HOSTNAME_MISMATCH/;
/** The same where a library has replaced the code. */
const SAID = /certificate|altnames/i;

/**
 * Returns why an outbound request failed, in a sentence without anything that was sent or received.
 */
export function describeOutboundError(error: unknown, host: string): string {
  if (error instanceof OutboundError) return error.message;
  // None of several addresses answered.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  if (first !== undefined) return describeOutboundError(first, host);
  if (isCertificateError(error)) return t.certificate({ host });
  const { code } = error as { readonly code?: unknown };
  const name = typeof code === 'string' ? code : '';
  if (name === 'ECONNREFUSED') return t.refused({ host });
  if (name === 'ENOTFOUND' || name === 'EAI_AGAIN' || name === 'EDNS')
    return t.unknownHost({ host });
  if (name === 'ETIMEDOUT' || name === 'ETIME') return t.timeout({ host });
  if (name === 'ETLS') return t.noTls({ host });
  if (name === 'EAUTH') return t.credentials({ host });
  return name === '' ? t.failed({ host }) : t.failedWith({ host, code: name.slice(0, 40) });
}

export function isCertificateError(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (
    (typeof code === 'string' && CERTIFICATE.test(code)) ||
    (typeof message === 'string' && SAID.test(message))
  );
}
