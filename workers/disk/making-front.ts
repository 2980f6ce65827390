import { RUN_STATES } from '#contract/monitoring/query.ts';
import { dayStartsAround } from '#workers/columns/days.ts';
import { rowsOf } from './books.ts';
import { encodeFront, FRONT_SEC } from './front.ts';
import { ownManifest, putManifest, type Ground } from './ground.ts';
import type { Manifest } from './manifest.ts';
import { findSegment, openChunk, openWho, rowsOfBooks, smallBooks } from './reading.ts';

/** A job is read for the window that shows it: no more than many windows of them, the worst first. */
const MOST_JOBS = 2_048;
const DAYS_BACK = 200, DAYS_AHEAD = 30;

export const isFrontStale = (m: Manifest): boolean => m.front?.generation !== m.generation;

/** Answers false where segments or books have changed meanwhile. */
export async function makeFront(ground: Ground, seen: Manifest): Promise<boolean> {
  const newest = Math.max(0, ...seen.segments.map(({ toSec }) => toSec)), ns = new Set<number>();
  for (const { id } of seen.segments.filter(({ toSec }) => toSec >= newest - FRONT_SEC)) {
    const columns = await findSegment(ground, id);
    if (columns === null) return false;
    const { rows, start, problem } = columns;
    for (let row = 0; row < rows && (start[row] ?? 0) >= newest - FRONT_SEC; row++) ns.add(problem[row] ?? 0);
  }
  ns.delete(0);
  const { problem = [] } = await rowsOfBooks(ground, { problem: ns });
  const open = problem.filter(({ closedAt }) => closedAt === null).sort((a, b) => RUN_STATES.indexOf(a.state) - RUN_STATES.indexOf(b.state) || b.lastRun - a.lastRun);
  const { job = [] } = await rowsOfBooks(ground, { job: open.slice(0, MOST_JOBS).map((one) => one.job) });
  const [record, books] = await ground.shelves.read(['meta', 'books'], async (shelf) => Promise.all([shelf.get('meta', 'who'), smallBooks(shelf)]));
  const who = await openWho(ground, record), small = rowsOf(await Promise.all(books.map((one) => openChunk(ground, one))));
  const { timeZone, dayBeginsHour } = who.branding;
  const days = dayStartsAround(timeZone, dayBeginsHour, newest * 1000, DAYS_BACK, DAYS_AHEAD);
  const sealed = await ground.cipher.seal('meta', 'front', encodeFront({ who, rows: { ...small, problem }, days }, job));
  return ground.shelves.write('relaxed', ['meta'], async (shelf) => {
    const now = await ownManifest(ground, shelf);
    if (now.generation !== seen.generation) return false;
    await shelf.put('meta', { name: 'front', sealed });
    await putManifest(shelf, { ...now, front: { generation: now.generation, folds: now.folds } });
    return true;
  });
}
