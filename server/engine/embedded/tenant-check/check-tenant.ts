import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as v from 'valibot';
import type { Region, Workload } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { userAgent } from '../graph/client.ts';
import type { WaitClock } from '../graph/clock.ts';
import { CLOUDS, contentUrl } from '../graph/clouds.ts';
import { describeCertificate } from '../graph/certificate.ts';
import { Governor } from '../graph/governor.ts';
import { inTime } from '../graph/request.ts';
import type { Fetch, GraphPorts } from '../graph/request.ts';
import { applicationTokens } from '../graph/tokens.ts';
import {
  permissionsFor,
  listApplicationPermissions as wantedByBackups,
} from '../entra/application.ts';
import {
  neededFor,
  readRoles,
  listWantedPermissions,
  withoutGranted,
} from '../entra/permissions.ts';
import { readOwner } from '../organizations/owner.ts';
import { watchLimits } from './limits.ts';
import { tenantCheckMessages as t } from './tenant-check.messages.en.ts';
import type { TenantCheckOptions } from './options.ts';
import { getProbeReason, probeService, probeUsers } from './probes.ts';
import type { Finding, TenantReport } from './report.ts';

/** What the check needs of the world. */
export interface TenantCheckPorts {
  readonly fetch: Fetch;
  readonly clock: WaitClock;
  readonly random: () => number;
}

const REACH_MS: Ms = 30_000;
const SIGN_IN_MS: Ms = 60_000;
const MAX_SKEW_MS: Ms = 300_000;
const NOTED_SKEW_MS: Ms = 30_000;
const RENEWAL_MS: Ms = 30 * 86_400_000;

/**
 * Checks whether a tenant of Microsoft 365 and an application can be backed up: signs in, and reads a
 * little of each kind of data. Changes nothing in the tenant. Never throws for what the tenant or the
 * network does.
 */
export async function checkTenant(
  ports: TenantCheckPorts,
  options: TenantCheckOptions,
): Promise<TenantReport> {
  const { clock } = ports;
  const { region, directory, applicationId } = options;
  const findings: Finding[] = [];
  const missing: string[] = [];
  let clockAheadMs: Ms | null = null;
  let users: TenantReport['users'] = null;
  const report = (): TenantReport => ({
    version: 1,
    checkedAt: clock.now(),
    region,
    tenant: directory,
    applicationId,
    result: findings.some(({ status }) => status === 'failed') ? 'notReady' : 'ready',
    clockAheadMs,
    users,
    missingPermissions: missing,
    findings,
  });

  const reached = await reachLogin(ports, options);
  findings.push(...reached.findings);
  ({ clockAheadMs } = reached);
  if (!reached.isReached) return { ...report(), result: 'unreachable' };
  const credential = checkCredential(options, clock.now());
  findings.push(...credential);
  if (findings.some(({ status, area }) => status === 'failed' && area !== 'clock')) return report();

  const limits = watchLimits(ports.fetch);
  const login = { ...ports, fetch: limits.fetch, cloud: CLOUDS[region] };
  const graph: GraphPorts = {
    ...login,
    tokens: applicationTokens(login, options),
    governor: new Governor(login),
    userAgent: userAgent(''),
  };
  const token = await graph.tokens.get(AbortSignal.timeout(SIGN_IN_MS));
  if (!token.ok) {
    findings.push({ area: 'signIn', status: 'failed', message: getProbeReason(token.error) });
    return report();
  }
  findings.push({ area: 'signIn', status: 'ok', message: t.signedIn });
  const roles = new Set(readRoles(token.value));
  findings.push(...checkPermissions(options, roles, missing));
  findings.push(await checkOwner(graph, options));
  const probing = { ports: graph, roles };
  const counted = await probeUsers(probing);
  findings.push(...counted.findings);
  ({ users } = counted);
  const addresses: string[] = [];
  for (const service of options.services) {
    const probed = await probeService(probing, service, counted.people);
    findings.push(...probed.findings);
    addresses.push(...probed.addresses);
  }
  findings.push(...(await reachServices(ports, options, addresses)), ...limits.describe());
  return report();
}

/** What Entra says about a tenant to everybody: learn.microsoft.com/entra/identity-platform/v2-protocols-oidc. */
const Description = v.object({ issuer: v.string(), msgraph_host: v.optional(v.string()) });

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly date: Ms | null;
  readonly at: Ms;
}

