/** The other systems of `takeover-work.ts`, which let servers wait until the caller says so. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createDemoTenant } from '../../server/demo/tenant/tenant.ts';
import { listen } from '../server/outbound/listen.ts';

export const KINDS = ['mail', 'webhook', 'backup session', 'report', 'command'] as const;
export type Kind = (typeof KINDS)[number];

const ROLES = [
  'Mail.Read',
  'Calendars.Read',
  'Contacts.Read',
  'Tasks.Read.All',
  'Files.Read.All',
  'User.Read.All',
  'Sites.Read.All',
  'Group.Read.All',
  'Organization.Read.All',
];

/** Where requests of servers wait while it is closed. */
export function makeGate() {
  let opened = Promise.withResolvers<undefined>();
  let isOpen = true;
  const arrived = new Map<string, string[]>();
  return {
    open(): void {
      isOpen = true;
      opened.resolve(undefined);
    },
    close(): void {
      isOpen = false;
      opened = Promise.withResolvers();
      arrived.clear();
    },
    async pass(kind: Kind, name = ''): Promise<void> {
      if (isOpen) return;
      arrived.set(kind, [...(arrived.get(kind) ?? []), name]);
      await opened.promise;
    },
    count: (kind: Kind): number => arrived.get(kind)?.length ?? 0,
    names: (kind: Kind): readonly string[] => arrived.get(kind) ?? [],
  };
}
type Gate = ReturnType<typeof makeGate>;

export async function beginMail(gate: Gate) {
  const arrived: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onMailFrom(_address, _session, done) {
      void (async () => {
        await gate.pass('mail');
        done();
      })();
    },
    onData(stream, { envelope }, done) {
      stream.resume();
      stream.on('end', () => {
        arrived.push(...envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    countArrived: (to: string): number => arrived.filter((one) => one === to).length,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** The demo's stand-in of Microsoft Graph. */
export async function beginGraph(gate: Gate) {
  const tenant = createDemoTenant({
    file: null,
    seed: 5,
    now: () => Date.now(),
    size: { people: 2, minMails: 3, maxMails: 4, minFiles: 1, maxFiles: 1, maxFileBytes: 2_000 },
  });
  const { appId, secret } = tenant.admin.registerApplication('Backup', ROLES);
  const gateway = await listen(async ({ method, path, headers, body }) => {
    if (/\/users\/[^/?]+\//.test(path)) await gate.pass('backup session');
    const answer = await tenant.fetch(
      new Request(`https://${String(headers['x-forwarded-host'])}${path}`, {
        method,
        headers: Object.entries(headers).flatMap(([name, value]) =>
          typeof value === 'string' && name !== 'host' ? [[name, value] as [string, string]] : [],
        ),
        ...(body !== '' && { body }),
      }),
    );
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  });
  return { url: gateway.url, stop: () => gateway.stop(), appId, secret, domain: tenant.domain };
}

/** Takes connections, says nothing, and closes them when the gate opens. */
export async function beginSilentServer(gate: Gate) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    void gate.pass('command').then(() => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop(): void {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
