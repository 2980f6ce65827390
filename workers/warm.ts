import { encodeColumns, viewColumns } from '#contract/monitoring/columns.ts';
import { isTimeZone } from '#contract/monitoring/day.ts';
import { EVERYTHING } from '#contract/monitoring/query.ts';
import type { Engine } from './seams.ts';

/**
 * What the first answer would wait for is done while the database is being opened: the browser loads its calendars, which takes longer
 * than the answer, and compiles the way from a page of runs to rows. `engine` is thrown away.
 */
export function warmUp(engine: Engine): void {
  isTimeZone('Europe/London');
  const run = { n: 1, job: 1, company: 1, problem: 1, startSec: 1, elapsedSec: 1, bytes: 1, kind: 0, message: null };
  const columns = viewColumns(encodeColumns(Array.from({ length: 64 }, (_, i) => ({ ...run, n: 64 - i }))).buffer);
  engine.zone('Europe/London', 0);
  engine.addSegment(columns);
  engine.put({ problem: [{
    n: 1, job: 1, company: 1, cause: 1, state: 'Failed', openedAt: 1, lastAt: 1, lastRun: 1, runs: 1, closedAt: null, closedBy: null, review: null,
    snooze: null, note: null, ticket: null,
  }] });
  for (const order of ['worst', 'newest'] as const) {
    engine.view(engine.select({ ...EVERYTHING, from: 0, rows: 'jobs', review: 'pending', order }, 2_000), { first: 0, count: 10 }, 2_000);
  }
  engine.clear();
}
