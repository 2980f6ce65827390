import type {
  EngineResult,
  ListPointsInput,
  EnginePage,
  RestorePoint,
  Workload,
} from '#contract/engine/engine.ts';
import type { BackupJobId, Ms, PointId } from '#contract/ids.ts';
import { explorerMessages } from '../../shared/explorer.messages.en.ts';
import { failed, ok } from '../../result.ts';
import { getNextOffset } from '../paging.ts';
import type { OpenedServer } from '../servers.ts';
import { parseTime } from '../times.ts';
import { toPageShape, PointShape, type Vb365Point } from './shapes.ts';

const FLAGS = {
  outlook: 'isExchange',
  onedrive: 'isOneDrive',
  sharepoint: 'isSharePoint',
  teams: 'isTeams',
} as const satisfies Record<Workload, keyof Vb365Point>;

/** The jobs of the organization by their id on the server. */
export type JobIds = ReadonlyMap<string, BackupJobId>;

/**
 * Lists restore points as the server has them, the newest first. It can't be asked for those of a
 * workload, so a page may have fewer rows.
 */
export async function listPoints(
  { client, key }: Pick<OpenedServer, 'client' | 'key'>,
  jobs: JobIds,
  { job, from, to, workload = null, cursor, limit }: ListPointsInput,
): Promise<EngineResult<EnginePage<RestorePoint>>> {
  const offset = readOffset(cursor);
  if (offset === null) return failed('invalid', explorerMessages.wrongCursor, { field: 'cursor' });
  const jobKey = job === null ? null : findServerJobId(jobs, job);
  if (jobKey === undefined) return ok({ rows: [], next: null, count: 0 });
  const query = new URLSearchParams({
    organizationId: key,
    orderAsc: 'false',
    limit: String(limit),
    offset: String(offset),
    ...(jobKey !== null && { jobId: jobKey }),
    ...(from !== null && { from: iso(from) }),
    ...(to !== null && { to: iso(to) }),
  });
  const page = await client.read(`RestorePoints?${query.toString()}`, toPageShape(PointShape));
  const next = getNextOffset(page, offset, limit);
  return ok({
    rows: page.results.flatMap((row) => toPoint(row, jobs, workload)),
    next: next === null ? null : String(next),
    count: null,
  });
}

/** Returns the newest point of a workload at or before a moment; null: there is none. */
export async function findPoint(
  server: Pick<OpenedServer, 'client' | 'key'>,
  jobs: JobIds,
  {
    job,
    at,
    workload,
  }: { readonly job: BackupJobId | null; readonly at: Ms; readonly workload: Workload },
): Promise<RestorePoint | null> {
  for (let cursor: string | null = null; ;) {
    const page: EngineResult<EnginePage<RestorePoint>> = await listPoints(server, jobs, {
      job,
      from: null,
      to: at,
      workload,
      cursor,
      limit: 100,
    });
    if (!page.ok) return null;
    const [newest] = page.value.rows.toSorted((a, b) => b.at - a.at);
    if (newest !== undefined) return newest;
    cursor = page.value.next;
    if (cursor === null) return null;
  }
}

/** Only the server's sessions say what has changed and what a point lacks. */
function toPoint(row: Vb365Point, jobs: JobIds, workload: Workload | null): RestorePoint[] {
  const at = parseTime(row.backupTime);
  if (at === null || row.isDeleted === true) return [];
  if (workload !== null && row[FLAGS[workload]] !== true) return [];
  const jobKey = row.jobId ?? '';
  const job = jobs.get(jobKey) ?? (jobKey as BackupJobId);
  return [{ id: row.id as PointId, job, at, changes: null, result: 'success', lacks: [] }];
}

export const findServerJobId = (jobs: JobIds, id: BackupJobId): string | undefined =>
  [...jobs].find(([, one]) => one === id)?.[0];

export const iso = (at: Ms): string => new Date(at).toISOString();

/** Null: it is no cursor of a list. */
export function readOffset(cursor: string | null): number | null {
  if (cursor === null) return 0;
  return /^\d{1,9}$/.test(cursor) ? Number(cursor) : null;
}
