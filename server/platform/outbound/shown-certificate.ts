import { X509Certificate } from 'node:crypto';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { Ms } from '#contract/ids.ts';
import type { ShownCertificate } from '#contract/shown-certificate.ts';
import { releaseSlotDuring } from '../http/concurrency.ts';
import type { AppContext } from '../app-context.ts';
import { checkedAddress } from './address.ts';

const TIMEOUT_MS: Ms = 10_000;

interface Place {
  readonly hostname: string;
  readonly port: number;
}

export const getHttpsPlace = ({ hostname, port }: URL): Place => ({
  hostname,
  port: port === '' ? 443 : Number(port),
});

/**
 * Returns the certificate that a host presents, so that a user can compare and pin it. Null if it
 * presents none. Sends nothing to the host but what `startTls` does, which returns whether TLS begins.
 */
export const loadShownCertificate = (
  context: AppContext,
  place: Place,
  startTls: ((socket: Socket) => Promise<boolean>) | null = null,
): Promise<ShownCertificate | null> =>
  releaseSlotDuring(() =>
    shownAt(context, place, startTls).then(
      (shown) => shown && describe(shown),
      () => null,
    ),
  );

const describe = (shown: X509Certificate): ShownCertificate => ({
  certificate: shown.toString(),
  fingerprint: shown.fingerprint256,
  thumbprint: shown.fingerprint,
  subject: shown.subject.replaceAll('\n', ', ').slice(0, 200),
  until: Date.parse(shown.validTo),
});

async function shownAt(
  context: AppContext,
  { hostname, port }: Place,
  startTls: ((socket: Socket) => Promise<boolean>) | null,
): Promise<X509Certificate | null> {
  const host = await checkedAddress(context, hostname);
  const name = hostname.replace(/^\[(.*)\]$/, '$1');
  const plain = connectPlain({ host, port });
  // Errors end the connection, and `close` follows.
  plain.on('error', () => undefined);
  const timer = context.clock.after(TIMEOUT_MS, () => plain.destroy());
  try {
    if (startTls !== null && !(await startTls(plain))) return null;
    return await new Promise((resolve) => {
      const socket = connect(
        { socket: plain, servername: isIP(name) === 0 ? name : '', rejectUnauthorized: false },
        () => {
          const { raw } = socket.getPeerCertificate();
          resolve(raw === undefined ? null : new X509Certificate(raw));
        },
      );
      socket.on('error', () => resolve(null));
      plain.once('close', () => resolve(null));
    });
  } finally {
    timer.cancel();
    plain.destroy();
  }
}
