import { RUN_STATES } from '#contract/monitoring/query.ts';
import { dayStartsAround } from '#workers/columns/days.ts';
import { openJson, sealJson } from './cipher.ts';
import { FRONT_SEC, type Front } from './front.ts';
import { ownManifest, putManifest, type Ground } from './ground.ts';
import type { Manifest } from './manifest.ts';
import { pack } from './packing.ts';
import { findSegment, rowsOfBooks, type Who } from './reading.ts';

/** A job is read for the window that shows it: no more than several windows of them, the worst first. */
const MOST_JOBS = 2_048;
const DAYS_BACK = 200, DAYS_AHEAD = 30;

export const isFrontStale = (m: Manifest): boolean => m.front !== m.generation;

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
  const who = await ground.shelves.read(['meta'], (shelf) => shelf.get('meta', 'who'));
  const { branding: { timeZone, dayBeginsHour } } = await openJson<Who>(ground.cipher, 'meta', 'who', who?.name === 'who' ? who.sealed : undefined);
  const front: Front = {
    load: seen.load, folds: seen.folds, problem: pack(problem), job: pack(job),
    days: dayStartsAround(timeZone, dayBeginsHour, newest * 1000, DAYS_BACK, DAYS_AHEAD),
  };
  const sealed = await sealJson(ground.cipher, 'meta', 'front', front);
  return ground.shelves.write('relaxed', ['meta'], async (shelf) => {
    const now = await ownManifest(ground, shelf);
    if (now.generation !== seen.generation) return false;
    await shelf.put('meta', { name: 'front', sealed });
    await putManifest(shelf, { ...now, front: now.generation });
    return true;
  });
}
