import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { type DemoOption, isDemoOption } from '../demo/options.ts';
import { LIMITS } from '#contract/limits.ts';
import type { ConnectionLimits } from './http/connections.ts';
import type { Config } from './app-context.ts';
import { configMessages as t } from './config.messages.en.ts';

/** `estate`: the requested demo size; null if none. */
export interface ServerOptions {
  readonly config: Config;
  readonly hostname: string;
  readonly connections: Pick<ConnectionLimits, 'connections' | 'connectionsPerAddress'>;
  readonly demoPassword: string | null;
  readonly demo: DemoOption | null;
}

/**
 * Reads the server's settings from the environment: PORT, HOST, DAYBOOK_DATA, DAYBOOK_REPOSITORIES
 * (folder of the backup repositories), DAYBOOK_DOWNLOADS (folder of downloads in the background),
 * DAYBOOK_ARCHIVE (folder of archived events), DAYBOOK_ARCHIVE_AFTER_DAYS (0: never),
 * DAYBOOK_DELETE_LOGS_AFTER_DAYS (0: never), DATABASE_URL,
 * DAYBOOK_FLUSH (`off`: the embedded database isn't flushed to disk), DAYBOOK_TRUSTED_PROXIES (addresses or networks, with commas), DAYBOOK_SECRET_KEY (the master key,
 * then former ones, with commas), DAYBOOK_OUTBOUND_ALLOW (private networks that the server may
 * reach, with commas) and DAYBOOK_OUTBOUND_HTTP (`1`: without TLS too), DAYBOOK_PUSH_ALLOW (private
 * networks that push services may be in, with commas), DAYBOOK_QUICKBOOKS (replaces Intuit's
 * addresses, for tests), DAYBOOK_GRAPH (replaces Microsoft's clouds), DAYBOOK_CONNECTIONS and DAYBOOK_CONNECTIONS_PER_ADDRESS (maximum open at
 * once, in total and per address), DAYBOOK_DEMO_PASSWORD (of the users created at the first start),
 * DAYBOOK_ESTATE, which `demoOption` overrides. Returns a sentence if a setting is invalid.
 * `root` is the product's folder.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  root: string,
  demoOption: string | null = null,
): ServerOptions | string {
  const set = (name: string): string | null => (env[name] ?? '').trim() || null;
  const port = Number(set('PORT') ?? 4300);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return t.port;
  const networks = (name: string): string[] =>
    (set(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  const flush = set('DAYBOOK_FLUSH') ?? 'on';
  if (flush !== 'on' && flush !== 'off') return t.flush({ value: flush });
  const trustedProxies = networks('DAYBOOK_TRUSTED_PROXIES');
  const allow = networks('DAYBOOK_OUTBOUND_ALLOW');
  const push = networks('DAYBOOK_PUSH_ALLOW');
  for (const [name, all] of [
    ['DAYBOOK_TRUSTED_PROXIES', trustedProxies],
    ['DAYBOOK_OUTBOUND_ALLOW', allow],
    ['DAYBOOK_PUSH_ALLOW', push],
  ] as const) {
    const wrong = all.find((one) => !isNetwork(one));
    if (wrong !== undefined) return t.network({ name, value: wrong });
  }
  const all = Number(set('DAYBOOK_CONNECTIONS') ?? LIMITS.openConnections);
  const each = Number(set('DAYBOOK_CONNECTIONS_PER_ADDRESS') ?? LIMITS.openConnectionsPerAddress);
  for (const [name, count] of [
    ['DAYBOOK_CONNECTIONS', all],
    ['DAYBOOK_CONNECTIONS_PER_ADDRESS', each],
  ] as const) {
    if (!Number.isInteger(count) || count < 10 || count > 1_000_000) return t.connections({ name });
  }
  const secretKey = set('DAYBOOK_SECRET_KEY');
  if (secretKey !== null && !/^[\w-]{43}=?(,[\w-]{43}=?)*$/.test(secretKey)) return t.secretKey;
  const demoPassword = set('DAYBOOK_DEMO_PASSWORD');
  if (demoPassword !== null && demoPassword.length > 128) return t.demoPassword;
  const demoData = demoOption ?? set('DAYBOOK_ESTATE');
  if (demoData !== null && !isDemoOption(demoData)) return t.estate({ estate: demoData });
  const graph = set('DAYBOOK_GRAPH');
  if (graph !== null && !isOrigin(graph)) return t.graph({ value: graph });
  const repositoriesDir = set('DAYBOOK_REPOSITORIES');
  const downloadsDir = set('DAYBOOK_DOWNLOADS');
  const archiveDir = set('DAYBOOK_ARCHIVE');
  const archiveAfterDays = Number(set('DAYBOOK_ARCHIVE_AFTER_DAYS') ?? 0);
  if (
    archiveAfterDays !== 0 &&
    !(Number.isInteger(archiveAfterDays) && archiveAfterDays >= 400 && archiveAfterDays <= 36_500)
  )
    return t.archiveAfterDays;
  if (archiveAfterDays > 0 && archiveDir === null && set('DATABASE_URL') !== null)
    return t.archiveFolder;
  const deleteLogsAfterDays = Number(set('DAYBOOK_DELETE_LOGS_AFTER_DAYS') ?? 0);
  if (
    deleteLogsAfterDays !== 0 &&
    !(
      Number.isInteger(deleteLogsAfterDays) &&
      deleteLogsAfterDays >= 31 &&
      deleteLogsAfterDays <= 36_500
    )
  )
    return t.deleteLogsAfterDays;
  return {
    config: {
      port,
      dataDir: resolve(set('DAYBOOK_DATA') ?? 'data'),
      repositoriesDir: repositoriesDir === null ? null : resolve(repositoriesDir),
      downloadsDir: downloadsDir === null ? null : resolve(downloadsDir),
      archiveDir: archiveDir === null ? null : resolve(archiveDir),
      archiveAfterDays,
      deleteLogsAfterDays,
      databaseUrl: set('DATABASE_URL'),
      flushes: flush === 'on',
      acceptedLoss: set('DAYBOOK_ACCEPTED_LOSS'),
      pageDir: join(root, 'dist'),
      trustedProxies,
      secretKey,
      outbound: { allow, http: set('DAYBOOK_OUTBOUND_HTTP') === '1', push },
      quickBooks: set('DAYBOOK_QUICKBOOKS'),
      graph,
    },
    hostname: set('HOST') ?? '127.0.0.1',
    connections: { connections: all, connectionsPerAddress: each },
    demoPassword,
    demo: demoData,
  };
}

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    text.replace(/\/$/, '') === url.origin
  );
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  );
}
