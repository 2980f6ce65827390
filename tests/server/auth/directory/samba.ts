/**
 * A real Active Directory for a test file: Samba's, provisioned in a temporary folder (about ten
 * seconds), on a loopback address of its own, as its LDAP ports are fixed. It runs in the
 * foreground of this process and ends with it: it watches its standard input.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolMissing } from '../../../e2e/tools.ts';
import type { DirectoryAt } from '#server/features/auth/directory/get-directory.ts';

const run = promisify(execFile);
const SYS_ADMIN = 21n;
/** Why there is none here, for the names of what is skipped; empty where there is. */
export const missing = ((): string => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return ' (skipped: a directory needs Linux and root)';
  // It keeps its rights in extended attributes of the system.
  const rights =
    /^CapEff:\s*([\da-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  if (((BigInt(`0x${rights}`) >> SYS_ADMIN) & 1n) === 0n)
    return ' (skipped: a directory needs CAP_SYS_ADMIN)';
  const why =
    toolMissing('samba-tool', 'samba-ad-dc') ??
    toolMissing('samba', 'samba-ad-dc') ??
    toolMissing('openssl', 'openssl');
  return why === null ? '' : ` (skipped: ${why})`;
})();

export const PASSWORD = 'Daybook-9-first';
export const SERVICE = 'Daybook-9-service';
export interface Samba {
  readonly at: DirectoryAt;
  readonly address: string;
  user(name: string, ...more: readonly string[]): Promise<void>;
  tool(...words: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startSamba(): Promise<Samba> {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-samba-'));
  const address = `127.${64 + ((process.pid >> 8) & 127)}.${process.pid & 255}.1`;
  const file = (name: string): string => join(dir, name);
  const sam = file('private/sam.ldb');
  const conf = file('smb.conf');
  const bound = [`interfaces=${address}/8`, 'bind interfaces only=yes'];
  try {
    await run('samba-tool', [
      'domain',
      'provision',
      `--targetdir=${dir}`,
      '--realm=EXAMPLE.TEST',
      '--domain=EXAMPLE',
      `--adminpass=${SERVICE}`,
      '--host-name=dc',
      `--host-ip=${address}`,
      '--dns-backend=NONE',
      '--server-role=dc',
      '-q',
      ...bound.map((one) => `--option=${one}`),
    ]);
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      file('key.pem'),
      '-out',
      file('cert.pem'),
      '-days',
      '2',
      '-subj',
      '/CN=dc.example.test',
      '-addext',
      `subjectAltName=IP:${address}`,
    ]);
    mkdirSync(file('cache'), { recursive: true });
    writeFileSync(
      conf,
      [
        '[global]',
        'netbios name=DC',
        'realm=EXAMPLE.TEST',
        'workgroup=EXAMPLE',
        'server role=active directory domain controller',
        'server services=ldap',
        ...bound,
        `private dir=${file('private')}`,
        `state directory=${file('state')}`,
        `cache directory=${file('cache')}`,
        `lock directory=${dir}`,
        `pid directory=${dir}`,
        `ncalrpc dir=${file('ncalrpc')}`,
        `winbindd socket directory=${file('wb')}`,
        `log file=${file('log')}`,
        'tls enabled=yes',
        `tls keyfile=${file('key.pem')}`,
        `tls certfile=${file('cert.pem')}`,
        `tls cafile=${file('cert.pem')}`,
        '',
      ].join('\n'),
    );
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  const tool = async (...words: readonly string[]): Promise<void> => {
    await run('samba-tool', [...words, '-s', conf, '-H', sam]);
  };
  await tool(
    'domain',
    'passwordsettings',
    'set',
    '--account-lockout-threshold=3',
    '--min-pwd-age=0',
    '--min-pwd-length=10',
  );
  const samba = spawn('samba', ['-i', '-s', conf, '--model=single'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    samba.once('exit', () => {
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    samba.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  while (!(await answers(address))) {
    if (samba.exitCode !== null) {
      await stop();
      throw new Error('Samba ended before it answered.');
    }
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return {
    address,
    tool,
    stop,
    user: (name, ...more) =>
      tool(
        'user',
        'create',
        name,
        PASSWORD,
        '--use-username-as-cn',
        `--mail-address=${name}@example.test`,
        ...more,
      ),
    at: {
      url: `ldaps://${address}`,
      baseDn: 'DC=example,DC=test',
      domain: 'example.test',
      serviceDn: 'CN=Administrator,CN=Users,DC=example,DC=test',
      ca: readFileSync(file('cert.pem'), 'utf8'),
    },
  };
}

const answers = (host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port: 636 }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
