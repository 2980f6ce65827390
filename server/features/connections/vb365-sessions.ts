import type { CompanyN, Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import {
  parseTime,
  readLog,
  SessionShape,
  type Vb365Client,
  type Vb365Session,
} from '#server/engine/public/veeam-client.ts';
import { openChannels } from './channels.ts';
import { recordRuns, type StoredJob } from './deliver.ts';
import {
  forgetGone,
  keepFound,
  loadFound,
  type RoundResult,
  type CollectTask,
  type Thing,
} from './task.ts';
import { getVb365Run, hasEnded } from './vb365-runs.ts';

/** How far back the first round goes, and how much every round reads again. */
const FIRST_MS: Ms = 7 * DAY_MS;
const AGAIN_MS: Ms = DAY_MS;
/** How long a recorded session is remembered. */
const REMEMBER_MS: Ms = FIRST_MS + DAY_MS;

/** A job of the server as it was found, and whose it is. */
interface KnownJob extends StoredJob {
  readonly id: string;
}

/**
 * Reads the sessions since the last round, and those that run. A session is recorded under its own
 * id: while it runs, and once when it has ended, with the lines of its log. If a session is still
 * running, the next round begins with it: its server may say later that it ended long ago. So does the
 * first round after a time without connection, however long.
 */
export async function readSessions(task: CollectTask, client: Vb365Client): Promise<RoundResult> {
  const { context, tenant, connection } = task;
  const now = context.clock.now();
  const begin = Math.min(now, task.cursor['from'] ?? now - FIRST_MS + AGAIN_MS);
  const from = begin - AGAIN_MS;
  const { jobs, recorded } = await context.store.tenant(
    tenant,
    async (tx) => ({
      jobs: new Map(
        (await loadFound(tx, connection.id, ['jobs'])).map(({ uid, row }) => [
          uid,
          { ...(row as unknown as StoredJob), id: uid },
        ]),
      ),
      recorded: new Set((await loadFound(tx, connection.id, ['sessions'])).map(({ uid }) => uid)),
    }),
    { readOnly: true },
  );
  let rows = 0;
  let unlinked = 0;
  let next = now;
  for await (const page of listSessions(client, jobs, { from, begin })) {
    rows += page.length;
    const owned = page.flatMap(({ job, session }) =>
      job?.company == null ? [] : [{ job, company: job.company, session }],
    );
    unlinked += page.length - owned.length;
    for (const { session } of owned)
      if (!hasEnded(session)) next = Math.min(next, parseTime(session.creationTime) ?? next);
    await record(
      task,
      client,
      owned.filter(
        ({ job, session }) =>
          !recorded.has(session.id) && (parseTime(session.creationTime) ?? 0) >= job.movedAt,
      ),
    );
    const ended = page.filter(({ job, session }) => job?.company != null && hasEnded(session));
    await context.store.tenant(tenant, (tx) =>
      keepFound(
        tx,
        task,
        ended.map(({ job, session }): Thing => {
          recorded.add(session.id);
          return { uid: session.id, name: session.id, company: job?.company ?? null, row: {} };
        }),
      ),
    );
    await task.keep({ from: begin });
  }
  await context.store.tenant(tenant, (tx) => forgetGone(tx, task, REMEMBER_MS));
  return { rows, unlinked, cursor: { from: next } };
}

type JobSession = { readonly job: KnownJob | undefined; readonly session: Vb365Session };

/**
 * Version 8 lists the sessions of all jobs; version 7 names the job of none, so there they are
 * listed job by job.
 */
async function* listSessions(
  client: Vb365Client,
  jobs: ReadonlyMap<string, KnownJob>,
  { from, begin }: { readonly from: Ms; readonly begin: Ms },
): AsyncGenerator<readonly JobSession[]> {
  const since = `endTimeLowerBound=${encodeURIComponent(new Date(from).toISOString())}`;
  if ((await client.findVersion()) === 'v8') {
    for (const filter of [since, 'status=Running'])
      for await (const rows of client.readPages(`JobSessions?${filter}`, SessionShape))
        yield rows.map((session) => ({ job: jobs.get(session.jobId ?? ''), session }));
    return;
  }
  for (const job of jobs.values()) {
    const lastRun = parseTime(getText(job.more['lastRun']));
    const isRunning = job.more['lastStatus'] === 'Running';
    // A job that didn't run since has no new session.
    const isIdle = !isRunning && lastRun !== null && lastRun < Math.min(from, begin) - AGAIN_MS;
    if (job.company === null || lastRun === null || isIdle) continue;
    for await (const rows of client.readPages(`JobSessions?jobId=${job.id}&${since}`, SessionShape))
      yield rows.map((session) => ({ job, session }));
    if (isRunning) yield [...(await findRunning(client, job))];
  }
}

/** A running session has no end, so a list by end lacks it. The newest are on the first page. */
async function findRunning(client: Vb365Client, job: KnownJob): Promise<JobSession[]> {
  for await (const rows of client.readPages(`JobSessions?jobId=${job.id}`, SessionShape, 10))
    return rows.filter((session) => !hasEnded(session)).map((session) => ({ job, session }));
  return [];
}

async function record(
  task: CollectTask,
  client: Vb365Client,
  owned: readonly {
    readonly job: KnownJob;
    readonly company: CompanyN;
    readonly session: Vb365Session;
  }[],
): Promise<void> {
  if (owned.length === 0) return;
  const channels = await openChannels(
    task.context,
    task.tenant,
    task.connection,
    owned.map(({ company }) => company),
  );
  const executions = new Map<CompanyN, { readonly execution: unknown }[]>();
  for (const { job, company, session } of owned) {
    // A session that is running or succeeded has nothing to say.
    const hasLog = hasEnded(session) && session.status !== 'Success';
    const run = getVb365Run(session, hasLog ? await readLog(client, session.id) : []);
    if (run === null) continue;
    const list = executions.get(company) ?? [];
    list.push({ execution: { ...job.facts, ...run } });
    executions.set(company, list);
  }
  await Promise.all(
    [...executions].map(([company, own]) => recordRuns(task, own, channels.get(company))),
  );
}

const getText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
