import * as v from 'valibot';
import type { EngineError, Service } from '#contract/engine/engine.ts';
import type { Ms } from '#contract/ids.ts';
import { graphClient } from '../graph/client.ts';
import type { GraphClient } from '../graph/client.ts';
import type { GraphService } from '../graph/governor.ts';
import { graphMessages } from '../graph/messages.en.ts';
import type { GraphPorts, GraphResult } from '../graph/request.ts';
import { withoutGranted } from '../entra/permissions.ts';
import { readDirectory } from '../sources/directory.ts';
import { tenantCheckMessages as t } from './tenant-check.messages.en.ts';
import type { CheckedArea, Finding } from './report.ts';

// One cheap read of each kind of data, with the queries that backups use.

/** What probes need. `roles`: the permissions in the token. */
interface Probing {
  readonly ports: GraphPorts;
  readonly roles: ReadonlySet<string>;
}

const PROBE_MS: Ms = 60_000;
/** People without a mailbox or a OneDrive are passed over, up to this many. */
const MAX_PEOPLE = 5;
const PROTECTED_APIS = 'https://learn.microsoft.com/graph/teams-protected-apis';
const ONE_ROW = { headers: { prefer: 'odata.maxpagesize=1' } };
const Identified = v.object({ id: v.string() });
const Placed = v.object({ id: v.string(), webUrl: v.nullish(v.string()) });

const clientFor = ({ ports }: Probing, service: GraphService): GraphClient =>
  graphClient(ports, {
    lane: { service, object: 'tenant-check' },
    signal: AbortSignal.timeout(PROBE_MS),
    onWaiting: () => undefined,
  });

/** `changes`: whether the list has them; null: this kind of data never does. */
type Read = GraphResult<{ readonly changes: boolean | null }>;
const readOne = async (client: GraphClient, path: string): Promise<Read> => {
  const page = await client.page(path, v.unknown(), ONE_ROW);
  if (!page.ok) return page;
  const changes = /\/delta(?:\?|$)/.test(path)
    ? page.value.delta !== null || page.value.next !== null
    : null;
  return { ok: true, value: { changes } };
};

interface Probe {
  readonly area: CheckedArea;
  readonly what: string;
  readonly permission: string;
  readonly isProtected?: boolean;
  run(): Promise<Read>;
}

/** Reads once, unless the permission for it is missing: that is a finding of its own. */
async function runProbe({ roles }: Probing, probe: Probe): Promise<Finding> {
  const { area, what, permission, isProtected = false } = probe;
  const about = { area, permission };
  if (withoutGranted([permission], (one) => roles.has(one)).length > 0)
    return { ...about, status: 'skipped', message: t.skippedFor({ what, permission }) };
  const read = await probe.run();
  if (read.ok) {
    const { changes } = read.value;
    if (changes === false) return { ...about, status: 'warning', message: t.noChanges({ what }) };
    const message = changes === null ? t.readable({ what }) : t.readableChanges({ what });
    return { ...about, status: 'ok', message };
  }
  return isProtected && read.error.kind === 'forbidden'
    ? { ...about, status: 'failed', message: t.protectedApi({ what }), link: PROTECTED_APIS }
    : {
        ...about,
        status: 'failed',
        message: t.unreadable({ what, reason: getProbeReason(read.error) }),
      };
}

/** A probe that was stopped took too long. */
export const getProbeReason = ({ kind, message }: EngineError): string =>
  kind === 'ended' ? graphMessages.timeout : message;

/** What the directory has: `people` are the ids of users with a license. */
export interface CheckedDirectory {
  readonly users: { readonly total: number; readonly licensed: number } | null;
  readonly people: readonly string[];
  readonly findings: readonly Finding[];
}

/** Counts the users, as the directory of a backup lists them. */
export async function probeUsers(probing: Probing): Promise<CheckedDirectory> {
  const people: string[] = [];
  let total = 0;
  let licensed = 0;
  const finding = await runProbe(probing, {
    area: 'directory',
    what: t.people,
    permission: 'User.Read.All',
    async run() {
      let changes = false;
      for await (const page of readDirectory(clientFor(probing, 'directory'), 'users', undefined)) {
        if (!page.ok) return page;
        total += page.value.objects.length;
        changes = page.value.cursor !== null;
        for (const user of page.value.objects) {
          if (user.licensed !== true) continue;
          licensed += 1;
          if (people.length < MAX_PEOPLE) people.push(user.id);
        }
      }
      return { ok: true, value: { changes } };
    },
  });
  if (finding.status === 'failed' || finding.status === 'skipped')
    return { users: null, people, findings: [finding] };
  const counted: Finding = {
    area: 'directory',
    status: licensed === 0 ? 'warning' : 'ok',
    message: licensed === 0 ? t.noLicense : t.users({ users: total, licensed }),
  };
  return { users: { total, licensed }, people, findings: [finding, counted] };
}

/** The services of Microsoft 365 that the data of a tenant showed, by their address. */
export interface Probed {
  readonly findings: readonly Finding[];
  readonly addresses: readonly string[];
}

export async function probeService(
  probing: Probing,
  service: Service,
  people: readonly string[],
): Promise<Probed> {
  if (service === 'exchange')
    return { findings: await probeMailbox(probing, people), addresses: [] };
  if (service === 'sharepoint') return probeFiles(probing, people);
  return { findings: await probeTeam(probing, service), addresses: [] };
}

