import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll } from 'vitest';

export interface Arrived {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly user: string | null;
  readonly tls: boolean;
}
export interface Smtp {
  readonly port: number;
  readonly arrived: Arrived[];
  /** How often somebody connected. */ connections: number;
  stop(): Promise<void>;
}

const open: Smtp[] = [];
afterAll(async () => {
  await Promise.all(open.map((one) => one.stop()));
});

/**
 * A real mail server in this process: user `portal`, password `smtp-secret`. `refuse`: what it says
 * of a recipient, null where it takes it.
 */
export async function smtp(
  more: SMTPServerOptions = {},
  refuse: (to: string) => { readonly code: number; readonly text: string } | null = () => null,
): Promise<Smtp> {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: true,
    ...more,
    onConnect(_session, done) {
      one.connections += 1;
      done();
    },
    onAuth({ username, password }, _session, done) {
      if (username === 'portal' && password === 'smtp-secret') done(null, { user: username });
      else done(Object.assign(new Error('Invalid'), { responseCode: 535 }));
    },
    onRcptTo({ address }, _session, done) {
      const why = refuse(address);
      done(why === null ? null : Object.assign(new Error(why.text), { responseCode: why.code }));
    },
    onData(stream, { envelope, user, secure }, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => {
        parts.push(part);
      });
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        arrived.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(parts).toString('utf8'),
          user: typeof user === 'string' ? user : null,
          tls: secure,
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  const one: Smtp = {
    port,
    arrived,
    connections: 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
  open.push(one);
  return one;
}
