import type * as v from 'valibot';
import type { Entity } from '#contract/connections/connection.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { recordComputers, recordRepositories } from '../ingest/inventory.ts';
import { loadLinks, openChannels } from './channels.ts';
import { deliverJobs, fitRecords, type JobFound, retireGone } from './deliver.ts';
import { sessionsOfVspc } from './sessions.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import {
  loadFound,
  forgetGone,
  keepFound,
  type RoundResult,
  type CollectTask,
  type Thing,
} from './task.ts';
import { agentJob, office365Job, getSecond, serverJob } from './vspc-jobs.ts';
import * as shapes from './vspc-shapes.ts';
import { type SourcePage, walk } from './read-pages.ts';
import { cutText } from '#contract/stored-text.ts';
import { checkedComputer, checkedRepository } from '../ingest/check-records.ts';
import { outcomeMessages } from './outcome.messages.en.ts';

const PER_PAGE = 200;

/** Reads Veeam Service Provider Console, one function per entity. */
export const VSPC: Readonly<
  Record<Exclude<Entity, 'organizations'>, (task: CollectTask) => Promise<RoundResult>>
> = {
  'companies': (task) =>
    things(task, 'organizations/companies', shapes.CompanyList, (row, link) => ({
      uid: row.instanceUid,
      name: row.name ?? row.instanceUid,
      company: link(row.instanceUid),
      row: { status: row.status ?? null },
    })),
  'servers': (task) =>
    things(task, 'infrastructure/backupServers', shapes.ServerList, (row, link) => ({
      uid: row.instanceUid,
      name: row.name ?? row.instanceUid,
      company: link(row.organizationUid),
      row: {
        org: row.organizationUid ?? null,
        agent: row.managementAgentUid ?? null,
        version: row.version ?? null,
        status: row.status ?? null,
      },
    })),
  'agents': (task) =>
    things(task, 'infrastructure/backupAgents', shapes.AgentList, (row, link) => ({
      uid: row.instanceUid,
      name: row.name ?? row.instanceUid,
      company: link(row.organizationUid),
      row: {
        org: row.organizationUid ?? null,
        agent: row.managementAgentUid ?? null,
        mode: row.managementMode ?? null,
        version: row.version ?? null,
        status: row.status ?? null,
      },
    })),

  async 'jobs'(task) {
    const servers = await named(task, 'servers');
    return jobs(task, 'infrastructure/backupServers/jobs', shapes.ServerJobList, (row) => {
      const server = servers.get(row.backupServerUid ?? '');
      // The organization that a hosted job is assigned to takes precedence over the owner of the
      // server.
      const org = row.mappedOrganizationUid ?? row.organizationUid ?? null;
      return {
        uid: row.uniqueUid ?? row.instanceUid,
        org,
        agent: text(server?.row['agent']),
        ...serverJob(row, server?.name ?? ''),
      };
    });
  },
  async 'agent-jobs'(task) {
    const agents = await named(task, 'agents');
    return jobs(task, 'infrastructure/backupAgents/jobs', shapes.AgentJobList, (row) => {
      const agent = agents.get(row.backupAgentUid ?? '');
      const mode = agent?.row['mode'];
      const known = agent && {
        name: agent.name,
        managed: mode === 'UnManaged' ? false : mode == null ? null : true,
      };
      return {
        uid: row.instanceUid,
        org: row.organizationUid ?? null,
        agent: text(agent?.row['agent']),
        ...agentJob(row, known),
      };
    });
  },
  'office365-jobs': (task) =>
    missingIsNone(() =>
      jobs(
        task,
        'infrastructure/vb365Servers/organizations/jobs',
        shapes.Office365JobList,
        (row) => ({
          uid: row.instanceUid,
          org: row.vspcOrganizationUid ?? null,
          agent: row.managementAgentUid ?? null,
          ...office365Job(row),
        }),
      ),
    ),
  'sessions': (task) => missingIsNone(() => sessionsOfVspc(task)),

  async 'repositories'(task) {
    const servers = await named(task, 'servers');
    const at = new Date(task.since).toISOString();
    return placed(
      task,
      'infrastructure/backupServers/repositories?expand=BackupRepositoryInfo',
      shapes.RepositoryList,
      (row) => text(servers.get(row.backupServerUid ?? '')?.row['org']),
      async (key, rows) => {
        const samples = rows.map(
          ({ instanceUid: uid, name, backupServerUid, _embedded: info }, index) => {
            const capacityBytes =
              info?.isCapacityAvailable === false ? null : bytes(info?.capacity);
            const freeBytes = info?.isFreeSpaceAvailable === false ? null : bytes(info?.freeSpace);
            const usedBytes = info?.isUsedSpaceAvailable === false ? null : bytes(info?.usedSpace);
            return {
              index,
              value: {
                uid,
                name: short(name) ?? uid,
                at,
                capacityBytes,
                freeBytes,
                usedBytes:
                  usedBytes ??
                  (capacityBytes !== null && freeBytes !== null
                    ? Math.max(0, capacityBytes - freeBytes)
                    : null),
                ...some('type', short(info?.type)),
                ...some(
                  'hostName',
                  short(info?.hostName) ?? short(servers.get(backupServerUid ?? '')?.name),
                ),
                ...some('path', short(info?.path, 500)),
              },
            };
          },
        );
        await recordRepositories(
          task.context,
          task.tenant,
          key,
          fitRecords(
            task,
            samples.map(({ index, value }) => checkedRepository(value, index)),
          ),
          task.context.clock.now(),
        );
      },
    );
  },

  async 'computers'(task) {
    const owners = new Map(
      (await loadPages(task, 'infrastructure/managementAgents', shapes.ManagementAgentList)).map(
        (one) => [one.instanceUid, one.organizationUid ?? null],
      ),
    );
    return placed(
      task,
      'discovery/computers',
      shapes.DiscoveredList,
      (row) => row.organizationUid ?? owners.get(row.managementAgentUid ?? '') ?? null,
      async (key, rows) => {
        const computers = rows.flatMap(({ info }, index) => {
          const hostName = short(info?.hostName) ?? short(info?.fqdn);
          return hostName === null
            ? []
            : [
                {
                  index,
                  value: {
                    hostName,
                    os: short(info?.guestOs),
                    osType: short(info?.guestOsType, 64),
                    ipAddresses: (info?.ipAddresses ?? [])
                      .map((one) => one.trim().slice(0, 64))
                      .filter((one) => one !== '')
                      .slice(0, 64),
                  },
                },
              ];
        });
        await recordComputers(
          task.context,
          task.tenant,
          key,
          fitRecords(
            task,
            computers.map(({ index, value }) => checkedComputer(value, index)),
          ),
          task.context.clock.now(),
        );
      },
    );
  },

  'alarms': (task) =>
    things(
      task,
      'alarms/active',
      shapes.AlarmList,
      ({ instanceUid: uid, object, lastActivation: last, repeatCount, area }, link) => ({
        uid,
        name: last?.message ?? object?.objectName ?? uid,
        company: link(object?.organizationUid),
        row: {
          severity: last?.status ?? null,
          at: getSecond(last?.time),
          object: object?.objectName ?? null,
          type: object?.type ?? null,
          computer: object?.computerName ?? null,
          area: area ?? null,
          times: repeatCount ?? null,
          remark: last?.remark ?? null,
        },
      }),
    ),

  async 'licences'(task) {
    const companies = await named(task, 'companies');
    return lists(
      task,
      'licensing/usage/organizations',
      shapes.LicenceList,
      (row) => row.organizationUid ?? 'provider',
      (row, link) => {
        const company = link(row.organizationUid);
        const org = row.organizationUid ?? 'provider';
        const name = companies.get(org)?.name ?? row.organizationUid ?? 'Provider';
        return (row.servers ?? []).flatMap((server) =>
          (server.workloads ?? []).map((work, place): Thing => ({
            uid: `${org}/${server.serverUid ?? server.serverType ?? ''}/${work.description ?? place}/${work.unitType ?? ''}`,
            name,
            company,
            row: {
              org,
              product: server.serverType ?? null,
              workload: work.description ?? null,
              unitType: work.unitType ?? null,
              rentalUnits: work.rentalUnits ?? null,
              newUnits: work.newUnits ?? null,
              usedUnits: work.usedUnits ?? null,
              rentalCount: work.rentalCount ?? null,
              newCount: work.newCount ?? null,
              usedCount: work.usedCount ?? null,
            },
          })),
        );
      },
    );
  },
};

