import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import type { Config } from './world.ts';

export interface Settings { readonly config: Config; readonly hostname: string; readonly demoPassword: string | null }

/**
 * The server's settings from the environment: PORT, HOST, DAYBOOK_DATA, DATABASE_URL, DAYBOOK_TRUSTED_PROXIES (addresses or networks, with
 * commas), DAYBOOK_DEMO_PASSWORD (of the first administrator). A sentence where one cannot be used. `root` is the product's folder.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, root: string): Settings | string {
  const set = (name: string): string | null => (env[name] ?? '').trim() || null;
  const port = Number(set('PORT') ?? 4300);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return 'PORT must be a whole number from 0 to 65535.';
  const trustedProxies = (set('DAYBOOK_TRUSTED_PROXIES') ?? '').split(',').map((one) => one.trim()).filter((one) => one !== '');
  const wrong = trustedProxies.find((one) => !isNetwork(one));
  if (wrong !== undefined) return `DAYBOOK_TRUSTED_PROXIES holds "${wrong}", which is no address and no network.`;
  const demoPassword = set('DAYBOOK_DEMO_PASSWORD');
  if (demoPassword !== null && demoPassword.length > 128) return 'DAYBOOK_DEMO_PASSWORD may have 128 characters at most.';
  return {
    config: { port, dataDir: resolve(set('DAYBOOK_DATA') ?? 'data'), databaseUrl: set('DATABASE_URL'), pageDir: join(root, 'dist'), trustedProxies },
    hostname: set('HOST') ?? '127.0.0.1', demoPassword,
  };
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  return family !== 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)));
}
