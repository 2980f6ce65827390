import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { OutboundError } from './address.ts';
import { outboundMessages as t } from './messages.en.ts';

/**
 * Returns TLS options that pin exactly this certificate: OpenSSL trusts no other, and the code compares
 * it again before it sends anything.
 * @throws OutboundError
 */
export function pinCertificate(certificate: string): {
  readonly ca: string;
  readonly allowPartialTrustChain: true;
  readonly checkServerIdentity: (host: string, shown: PeerCertificate) => Error | undefined;
} {
  const expected = readCertificate(certificate);
  if (expected === null) throw new OutboundError('refused', t.certificateUnreadable);
  return {
    ca: expected.toString(),
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, shown) =>
      shown.raw.equals(expected.raw)
        ? undefined
        : Object.assign(new Error('another certificate'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  };
}

/** Returns null if it is no certificate. */
export function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