async function ask({ fetch, clock }: TenantCheckPorts, url: string): Promise<Answer | null> {
  const signal = new AbortController().signal;
  const startedAt = clock.now();
  const answer = await inTime(clock, signal, REACH_MS, async (inner) => {
    const response = await fetch(new Request(url, { redirect: 'manual', signal: inner }));
    const text = await response.text();
    const date = Date.parse(response.headers.get('date') ?? '');
    return { status: response.status, text, date: Number.isNaN(date) ? null : date };
  });
  if (answer === 'lost' || answer === 'timeout') return null;
  const { status, text, date } = answer;
  return { status, body: readJson(text), date, at: (startedAt + clock.now()) / 2 };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

const getDescriptionUrl = (region: Region, directory: string): string =>
  `${CLOUDS[region].login}/${encodeURIComponent(directory)}/v2.0/.well-known/openid-configuration`;

async function reachLogin(
  ports: TenantCheckPorts,
  { region, directory }: TenantCheckOptions,
): Promise<{
  readonly isReached: boolean;
  readonly clockAheadMs: Ms | null;
  readonly findings: readonly Finding[];
}> {
  const host = new URL(CLOUDS[region].login).hostname;
  const answer = await ask(ports, getDescriptionUrl(region, directory));
  if (answer === null || answer.status >= 500) {
    const message = t.notReached({ host });
    return {
      isReached: false,
      clockAheadMs: null,
      findings: [{ area: 'network', status: 'failed', message }],
    };
  }
  const clockAheadMs = answer.date === null ? null : Math.round(answer.at - answer.date);
  return {
    isReached: true,
    clockAheadMs,
    findings: [
      { area: 'network', status: 'ok', message: t.reached({ host }) },
      await checkCloud(ports, region, directory, answer),
      checkClock(clockAheadMs),
    ],
  };
}

const getGraphHost = (region: Region): string => new URL(CLOUDS[region].graph).hostname;

async function checkCloud(
  ports: TenantCheckPorts,
  region: Region,
  directory: string,
  { status, body }: Answer,
): Promise<Finding> {
  const read = v.safeParse(Description, body);
  if (status === 200 && read.success) {
    const { msgraph_host: host = getGraphHost(region) } = read.output;
    if (host === getGraphHost(region))
      return { area: 'cloud', status: 'ok', message: t.rightCloud };
    const right = (Object.keys(CLOUDS) as Region[]).find((one) => getGraphHost(one) === host);
    const message = right === undefined ? t.unknownTenant : t.wrongCloud({ region: right });
    return { area: 'cloud', status: 'failed', message };
  }
  if (status !== 400 && status !== 404)
    return { area: 'cloud', status: 'failed', message: t.cloudUnread({ status: String(status) }) };
  // Where else the name is known: each cloud answers everybody.
  for (const other of Object.keys(CLOUDS) as Region[]) {
    if (CLOUDS[other].login === CLOUDS[region].login) continue;
    const answer = await ask(ports, getDescriptionUrl(other, directory));
    const known = v.safeParse(Description, answer?.body);
    if (answer?.status !== 200 || !known.success) continue;
    const host = known.output.msgraph_host ?? getGraphHost(other);
    const right =
      (Object.keys(CLOUDS) as Region[]).find((one) => getGraphHost(one) === host) ?? other;
    return { area: 'cloud', status: 'failed', message: t.wrongCloud({ region: right }) };
  }
  return { area: 'cloud', status: 'failed', message: t.unknownTenant };
}

function checkClock(aheadMs: Ms | null): Finding {
  if (aheadMs === null) return { area: 'clock', status: 'warning', message: t.clockUnknown };
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (Math.abs(aheadMs) < NOTED_SKEW_MS)
    return { area: 'clock', status: 'ok', message: t.clockRight({ seconds }) };
  const status = Math.abs(aheadMs) > MAX_SKEW_MS ? 'failed' : 'warning';
  return { area: 'clock', status, message: t.clockWrong({ seconds }) };
}

const getDay = (at: Ms): string => new Date(at).toISOString().slice(0, 10);

const findCredential = (status: Finding['status'], message: string): readonly Finding[] => [
  { area: 'credential', status, message },
];

function checkCredential({ credential }: TenantCheckOptions, now: Ms): readonly Finding[] {
  if (credential.kind === 'secret') return findCredential('warning', t.secretUsed);
  const { certificate, privateKey } = credential;
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey)))
    return findCredential('failed', t.keyForeign);
  const { startsAt, expiresAt } = describeCertificate(certificate);
  if (expiresAt <= now)
    return findCredential('failed', t.certificateExpired({ date: getDay(expiresAt) }));
  if (startsAt > now)
    return findCredential('failed', t.certificateEarly({ date: getDay(startsAt) }));
  return expiresAt - now < RENEWAL_MS
    ? findCredential('warning', t.certificateEnds({ date: getDay(expiresAt) }))
    : findCredential('ok', t.certificateValid({ date: getDay(expiresAt) }));
}

