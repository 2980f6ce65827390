/** A real IMAP server, Dovecot, in a temporary folder, on ports of its own. Every name is an account. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { nobody, toolMissing } from '../../e2e/tools.ts';

/** Why there is none here, for the names of what is skipped; empty where there is. */
export const missing = ((): string => {
  if (process.platform === 'win32') return ' (skipped: Dovecot needs a Unix)';
  const why =
    toolMissing('dovecot', 'dovecot-imapd') ??
    toolMissing('openssl', 'openssl') ??
    toolMissing('python3', 'python3');
  return why === null ? '' : ` (skipped: ${why})`;
})();

export const PASSWORD = 'Correct-horse-1';

export interface Dovecot {
  readonly tlsPort: number;
  readonly plainPort: number;
  /** PEM of its certificate, which no authority signed. */
  readonly certificate: string;
  /** Runs a program of Python with `imap`, a client that is signed in as the user. */
  readonly run: (user: string, program: string) => unknown;
  /** Puts mails into the inbox of a new user, as a delivery does. */
  deliver(user: string, mails: readonly Buffer[]): void;
  stop(): Promise<void>;
}

export async function startDovecot(): Promise<Dovecot> {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-dovecot-'));
  const own = (name: string): string => join(dir, name);
  const [tlsPort, plainPort] = [await getFreePort(), await getFreePort()];
  const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${own('key.pem')} -out ${own('cert.pem')} -days 2 -subj /CN=imap.example.test -addext subjectAltName=IP:127.0.0.1`;
  spawnSync('openssl', request.split(' '));
  const uid = nobody();
  mkdirSync(own('mail'));
  if (uid !== undefined) for (const path of [dir, own('mail')]) chownSync(path, uid, uid);
  const user = userInfo().username;
  writeFileSync(
    own('dovecot.conf'),
    [
      `base_dir = ${own('run')}`,
      `state_dir = ${own('state')}`,
      'log_path = /dev/stderr',
      'protocols = imap',
      'listen = 127.0.0.1',
      'ssl = yes',
      `ssl_cert = <${own('cert.pem')}`,
      `ssl_key = <${own('key.pem')}`,
      'auth_mechanisms = plain login',
      'auth_failure_delay = 0',
      `mail_location = maildir:${own('mail')}/%u:LAYOUT=fs`,
      'first_valid_uid = 1',
      'first_valid_gid = 1',
      'passdb {\n driver = static\n args = password=' + PASSWORD + '\n}',
      `userdb {\n driver = static\n args = uid=${uid ?? userInfo().uid} gid=${uid ?? userInfo().gid} home=${own('mail')}/%u\n}`,
      'namespace inbox {\n inbox = yes\n separator = /\n mailbox Gesendet {\n special_use = \\Sent\n auto = create\n }\n mailbox Muell {\n special_use = \\Trash\n }\n}',
      `service imap-login {\n ${uid === undefined ? 'chroot =\n' : ''} inet_listener imap {\n port = ${plainPort}\n }\n inet_listener imaps {\n port = ${tlsPort}\n ssl = yes\n }\n}`,
      ...(uid === undefined
        ? [
            `default_internal_user = ${user}`,
            `default_login_user = ${user}`,
            'service anvil {\n chroot =\n}',
          ]
        : []),
      '',
    ].join('\n'),
  );
  let said = '';
  const child = spawn('dovecot', ['-F', '-c', own('dovecot.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  while (!(await doesAnswer(plainPort))) {
    if (child.exitCode !== null) {
      await stop();
      throw new Error(`Dovecot did not answer: ${said}`);
    }
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return {
    tlsPort,
    plainPort,
    certificate: readFileSync(own('cert.pem'), 'utf8').trim(),
    stop,
    deliver(name, mails) {
      const paths = [
        own(`mail/${name}`),
        ...['cur', 'new', 'tmp'].map((part) => own(`mail/${name}/${part}`)),
      ];
      for (const path of paths) mkdirSync(path);
      const files = mails.map((mail, n) => {
        const path = own(`mail/${name}/new/${1_600_000_000 + n}.${n}.test`);
        writeFileSync(path, mail);
        return path;
      });
      if (uid !== undefined) for (const path of [...paths, ...files]) chownSync(path, uid, uid);
    },
    run(name, program) {
      const text = `import imaplib, json, sys, hashlib
imap = imaplib.IMAP4('127.0.0.1', ${plainPort})
imap.login(${JSON.stringify(name)}, ${JSON.stringify(PASSWORD)})
def must(answer):
    if answer[0] != 'OK': raise Exception(answer)
    return answer[1]
${program}
imap.logout()`;
      const { stdout, stderr, status } = spawnSync('python3', ['-c', text], { maxBuffer: 1 << 28 });
      if (status !== 0) throw new Error(`${stderr.toString()} ${said}`);
      return stdout.length === 0 ? null : JSON.parse(stdout.toString());
    },
  };
}

const doesAnswer = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

export const getFreePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
