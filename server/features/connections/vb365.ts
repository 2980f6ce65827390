import * as v from 'valibot';
import type { CompanyN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Entity } from '#contract/connections/connection.ts';
import { cutText } from '#contract/stored-text.ts';
import {
  JobShape,
  LicenseShape,
  OrganizationShape,
  ProxyShape,
  RepositoryShape,
  type Vb365Client,
  type Vb365Job,
  type Vb365Organization,
} from '#server/engine/public/veeam-client.ts';
import { checkedRepository } from '../ingest/check-records.ts';
import { recordRepositories } from '../ingest/inventory.ts';
import { loadLinks, openChannels } from './channels.ts';
import { deliverJobs, fitRecords, retireGone } from './deliver.ts';
import {
  forgetGone,
  keepFound,
  loadFound,
  type RoundResult,
  type CollectTask,
  type Thing,
} from './task.ts';
import { getJob } from './vb365-runs.ts';
import { readSessions } from './vb365-sessions.ts';

/**
 * Reads Veeam Backup for Microsoft 365. Results belong to the company that is linked with the
 * organization, by its domain or id.
 */
export const VB365: Readonly<Partial<Record<Entity, (task: CollectTask) => Promise<RoundResult>>>> =
  {
    async organizations(task) {
      const link = await loadOrganizationLinks(task);
      const things: Thing[] = [];
      for await (const rows of getClient(task).readPages('Organizations', OrganizationShape))
        for (const row of rows)
          things.push({
            uid: row.id,
            name: row.officeName || row.name || row.id,
            company: link(row),
            row: { domain: row.name ?? null, region: row.region ?? null, msid: row.msid ?? null },
          });
      await task.context.store.tenant(task.tenant, async (tx) => {
        await keepFound(tx, task, things);
        await forgetGone(tx, task);
      });
      return { rows: things.length, unlinked: countUnlinked(things) };
    },

    async jobs(task) {
      const organizations = await loadOrganizations(task);
      let rows = 0;
      let unlinked = 0;
      for await (const { organizationId, jobs } of readJobs(task, organizations)) {
        const found = jobs.map((job) => {
          const organization = organizations.get(job.organizationId ?? organizationId ?? '');
          return getJob(job, organization, organization?.company ?? null);
        });
        rows += found.length;
        unlinked += countUnlinked(found);
        await deliverJobs(task, found);
      }
      await retireGone(task);
      return { rows, unlinked };
    },

    sessions: (task) => readSessions(task, getClient(task)),

    async repositories(task) {
      const owners = await loadRepositoryOwners(task);
      const link = await loadOrganizationLinks(task);
      const hosts = new Map<string, string>();
      for await (const rows of getClient(task).readPages('Proxies', ProxyShape))
        for (const { id, hostName } of rows) hosts.set(id, hostName ?? '');
      let count = 0;
      let unlinked = 0;
      for await (const rows of getClient(task).readPages('BackupRepositories', RepositoryShape)) {
        const found = rows.map((row) => ({
          row,
          company: link({ id: row.organizationId ?? '' }) ?? owners.get(row.id) ?? null,
        }));
        count += found.length;
        unlinked += countUnlinked(found);
        await recordOwned(task, found, hosts);
      }
      return { rows: count, unlinked };
    },

    async licences(task) {
      const license = await getClient(task).read('License', LicenseShape);
      const row = {
        product: 'VB365',
        workload: license.type ?? null,
        unitType: 'Users',
        status: license.status ?? null,
        until: license.licenseExpires ?? null,
        licensed: license.totalNumber ?? null,
        usedCount: license.usedNumber ?? null,
        newCount: license.newNumber ?? null,
      };
      await task.context.store.tenant(task.tenant, (tx) =>
        keepFound(tx, task, [{ uid: 'licence', name: task.connection.name, company: null, row }]),
      );
      return { rows: 1, unlinked: 0 };
    },
  };

const getClient = ({ client }: CollectTask): Vb365Client => client as Vb365Client;

const countUnlinked = (found: readonly { readonly company: CompanyN | null }[]): number =>
  found.filter(({ company }) => company === null).length;

/** An organization of the server as it was found. */
export interface FoundOrganization {
  readonly id: string;
  readonly name: string;
  readonly company: CompanyN | null;
}

