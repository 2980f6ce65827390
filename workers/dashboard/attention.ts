import type { Attention } from '#contract/dashboard/overview.ts';
import type { Ms } from '#contract/ids.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { getDay, startOfDay } from '#contract/time/day.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import { getHistories, lastGoodAt, STRIP_DAYS, buildStrip } from '#workers/columns/history.ts';
import type { Segment } from '#workers/columns/segment.ts';
import { getMessage, getRow } from '#workers/columns/segment.ts';
import type { ColumnStore } from '#workers/types.ts';

const MAX_LINES = 8;

/** Problems shown as one line. `head`: the one with the newest run. */
interface Line {
  readonly head: ProblemRow;
  readonly worst: ProblemRow['state'];
  readonly jobs: number;
  readonly companies: number;
  readonly since: Ms;
  readonly shared: boolean;
}

/**
 * Returns what needs attention now (OVER-4), worst first: by state as in the list, then by number
 * of jobs, then newest first.
 */
export function getAttention(
  engine: ColumnStore,
  pending: readonly ProblemRow[],
  now: Ms,
): readonly Attention[] {
  const lines = getLines(pending).sort(
    (a, b) =>
      rank(a.worst) - rank(b.worst) ||
      b.jobs - a.jobs ||
      b.head.lastAt - a.head.lastAt ||
      a.head.n - b.head.n,
  );
  const shown = lines.slice(0, MAX_LINES);
  const pieces: Segment[] = [];
  engine.walk(0, Infinity, (piece) => {
    pieces.push(piece);
  });
  const histories = getHistories(
    pieces,
    [...new Set(shown.map(({ head }) => head.job))],
    Math.max(engine.maxJob, ...shown.map(({ head }) => head.job)),
  );
  const starts = stripStarts(engine.wall, now);
  return shown.map(({ head, worst, jobs, companies, since, shared }) => {
    const job = engine.row('job', head.job);
    const history = histories.get(head.job) ?? [];
    return {
      state: worst,
      cause: shared ? head.cause : null,
      template: engine.row('cause', head.cause)?.template ?? null,
      message: messageOfRun(engine, head),
      jobs,
      companies,
      run: head.lastRun,
      jobName: job?.name ?? '',
      companyName: engine.row('company', head.company)?.name ?? '',
      computer: job?.computer ?? '',
      since,
      lastGoodAt: lastGoodAt(history),
      strip: buildStrip(history, starts),
    };
  });
}

/** One line per cause that two or more jobs share, else one per job. */
function getLines(pending: readonly ProblemRow[]): Line[] {
  const lines: Line[] = [];
  const alone: ProblemRow[] = [];
  for (const problems of heaps(pending, ({ cause }) => cause)) {
    if (new Set(problems.map(({ job }) => job)).size > 1) lines.push(getLine(problems, true));
    else alone.push(...problems);
  }
  for (const problems of heaps(alone, ({ job }) => job)) lines.push(getLine(problems, false));
  return lines;
}

function heaps(
  problems: readonly ProblemRow[],
  getKey: (one: ProblemRow) => number,
): Iterable<readonly ProblemRow[]> {
  const found = new Map<number, ProblemRow[]>();
  for (const one of problems) {
    const key = getKey(one);
    const heap = found.get(key);
    if (heap) heap.push(one);
    else found.set(key, [one]);
  }
  return found.values();
}

/** 0 is worst. */
const rank = (state: ProblemRow['state']): number => RUN_STATES.indexOf(state);

function getLine(problems: readonly ProblemRow[], shared: boolean): Line {
  const [first] = problems;
  if (!first) throw new RangeError('overview: a line without a problem');
  return {
    head: problems.reduce((a, b) =>
      b.lastAt > a.lastAt || (b.lastAt === a.lastAt && b.n > a.n) ? b : a,
    ),
    worst: problems.reduce((a, b) => (rank(b.state) < rank(a.state) ? b : a)).state,
    jobs: new Set(problems.map(({ job }) => job)).size,
    companies: new Set(problems.map(({ company }) => company)).size,
    since: problems.reduce((min, { openedAt }) => Math.min(min, openedAt), first.openedAt),
    shared,
  };
}

function messageOfRun(engine: ColumnStore, { lastRun, lastAt }: ProblemRow): string | null {
  const startSec = Math.floor(lastAt / 1000);
  let message: string | null = null;
  engine.walk(startSec, startSec + 1, (piece) => {
    const row = getRow(piece, { startSec, n: lastRun });
    if (row >= 0) message = getMessage(piece, row);
  });
  return message;
}

function stripStarts({ timeZone, dayBeginsHour }: ColumnStore['wall'], now: Ms): readonly Ms[] {
  const today = getDay(now, timeZone, dayBeginsHour);
  return Array.from({ length: STRIP_DAYS }, (_, i) =>
    startOfDay(today - STRIP_DAYS + 1 + i, timeZone, dayBeginsHour),
  );
}
