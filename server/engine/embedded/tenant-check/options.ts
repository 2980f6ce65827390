import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Region, Service } from '#contract/engine/engine.ts';
import { CLOUDS } from '../graph/clouds.ts';
import type { Application } from '../graph/tokens.ts';
import { tenantCheckMessages as t } from './tenant-check.messages.en.ts';

/** What to check. `isRestoreNeeded`: permissions of restores that are missing are failures, too. */
export interface TenantCheckOptions extends Application {
  readonly region: Region;
  readonly services: readonly Service[];
  readonly isRestoreNeeded: boolean;
  readonly isJson: boolean;
}

const SERVICES: readonly Service[] = ['exchange', 'sharepoint', 'teams', 'teamsChats'];

/** The options of the command line. */
interface Values {
  readonly 'tenant'?: string;
  readonly 'application'?: string;
  readonly 'region'?: string;
  readonly 'services'?: string;
  readonly 'certificate'?: string;
  readonly 'key'?: string;
  readonly 'secret-file'?: string;
  readonly 'restore'?: boolean;
  readonly 'json'?: boolean;
}

/**
 * Reads the options and the environment: DAYBOOK_TENANT_SECRET is the secret. Returns a sentence if
 * something is wrong, which never has the value of an option.
 */
export function readTenantCheckOptions(
  values: Values,
  env: Readonly<Record<string, string | undefined>>,
): TenantCheckOptions | string {
  const { tenant, application, region: name = 'Worldwide', restore, json } = values;
  if (!tenant || !application) return t.unnamed;
  const regions = Object.keys(CLOUDS) as Region[];
  const region = regions.find((one) => one.toLowerCase() === name.toLowerCase());
  if (region === undefined) return t.badRegion({ regions: regions.join(', ') });
  const wanted = (values.services ?? SERVICES.join(','))
    .split(',')
    .map((one) => one.trim().toLowerCase());
  const services = SERVICES.filter((one) => wanted.includes(one.toLowerCase()));
  if (services.length === 0 || services.length !== new Set(wanted).size)
    return t.badServices({ services: SERVICES.join(', ') });
  const credential = readCredential(values, env);
  if (typeof credential === 'string') return credential;
  return {
    directory: tenant,
    applicationId: application,
    region,
    services,
    credential,
    isRestoreNeeded: restore === true,
    isJson: json === true,
  };
}

function readCredential(
  files: Values,
  env: Readonly<Record<string, string | undefined>>,
): Application['credential'] | string {
  const { 'certificate': file, 'secret-file': secretFile } = files;
  const fromEnv = file === undefined ? env['DAYBOOK_TENANT_SECRET'] : undefined;
  if (file !== undefined && secretFile !== undefined) return t.twoCredentials;
  if (file === undefined && secretFile === undefined && fromEnv === undefined)
    return t.noCredential;
  if (file === undefined) {
    const read = secretFile === undefined ? (fromEnv ?? '') : readText(secretFile);
    if (read === null) return t.noFile({ file: secretFile ?? '' });
    const secret = read.trim();
    return secret === '' ? t.emptySecret : { kind: 'secret', secret };
  }
  const certificate = readText(file);
  if (certificate === null) return t.noFile({ file });
  if (!isReadable(() => new X509Certificate(certificate))) return t.badCertificate({ file });
  const keyFile = files.key ?? file;
  const privateKey = keyFile === file ? certificate : readText(keyFile);
  if (privateKey === null) return t.noFile({ file: keyFile });
  if (!isReadable(() => createPrivateKey(privateKey))) return t.badKey({ file: keyFile });
  return { kind: 'certificate', certificate, privateKey };
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