type Link = Awaited<ReturnType<typeof loadLinks>>;
type ListSchema = v.GenericSchema<
  unknown,
  {
    meta?:
      | { pagingInfo?: { total?: number | null | undefined } | null | undefined }
      | null
      | undefined;
    data: unknown[];
  }
>;
type RowOf<S extends ListSchema> = v.InferOutput<S>['data'][number];

const linksFor = ({ context, tenant, connection }: CollectTask): Promise<Link> =>
  context.store.tenant(tenant, (tx) => loadLinks(tx, connection), { readOnly: true });

async function page<S extends ListSchema>(
  { client }: CollectTask,
  path: string,
  schema: S,
  offset: number,
): Promise<SourcePage<RowOf<S>>> {
  const { data, meta } = await client.read(
    `${path}${path.includes('?') ? '&' : '?'}limit=${PER_PAGE}&offset=${offset}`,
    schema,
  );
  // Without a total, an empty page ends the list.
  return { rows: data, total: meta?.pagingInfo?.total ?? null };
}

/**
 * Reads a list completely, page by page, and continues an interrupted read. A list that changes
 * during every pass is a failure, which is retried.
 */
async function whole<S extends ListSchema>(
  task: CollectTask,
  path: string,
  schema: S,
  uid: (row: RowOf<S>) => string,
  take: (rows: readonly RowOf<S>[]) => Promise<void>,
): Promise<number> {
  const walked = await walk<RowOf<S>>(
    {
      page: (offset) => page(task, path, schema, offset),
      uid,
      async take(rows, next) {
        await take(rows);
        await task.keep({ offset: next });
      },
    },
    task.cursor['offset'] ?? 0,
  );
  if (walked.whole) return walked.seen;
  await task.keep({ offset: 0 });
  throw new SourceError(
    'busy',
    outcomeMessages.listChanged({ seen: walked.seen, total: walked.total }),
  );
}

