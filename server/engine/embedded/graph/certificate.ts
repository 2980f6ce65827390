import { createHash, X509Certificate } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { Chance } from '#server/platform/app-context.ts';

/** A key pair of an application with its certificate, in PEM. The key never leaves the server. */
export interface ApplicationCertificate {
  readonly certificate: string;
  readonly privateKey: string;
  /** The certificate in base64, as Graph's `keyCredential` takes it. */
  readonly der: string;
  /** SHA-1 in hexadecimal, as Entra shows it. */
  readonly thumbprint: string;
  readonly startsAt: Ms;
  readonly expiresAt: Ms;
}

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2_048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
/** Valid since a little earlier, for clocks that are behind. */
const EARLIER_MS: Ms = 3_600_000;

/** Returns the SHA-1 of a certificate, in PEM or DER, in hexadecimal. */
export const getThumbprint = (certificate: string | Buffer): string =>
  createHash('sha1').update(new X509Certificate(certificate).raw).digest('hex').toUpperCase();

/** Returns what people see of a certificate in PEM. */
export function describeCertificate(certificate: string): {
  readonly thumbprint: string;
  readonly startsAt: Ms;
  readonly expiresAt: Ms;
} {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  return {
    thumbprint: getThumbprint(certificate),
    startsAt: validFromDate.getTime(),
    expiresAt: validToDate.getTime(),
  };
}

/**
 * Creates a key and a self-signed certificate with which an application signs in. The library is
 * loaded when it is needed.
 */
export async function createCertificate(
  chance: Chance,
  now: Ms,
  { name, days }: { readonly name: string; readonly days: number },
): Promise<ApplicationCertificate> {
  // The library's decorators need this polyfill.
  await import('reflect-metadata');
  const { X509CertificateGenerator } = await import('@peculiar/x509');
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  // Certificates count in seconds.
  const startsAt = Math.floor((now - EARLIER_MS) / 1_000) * 1_000;
  const expiresAt = startsAt + days * DAY_MS;
  const made = await X509CertificateGenerator.createSelfSigned({
    // Positive, and never with a zero in front.
    serialNumber: `4d${Buffer.from(chance.bytes(15)).toString('hex')}`,
    name: [{ CN: [name] }],
    notBefore: new Date(startsAt),
    notAfter: new Date(expiresAt),
    keys,
    signingAlgorithm: ALGORITHM,
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const raw = Buffer.from(made.rawData);
  return {
    certificate: `${made.toString('pem')}\n`,
    privateKey: `-----BEGIN PRIVATE KEY-----\n${key.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
    der: raw.toString('base64'),
    thumbprint: getThumbprint(raw),
    startsAt,
    expiresAt,
  };
}
