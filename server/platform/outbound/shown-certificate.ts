import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Ms } from '#contract/ids.ts';
import { releaseSlotDuring } from '../http/concurrency.ts';
import type { AppContext } from '../app-context.ts';
import { checkedAddress } from './address.ts';

const TIMEOUT_MS: Ms = 10_000;

/**
 * Returns the certificate that a host presents, so that a user can compare and pin it. Sends
 * nothing to the host. Null if it presents none.
 */
export const shownCertificate = (context: AppContext, url: URL): Promise<X509Certificate | null> =>
  releaseSlotDuring(() => shownAt(context, url));

async function shownAt(context: AppContext, url: URL): Promise<X509Certificate | null> {
  const host = await checkedAddress(context, url.hostname);
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve) => {
    const socket = connect(
      {
        host,
        port: url.port === '' ? 443 : Number(url.port),
        servername: isIP(name) === 0 ? name : '',
        rejectUnauthorized: false,
      },
      () => {
        const { raw } = socket.getPeerCertificate();
        done(raw === undefined ? null : new X509Certificate(raw));
      },
    );
    const timer = context.clock.after(TIMEOUT_MS, () => {
      done(null);
    });
    const done = (shown: X509Certificate | null): void => {
      timer.cancel();
      socket.destroy();
      resolve(shown);
    };
    socket.on('error', () => {
      done(null);
    });
  });
}