type Named = Pick<Vb365Organization, 'id'> & Partial<Vb365Organization>;

async function loadOrganizationLinks({
  context,
  tenant,
  connection,
}: CollectTask): Promise<(organization: Named) => CompanyN | null> {
  const link = await context.store.tenant(tenant, (tx) => loadLinks(tx, connection), {
    readOnly: true,
  });
  return ({ id, name, officeName, msid }) =>
    link(id) ?? link(name) ?? link(officeName) ?? link(msid);
}

async function loadOrganizations(task: CollectTask): Promise<Map<string, FoundOrganization>> {
  const link = await loadOrganizationLinks(task);
  const rows = await task.context.store.tenant(
    task.tenant,
    (tx) => loadFound(tx, task.connection.id, ['organizations']),
    { readOnly: true },
  );
  return new Map(
    rows.map(({ uid, name, row }) => {
      const { domain, msid } = row as { domain?: string | null; msid?: string | null };
      const company = link({ id: uid, name: domain, officeName: name, msid });
      return [uid, { id: uid, name, company }];
    }),
  );
}

/** Version 8 lists all jobs with their organization; version 7 has them below each organization. */
async function* readJobs(
  task: CollectTask,
  organizations: ReadonlyMap<string, FoundOrganization>,
): AsyncGenerator<{ readonly organizationId: string | null; readonly jobs: readonly Vb365Job[] }> {
  const client = getClient(task);
  if ((await client.findVersion()) === 'v8') {
    for await (const jobs of client.readPages('Jobs', JobShape))
      yield { organizationId: null, jobs };
    return;
  }
  for (const organizationId of organizations.keys())
    for await (const jobs of client.readPages(`Organizations/${organizationId}/Jobs`, JobShape))
      yield { organizationId, jobs };
}

/** The company of each repository that only one company's jobs use. */
async function loadRepositoryOwners({ context, tenant, connection }: CollectTask) {
  const jobs = await context.store.tenant(tenant, (tx) => loadFound(tx, connection.id, ['jobs']), {
    readOnly: true,
  });
  const owners = new Map<string, CompanyN | null>();
  for (const { company_n: company, row } of jobs) {
    const { more } = row as { more?: { repository?: unknown } };
    const repository = more?.repository;
    if (typeof repository !== 'string' || company === null) continue;
    owners.set(repository, (owners.get(repository) ?? company) === company ? company : null);
  }
  return owners;
}

type RepositoryRow = v.InferOutput<typeof RepositoryShape>;

async function recordOwned(
  task: CollectTask,
  found: readonly { readonly row: RepositoryRow; readonly company: CompanyN | null }[],
  hosts: ReadonlyMap<string, string>,
): Promise<void> {
  const { context, tenant, connection } = task;
  const at = new Date(task.since).toISOString();
  const byCompany = Map.groupBy(found, ({ company }) => company);
  const channels = await openChannels(
    context,
    tenant,
    connection,
    [...byCompany.keys()].filter((company) => company !== null),
  );
  for (const [company, own] of byCompany) {
    const key = company === null ? undefined : channels.get(company);
    if (key === undefined) continue;
    const samples = own.map(({ row }, index) =>
      checkedRepository(
        {
          uid: row.id,
          name: short(row.name, LIMITS.nameChars) ?? row.id,
          at,
          capacityBytes: bytes(row.capacityBytes),
          freeBytes: bytes(row.freeSpaceBytes),
          ...filled('hostName', short(hosts.get(row.proxyId ?? ''), LIMITS.nameChars)),
          ...filled('path', short(row.path, 500)),
        },
        index,
      ),
    );
    await recordRepositories(context, tenant, key, fitRecords(task, samples), context.clock.now());
  }
}

const short = (said: string | null | undefined, max: number): string | null =>
  cutText((said ?? '').trim(), max).trim() || null;
const bytes = (count: number | null | undefined): number | null =>
  count == null || !(count >= 0) ? null : Math.floor(count);
const filled = <N extends string>(name: N, value: string | null): Partial<Record<N, string>> =>
  value === null ? {} : ({ [name]: value } as Partial<Record<N, string>>);
