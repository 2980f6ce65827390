import { RUN_STATES } from '#contract/runs/query.ts';
import { dayStartsAround } from '#workers/columns/days.ts';
import { getOutline } from '#workers/columns/candidate-rows.ts';
import type { Outline } from '../types.ts';
import { getTableRows } from './table-snapshots.ts';
import { encodeWarmStart, WARM_START_SEC } from './warm-start-cache.ts';
import { ownManifest, putManifest, type DiskContext } from './disk-context.ts';
import type { Manifest } from './manifest.ts';
import {
  findSegment,
  openChunk,
  openWho,
  readSnapshotRows,
  listSmallSnapshots,
} from './reading.ts';

/**
 * A job is read for the window that shows it: a few windows of jobs, from both initial orders of a
 * list.
 */
const JOBS_EACH = 192;
const DAYS_BACK = 200;
const DAYS_AHEAD = 30;

export const isWarmStartStale = (m: Manifest): boolean => m.front?.generation !== m.generation;

/**
 * Builds the warm-start cache. Returns false if segments or table snapshots have changed meanwhile.
 */
export async function buildWarmStart(context: DiskContext, seen: Manifest): Promise<boolean> {
  const until = Math.max(0, ...seen.segments.map(({ toSec }) => toSec));
  const fromSec = until - WARM_START_SEC;
  const ns = new Set<number>();
  const outlines: Outline[] = [];
  const segments = seen.segments.filter(({ toSec }) => toSec >= fromSec).map(({ id }) => id);
  for (const id of segments) {
    const columns = await findSegment(context, id);
    if (columns === null) return false;
    const { rows, start, problem } = columns;
    outlines.push(getOutline(columns));
    for (let row = 0; row < rows && (start[row] ?? 0) >= fromSec; row++) ns.add(problem[row] ?? 0);
  }
  ns.delete(0);
  const { problem = [] } = await readSnapshotRows(context, { problem: ns });
  const byN = new Map(problem.map((row) => [row.n, row]));
  const newest = [...ns]
    .map((n) => byN.get(n))
    .filter((row) => row?.closedAt === null && row.review === null)
    .filter((row) => row !== undefined);
  const worst = newest.toSorted(
    (a, b) => RUN_STATES.indexOf(a.state) - RUN_STATES.indexOf(b.state),
  );
  const { job = [] } = await readSnapshotRows(context, {
    job: [...worst.slice(0, JOBS_EACH), ...newest.slice(0, JOBS_EACH)].map((one) => one.job),
  });
  const [record, snapshots] = await context.stores.read(['meta', 'books'], async (store) =>
    Promise.all([store.get('meta', 'who'), listSmallSnapshots(store)]),
  );
  const who = await openWho(context, record);
  const small = getTableRows(await Promise.all(snapshots.map((one) => openChunk(context, one))));
  const { timeZone, dayBeginsHour } = who.branding;
  const days = dayStartsAround(timeZone, dayBeginsHour, until * 1000, DAYS_BACK, DAYS_AHEAD);
  const sealed = await context.cipher.seal(
    'meta',
    'front',
    encodeWarmStart(
      { who, rows: { ...small, problem }, days, problemsOf: { segments, fromSec, outlines } },
      job,
    ),
  );
  return context.stores.write(['meta'], async (store) => {
    const now = await ownManifest(context, store);
    if (now.generation !== seen.generation) return false;
    await store.put('meta', { name: 'front', sealed });
    await putManifest(store, { ...now, front: { generation: now.generation, folds: now.folds } });
    return true;
  });
}
