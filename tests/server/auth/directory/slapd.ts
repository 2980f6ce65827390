/**
 * A real directory where Samba cannot run: OpenLDAP's slapd in a temporary folder, as nobody, on
 * ports of its own. It knows accounts by the names that Active Directory has for them; what only
 * that does (locked, to be changed, its changes of passwords) it does not.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nobody, toolMissing } from '../../../e2e/tools.ts';
import type { DirectoryAt } from '#server/features/auth/directory/get-directory.ts';
import { missing as noSamba, PASSWORD, SERVICE } from './samba.ts';

const found = (...places: readonly string[]): string | undefined =>
  places.find((place) => existsSync(place));
const program = (): string | undefined =>
  found(
    '/usr/sbin/slapd',
    '/usr/local/sbin/slapd',
    '/usr/libexec/slapd',
    '/usr/local/libexec/slapd',
  );
const modules = (): string | undefined =>
  found('/usr/lib/ldap', '/usr/lib64/openldap', '/usr/lib/openldap', '/usr/local/libexec/openldap');
const schema = (): string | undefined =>
  found('/etc/ldap/schema', '/etc/openldap/schema', '/usr/local/etc/openldap/schema');

/**
 * Why there is none here, for the names of what is skipped; empty where there is. It is fetched
 * only where Samba is missing.
 */
export const missing = ((): string => {
  if (process.platform === 'win32') return ' (skipped: slapd needs a Unix)';
  const why =
    (program() === undefined
      ? noSamba === ''
        ? 'Samba is here instead'
        : toolMissing('slapd', 'slapd')
      : null) ?? toolMissing('openssl', 'openssl');
  return why !== null
    ? ` (skipped: ${why})`
    : program() === undefined || modules() === undefined || schema() === undefined
      ? ' (skipped: slapd is not where it is looked for)'
      : '';
})();

export interface Slapd {
  readonly at: DirectoryAt;
  readonly plain: string;
  stop(): Promise<void>;
}

/** With an account for each name: `<name>@example.test`. */
export async function startSlapd(names: readonly string[]): Promise<Slapd> {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-slapd-'));
  const own = (name: string): string => join(dir, name);
  const uid = nobody();
  const conf = own('slapd.conf');
  const [tls, plain] = [await freePort(), await freePort()];
  const urls = `ldaps://127.0.0.1:${tls} ldap://127.0.0.1:${plain}`;
  // A copy: where a profile of the system keeps the program to its own folders, it does so by its
  // path.
  copyFileSync(program() ?? '', own('slapd'));
  mkdirSync(own('db'));
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    own('key.pem'),
    '-out',
    own('cert.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=ldap.example.test',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  ]);
  writeFileSync(
    conf,
    [
      ...['core', 'cosine', 'inetorgperson'].map(
        (name) => `include ${schema() ?? ''}/${name}.schema`,
      ),
      ...['sAMAccountName', 'userPrincipalName'].map(
        (name, at) =>
          `attributetype ( 1.1.2.1.${at + 1} NAME '${name}' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )`,
      ),
      "objectclass ( 1.1.2.2.1 NAME 'user' SUP inetOrgPerson STRUCTURAL MUST sAMAccountName MAY userPrincipalName )",
      `modulepath ${modules() ?? ''}`,
      'moduleload back_mdb',
      `TLSCertificateFile ${own('cert.pem')}`,
      `TLSCertificateKeyFile ${own('key.pem')}`,
      'database mdb',
      'suffix "dc=example,dc=test"',
      `rootdn "${SERVICE_DN}"`,
      `rootpw ${SERVICE}`,
      `directory ${own('db')}`,
      'access to attrs=userPassword by anonymous auth by * none',
      'access to * by users read by * none',
      '',
    ].join('\n'),
  );
  writeFileSync(
    own('people.ldif'),
    [
      'dn: dc=example,dc=test\nobjectClass: domain\ndc: example\n',
      ...names.map(
        (name) =>
          `dn: cn=${name},dc=example,dc=test\nobjectClass: user\ncn: ${name}\nsn: ${name}\nsAMAccountName: ${name}\nuserPrincipalName: ${name}@example.test\nmail: ${name}@example.test\nuserPassword: ${PASSWORD}\n`,
      ),
    ].join('\n'),
  );
  for (const name of ['', 'slapd', 'db', 'key.pem', 'cert.pem', 'slapd.conf', 'people.ldif'])
    if (uid !== undefined) chownSync(own(name), uid, uid);
  const as = { cwd: dir, ...(uid !== undefined && { uid, gid: uid }) };
  const added = spawnSync(own('slapd'), ['-T', 'add', '-f', conf, '-l', own('people.ldif')], {
    ...as,
    encoding: 'utf8',
  });
  if (added.status !== 0) {
    rmSync(dir, { recursive: true, force: true });
    throw new Error(`slapd takes no accounts: ${added.stderr}`);
  }
  let said = '';
  const child = spawn(own('slapd'), ['-d', '0', '-f', conf, '-h', urls], {
    ...as,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  while (!(await answers(tls))) {
    if (child.exitCode !== null) {
      await stop();
      throw new Error(`slapd ended: ${said}`);
    }
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return {
    stop,
    plain: `ldap://127.0.0.1:${plain}`,
    at: {
      url: `ldaps://127.0.0.1:${tls}`,
      baseDn: 'dc=example,dc=test',
      domain: 'example.test',
      serviceDn: SERVICE_DN,
      ca: readFileSync(own('cert.pem'), 'utf8'),
    },
  };
}

const SERVICE_DN = 'cn=service,dc=example,dc=test';

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