const WORKLOADS = {
  exchange: ['outlook'],
  sharepoint: ['onedrive', 'sharepoint'],
  teams: ['teams'],
  teamsChats: [],
} as const satisfies Record<string, readonly Workload[]>;

/** Names each permission, by what it is for. `missing` gets those that backups lack. */
function checkPermissions(
  options: TenantCheckOptions,
  roles: ReadonlySet<string>,
  missing: string[],
): readonly Finding[] {
  const { region, directory, applicationId, services, isRestoreNeeded } = options;
  const isGranted = (one: string): boolean => roles.has(one);
  const isMissing = (one: string): boolean => withoutGranted([one], isGranted).length > 0;
  const link = `${CLOUDS[region].login}/${encodeURIComponent(directory)}/adminconsent?client_id=${encodeURIComponent(applicationId)}`;
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const service of [null, ...services])
    for (const permission of permissionsFor(service === null ? [] : [service])) {
      if (seen.has(permission)) continue;
      seen.add(permission);
      const area = service ?? 'directory';
      if (!isMissing(permission)) {
        findings.push({ area, status: 'ok', permission, message: t.granted({ permission }) });
        continue;
      }
      missing.push(permission);
      findings.push({
        area,
        status: 'failed',
        permission,
        message: t.missing({ permission }),
        link,
      });
    }
  for (const permission of wantedByBackups(services)) {
    if (seen.has(permission)) continue;
    seen.add(permission);
    findings.push(
      isMissing(permission)
        ? {
            area: 'directory',
            status: 'warning',
            permission,
            message: t.hiddenMissing({ permission }),
            link,
          }
        : { area: 'directory', status: 'ok', permission, message: t.granted({ permission }) },
    );
  }
  const wanted = new Set(seen);
  for (const workload of services.flatMap((one): readonly Workload[] => WORKLOADS[one])) {
    const needed = neededFor(workload);
    for (const permission of listWantedPermissions(workload)) {
      if (wanted.has(permission)) continue;
      wanted.add(permission);
      const about = { area: 'restore' as const, permission };
      const named = { permission, workload: NAMES[workload]() };
      if (!isMissing(permission))
        findings.push({ ...about, status: 'ok', message: t.restoreGranted(named) });
      else if (isRestoreNeeded && needed.includes(permission))
        findings.push({ ...about, status: 'failed', message: t.restoreMissing(named), link });
      else findings.push({ ...about, status: 'skipped', message: t.restoreLater(named) });
    }
  }
  for (const permission of roles)
    if (
      ![...wanted].some((one) => withoutGranted([one], (role) => role === permission).length === 0)
    )
      findings.push({
        area: 'permissions',
        status: 'warning',
        permission,
        message: t.surplus({ permission }),
      });
  return findings;
}

const NAMES: Readonly<Record<Workload, () => string>> = {
  outlook: () => t.exchange,
  onedrive: () => t.oneDrive,
  sharepoint: () => t.sharepoint,
  teams: () => t.teams,
};

async function checkOwner(ports: GraphPorts, { directory }: TenantCheckOptions): Promise<Finding> {
  const owner = await readOwner(ports);
  if (!owner.ok)
    return { area: 'directory', status: 'failed', message: getProbeReason(owner.error) };
  const { directoryId: id, displayName: name, domains } = owner.value;
  const wanted = directory.toLowerCase();
  return id.toLowerCase() === wanted || domains.includes(wanted)
    ? { area: 'directory', status: 'ok', message: t.owner({ name, id }) }
    : { area: 'directory', status: 'failed', message: t.otherTenant({ id }) };
}

/** Connects to the services that content comes from: any answer will do. */
async function reachServices(
  ports: TenantCheckPorts,
  { region, services }: TenantCheckOptions,
  addresses: readonly string[],
): Promise<readonly Finding[]> {
  const cloud = CLOUDS[region];
  const [exchange] = cloud.content.filter((one) => !one.startsWith('.'));
  const files = addresses.flatMap((one) => contentUrl(cloud, one)?.hostname ?? []);
  const hosts: (readonly ['exchange' | 'sharepoint', string])[] = [
    ...(services.includes('exchange') && exchange !== undefined
      ? [['exchange', exchange] as const]
      : []),
    ...[...new Set(files)].map((host) => ['sharepoint', host] as const),
  ];
  const findings: Finding[] = [];
  for (const [area, host] of hosts)
    findings.push(
      (await ask(ports, `https://${host}/`)) === null
        ? { area, status: 'failed', message: t.notReached({ host }) }
        : { area, status: 'ok', message: t.reached({ host }) },
    );
  return findings;
}
