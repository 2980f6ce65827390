import { CompiledQuery } from 'kysely';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { DAY_MS, HOUR_MS } from '#contract/time/durations.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { openChannels } from './channels.ts';
import { type StoredJob, recordRuns } from './deliver.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { loadFound, type RoundResult, type CollectTask } from './task.ts';
import { sessionRun } from './vspc-jobs.ts';
import { Heatmap, type HeatmapSession } from './vspc-shapes.ts';

/**
 * How far back the first round goes, and how much every round reads again, because a session that
 * ended since began earlier.
 */
const FIRST_MS: Ms = 7 * DAY_MS;
const AGAIN_MS: Ms = DAY_MS;

/**
 * Reads the session history, which fills the gaps of the job lists: those report only the last
 * session. The history has no job id, so the job is identified by its organization, agent and name;
 * sessions that match no job or several are skipped. Runs that are already stored with their end
 * are not changed, because the job list has more detail. The read is split into time slices, and
 * each is stored.
 */
export async function sessionsOfVspc(task: CollectTask): Promise<RoundResult> {
  const { context, tenant, connection } = task;
  const now = context.clock.now();
  const jobs = jobsByName(
    await context.store.tenant(
      tenant,
      (tx) => loadFound(tx, connection.id, ['jobs', 'agent-jobs', 'office365-jobs']),
      { readOnly: true },
    ),
  );
  let from = Math.max(now - FIRST_MS, Math.min(now, (task.cursor['from'] ?? 0) - AGAIN_MS));
  let width = DAY_MS;
  let rows = 0;
  let unlinked = 0;
  while (from < now) {
    const to = Math.min(now, from + width);
    const sessions = await slice(task, from, to).catch((error: unknown) => {
      // The response is too large, so the slice is halved.
      if (error instanceof SourceError && error.reason === 'too-large' && width > HOUR_MS)
        return null;
      throw error;
    });
    if (sessions === null) {
      width /= 2;
      continue;
    }
    rows += sessions.length;
    const known = sessions.flatMap((session) => {
      const job = jobs.get(
        getName(session.organizationUid, session.managementAgentUid, session.jobName),
      );
      const run = sessionRun(session);
      return job == null || run === null ? [] : [{ job, run }];
    });
    unlinked += sessions.length - known.length;
    const own = known.filter(
      ({ job, run }) => job.company !== null && Date.parse(run.startTime) >= job.movedAt,
    );
    await fill(task, own);
    from = to;
    await task.keep({ from });
  }
  return { rows, unlinked, cursor: { from: now } };
}

async function slice({ client }: CollectTask, from: Ms, to: Ms): Promise<HeatmapSession[]> {
  const { data } = await client.read(
    `infrastructure/jobSessionHeatmap/?from=${iso(from)}&to=${iso(to)}`,
    Heatmap,
  );
  return (data.dataPerDays ?? []).flatMap(({ sessions }) => sessions ?? []);
}
const iso = (at: Ms): string => encodeURIComponent(new Date(at).toISOString());

interface One {
  readonly job: StoredJob;
  readonly run: NonNullable<ReturnType<typeof sessionRun>>;
}

async function fill(task: CollectTask, all: readonly One[]): Promise<void> {
  const { context, tenant, connection } = task;
  if (all.length === 0) return;
  const channels = await openChannels(
    context,
    tenant,
    connection,
    all.flatMap(({ job: { company } }) => (company === null ? [] : [company])),
  );
  const known = await context.store.tenant(tenant, (tx) => ended(tx, channels, all), {
    readOnly: true,
  });
  const fresh = Map.groupBy(
    all.filter((_one, place) => !known.has(place)),
    ({ job }) => job.company ?? 0,
  );
  // In parallel, so that companies waiting for the same lock share a transaction.
  await Promise.all(
    [...fresh].map(([company, own]) =>
      recordRuns(
        task,
        own.map(({ job, run }) => ({ execution: { ...job.facts, ...run } })),
        channels.get(company),
      ),
    ),
  );
}

/** Returns the indexes of sessions whose run is already stored with its end. */
async function ended(
  tx: TenantTx,
  channels: ReadonlyMap<CompanyN, IngestKeyRow>,
  all: readonly One[],
): Promise<Set<number>> {
  const keys = all.map(({ job, run }, i) => ({
    i,
    key: channels.get(job.company ?? 0)?.id ?? null,
    uid: job.facts.jobInstanceUid,
    at: Date.parse(run.startTime),
  }));
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(
      `select x.i from json_to_recordset($2::text::json) as x(i int, key text, uid text, at bigint)
    cross join lateral (select n from job where tenant_id = $1 and key_id = x.key and uid = x.uid offset 0) as j
    cross join lateral (select n from run where tenant_id = $1 and started_at = x.at and job_n = j.n and status not in ('Running', 'Missed') limit 1) as r`,
      [tx.tenant, JSON.stringify(keys)],
    ),
  );
  return new Set((rows as { i: number }[]).map(({ i }) => i));
}

const getName = (
  org: string | null | undefined,
  agent: string | null | undefined,
  job: string | null | undefined,
): string => [org, agent, job].map((part) => (part ?? '').toLowerCase()).join('\n');

/** The value is null if several jobs have the same name. */
function jobsByName(found: readonly { readonly row: unknown }[]): Map<string, StoredJob | null> {
  const jobs = new Map<string, StoredJob | null>();
  for (const { row } of found) {
    const job = row as StoredJob;
    const name = getName(
      String(job.more['org'] ?? ''),
      String(job.more['agent'] ?? ''),
      job.facts.job,
    );
    jobs.set(name, jobs.has(name) ? null : job);
  }
  return jobs;
}
