import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why tests with certificates are skipped; empty if they run. */
export const noOpenssl =
  spawnSync('openssl', ['version']).status === 0 ? '' : ' (skipped: no openssl)';

/** Returns a new self-signed certificate in DER, and its private key. */
export function makeCertificate(): { readonly der: Buffer; readonly key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-certificate-'));
  try {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const options = 'req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=backup'.split(' ');
    const made = spawnSync('openssl', [...options, '-keyout', key, '-out', certificate]);
    if (made.status !== 0) throw new Error(made.stderr.toString());
    return {
      der: new X509Certificate(readFileSync(certificate)).raw,
      key: readFileSync(key, 'utf8'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
