import { connect, isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Client } from 'ldapts';
import type { Ms } from '#contract/ids.ts';
import { checkedAddress, OutboundError } from '../../../platform/outbound/address.ts';
import type { AppContext } from '../../../platform/app-context.ts';
import type { DirectoryAt } from './get-directory.ts';
import { authMessages } from '../messages.en.ts';

const CONNECT_MS: Ms = 5_000;
const ANSWER_MS: Ms = 8_000;
const ALL_MS: Ms = 15_000;

/**
 * Opens one connection to the directory and closes it when `work` has ended. The connection always
 * uses TLS, and the certificate must match the host: LDAPS, or StartTLS before any other request
 * for an `ldap:` address. There is one connection only, because a client that reconnects
 * automatically would continue without TLS and without a bind. Throws an `OutboundError` if the
 * directory cannot be reached; errors from the directory pass through.
 */
export async function talk<T>(
  context: AppContext,
  { url, ca }: DirectoryAt,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { protocol, hostname, port } = new URL(url);
  const address = await checkedAddress(context, hostname);
  const tls: ConnectionOptions = {
    minVersion: 'TLSv1.2',
    ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
    ...(ca === null ? {} : { ca }),
  };
  const at = `${isIP(address) === 6 ? `[${address}]` : address}${port === '' ? '' : `:${port}`}`;
  let connections = 0;
  const client = new Client({
    url: `${protocol}//${at}`,
    timeout: ANSWER_MS,
    connectTimeout: CONNECT_MS,
    ...(protocol === 'ldaps:' ? { tlsOptions: tls } : {}),
    createConnection: ((to: number, host: string) => {
      connections += 1;
      if (connections > 1) throw new Error('a second connection');
      return connect(to, host);
    }) as typeof connect,
  });
  let timer: { cancel(): void } | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = context.clock.after(ALL_MS, () => {
      reject(new OutboundError('unreachable', authMessages.directoryTimeout));
    });
  });
  try {
    const whole = (async () => {
      if (protocol === 'ldap:') await client.startTLS({ ...tls, host: hostname });
      return work(client);
    })();
    return await Promise.race([whole, late]);
  } finally {
    timer?.cancel();
    await client.unbind().catch(() => undefined);
  }
}