async function probeMailbox(probing: Probing, people: readonly string[]): Promise<Finding[]> {
  const reads: readonly (readonly [string, string, string])[] = [
    [t.mails, 'Mail.Read', 'mailFolders/inbox/messages/delta?$select=id'],
    [t.calendars, 'Calendars.Read', 'calendars?$top=1&$select=id'],
    [t.contacts, 'Contacts.Read', 'contactFolders/delta'],
    [t.tasks, 'Tasks.Read.All', 'todo/lists/delta'],
  ];
  const client = clientFor(probing, 'mailbox');
  const findings: Finding[] = [];
  for (const [what, permission, path] of reads)
    findings.push(
      await runForPerson(probing, people, { area: 'exchange', what, permission }, (user) =>
        readOne(client, `${user}/${path}`),
      ),
    );
  const whole = {
    area: 'exchange' as const,
    what: t.mailboxExport,
    permission: 'MailboxItem.Export.All',
  };
  findings.push(
    await runForPerson(probing, people, whole, async (user) => {
      const got = await client.get(`${user}/settings/exchange`, v.unknown());
      return got.ok ? { ok: true, value: { changes: null } } : got;
    }),
  );
  return findings;
}

/** Reads from the first person who has what is read. */
async function runForPerson(
  probing: Probing,
  people: readonly string[],
  probe: Omit<Probe, 'run'>,
  run: (user: string) => Promise<Read>,
): Promise<Finding> {
  let hasNothing = true;
  const finding = await runProbe(probing, {
    ...probe,
    async run() {
      for (const id of people) {
        const read = await run(`/users/${encodeURIComponent(id)}`);
        if (!read.ok && read.error.kind === 'missing') continue;
        hasNothing = false;
        return read;
      }
      return { ok: true, value: { changes: null } };
    },
  });
  return finding.status === 'ok' && hasNothing
    ? {
        ...finding,
        status: 'skipped',
        message: t.unreadable({ what: probe.what, reason: t.noUser }),
      }
    : finding;
}

async function probeFiles(probing: Probing, people: readonly string[]): Promise<Probed> {
  const addresses: string[] = [];
  const client = clientFor(probing, 'drive');
  const oneDrive = await runForPerson(
    probing,
    people,
    { area: 'sharepoint', what: t.oneDrive, permission: 'Files.Read.All' },
    async (user) => {
      const drive = await client.get(`${user}/drive?$select=id,webUrl`, Placed);
      if (!drive.ok) return drive;
      if (drive.value.webUrl) addresses.push(drive.value.webUrl);
      return readOne(
        client,
        `/drives/${encodeURIComponent(drive.value.id)}/root/delta?$top=1&$select=id`,
      );
    },
  );
  let site: string | null = null;
  const sites = await runProbe(probing, {
    area: 'sharepoint',
    what: t.sites,
    permission: 'Sites.Read.All',
    async run() {
      for await (const page of readDirectory(clientFor(probing, 'directory'), 'sites', undefined)) {
        if (!page.ok) return page;
        const [first] = page.value.objects;
        if (first === undefined) continue;
        site = first.id;
        addresses.push(first.address);
        break;
      }
      return { ok: true, value: { changes: null } };
    },
  });
  if (sites.status !== 'ok') return { findings: [oneDrive, sites], addresses };
  if (site === null) {
    const none: Finding = { area: 'sharepoint', status: 'skipped', message: t.noSite };
    return { findings: [oneDrive, sites, none], addresses };
  }
  const path = `/sites/${encodeURIComponent(site)}/lists?$top=1&$select=id`;
  const lists = await runProbe(probing, {
    area: 'sharepoint',
    what: t.lists,
    permission: 'Sites.Read.All',
    run: () => readOne(client, path),
  });
  return { findings: [oneDrive, sites, lists], addresses };
}

async function probeTeam(
  probing: Probing,
  service: 'teams' | 'teamsChats',
): Promise<readonly Finding[]> {
  const client = clientFor(probing, 'team');
  let team: string | null = null;
  const groups = await runProbe(probing, {
    area: service,
    what: t.groups,
    permission: 'Group.Read.All',
    async run() {
      const listing = readDirectory(clientFor(probing, 'directory'), 'groups', undefined);
      for await (const page of listing) {
        if (!page.ok) return page;
        team = page.value.objects.find(({ kind }) => kind === 'team')?.id ?? null;
        if (team !== null) break;
      }
      return { ok: true, value: { changes: true } };
    },
  });
  const before = service === 'teams' ? [groups] : [];
  if (groups.status !== 'ok') return before;
  if (team === null) return [...before, { area: service, status: 'skipped', message: t.noTeam }];
  const path = `/teams/${encodeURIComponent(team)}`;
  const settings = await runProbe(probing, {
    area: service,
    what: t.teamSettings,
    permission: 'TeamSettings.Read.All',
    async run() {
      const got = await client.get(path, Identified);
      return got.ok ? { ok: true, value: { changes: null } } : got;
    },
  });
  let channel: string | null = null;
  const channels = await runProbe(probing, {
    area: service,
    what: t.channels,
    permission: 'Channel.ReadBasic.All',
    async run() {
      const page = await client.page(`${path}/channels`, Identified);
      if (!page.ok) return page;
      channel = page.value.rows[0]?.id ?? null;
      return { ok: true, value: { changes: null } };
    },
  });
  if (service === 'teams') return [...before, settings, channels];
  if (channel === null) return [channels];
  const messages = `${path}/channels/${encodeURIComponent(channel)}/messages/delta?$top=1`;
  const posts = await runProbe(probing, {
    area: service,
    what: t.posts,
    permission: 'ChannelMessage.Read.All',
    isProtected: true,
    run: () => readOne(client, messages),
  });
  return [posts];
}