async function loadPages<S extends ListSchema>(
  task: CollectTask,
  path: string,
  schema: S,
): Promise<RowOf<S>[]> {
  const all: RowOf<S>[] = [];
  await walk<RowOf<S>>({
    page: (offset) => page(task, path, schema, offset),
    uid: (row) => (row as { instanceUid: string }).instanceUid,
    take: (rows) => {
      all.push(...rows);
      return Promise.resolve();
    },
  });
  return all;
}

/** Stores objects as reported, and deletes those that are no longer reported. */
async function lists<S extends ListSchema>(
  task: CollectTask,
  path: string,
  schema: S,
  uid: (row: RowOf<S>) => string,
  made: (row: RowOf<S>, link: Link) => readonly Thing[],
): Promise<RoundResult> {
  const link = await linksFor(task);
  let unlinked = 0;
  const rows = await whole(task, path, schema, uid, async (some) => {
    const found = some.flatMap((row) => made(row, link));
    unlinked += found.filter(({ company }) => company === null).length;
    await task.context.store.tenant(task.tenant, (tx) => keepFound(tx, task, found));
  });
  await task.context.store.tenant(task.tenant, (tx) => forgetGone(tx, task));
  return { rows, unlinked };
}

const things = <S extends ListSchema>(
  task: CollectTask,
  path: string,
  schema: S,
  made: (row: RowOf<S>, link: Link) => Thing,
): Promise<RoundResult> =>
  lists(
    task,
    path,
    schema,
    (row) => (row as { instanceUid: string }).instanceUid,
    (row, link) => [made(row, link)],
  );

interface Made extends Omit<JobFound, 'company' | 'more'> {
  readonly org: string | null;
  readonly agent: string | null;
}

async function jobs<S extends ListSchema>(
  task: CollectTask,
  path: string,
  schema: S,
  made: (row: RowOf<S>) => Made,
): Promise<RoundResult> {
  const link = await linksFor(task);
  let unlinked = 0;
  const rows = await whole(
    task,
    path,
    schema,
    (row) => {
      const { uniqueUid, instanceUid } = row as { uniqueUid?: string | null; instanceUid: string };
      return uniqueUid ?? instanceUid;
    },
    async (some) => {
      const found = some.map((row): JobFound => {
        const { org, agent, ...job } = made(row);
        return { ...job, company: link(org), more: { org, agent } };
      });
      unlinked += found.filter(({ company }) => company === null).length;
      await deliverJobs(task, found);
    },
  );
  await retireGone(task);
  return { rows, unlinked };
}

/** Passes rows to the company that owns them, determined by the organization. */
async function placed<S extends ListSchema>(
  task: CollectTask,
  path: string,
  schema: S,
  org: (row: RowOf<S>) => string | null,
  give: (key: IngestKeyRow, rows: readonly RowOf<S>[]) => Promise<void>,
): Promise<RoundResult> {
  const link = await linksFor(task);
  let unlinked = 0;
  const rows = await whole(
    task,
    path,
    schema,
    (row) => (row as { instanceUid: string }).instanceUid,
    async (some) => {
      const by = Map.groupBy(some, (row) => link(org(row)));
      unlinked += by.get(null)?.length ?? 0;
      const channels = await openChannels(
        task.context,
        task.tenant,
        task.connection,
        [...by.keys()].flatMap((company) => (company === null ? [] : [company])),
      );
      for (const [company, own] of by) {
        const key = company === null ? undefined : channels.get(company);
        if (key !== undefined) await give(key, own);
      }
    },
  );
  return { rows, unlinked };
}

async function named(
  { context, tenant, connection }: CollectTask,
  entity: Entity,
): Promise<
  Map<string, { readonly name: string; readonly row: Readonly<Record<string, unknown>> }>
> {
  const rows = await context.store.tenant(tenant, (tx) => loadFound(tx, connection.id, [entity]), {
    readOnly: true,
  });
  return new Map(rows.map(({ uid, name, row }) => [uid, { name, row }]));
}

/** A console without that product, or of an older version, does not have the list. */
async function missingIsNone(work: () => Promise<RoundResult>): Promise<RoundResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'missing') return { rows: 0, unlinked: 0 };
    throw error;
  }
}

const text = (said: unknown): string | null => (typeof said === 'string' ? said : null);
const short = (said: string | null | undefined, max = 200): string | null =>
  cutText((said ?? '').trim(), max).trim() || null;
const bytes = (count: number | null | undefined): number | null =>
  count == null || !(count >= 0) ? null : Math.floor(count);
const some = <N extends string>(name: N, value: string | null): Partial<Record<N, string>> =>
  value === null ? {} : ({ [name]: value } as Partial<Record<N, string>>);
