/** One engine and one set of plain rows, given the same. */
import type { LeanRun, RunColumns } from '#contract/runs/columns.ts';
import { encodeColumns, newestFirst, viewColumns } from '#contract/runs/columns.ts';
import type { CauseRow, JobRow, ProblemRow } from '#contract/runs/rows.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { getOutline } from '#workers/columns/candidate-rows.ts';
import type { ColumnStore } from '#workers/types.ts';
import type { Step } from './arbitrary.ts';
import type { Plain } from './oracle.ts';

export interface Both {
  readonly engine: ColumnStore;
  readonly plain: Plain;
  take(step: Step): void;
}

/** Sorted, and of a run given twice the later one. */
export function getColumns(runs: readonly LeanRun[]): RunColumns {
  const once = new Map(runs.map((run) => [run.n, run]));
  return viewColumns(encodeColumns([...once.values()].sort(newestFirst)).buffer);
}

export function makeBoth(timeZone = 'Europe/Berlin', beginsHour = 6): Both {
  const engine = makeEngine();
  const runs = new Map<number, LeanRun>();
  const details = new Set<number>();
  const companies = new Map<number, CompanyRow>();
  const jobs = new Map<number, JobRow>();
  const causes = new Map<number, CauseRow>();
  const problems = new Map<number, ProblemRow>();
  const over = new Map<number, ProblemRow>();
  const people = new Map([
    ['u1', 'Ann'],
    ['u2', 'Ben'],
  ]);
  const named = [...people].map(([id, name]) => ({ id, name }));
  engine.people(named);
  engine.zone(timeZone, beginsHour);
  return {
    engine,
    plain: { runs, companies, jobs, causes, problems, over, people, timeZone, beginsHour },
    take(step) {
      switch (step.kind) {
        case 'segment': {
          const columns = getColumns(step.runs);
          // half of them as the disk gives them, and half of those with their outline
          const input = step.runs.length % 2 === 0;
          engine.addSegment(
            columns,
            input,
            input && step.runs.length % 4 === 0 ? getOutline(columns) : undefined,
          );
          for (const run of step.runs) if (!details.has(run.n)) runs.set(run.n, run);
          return;
        }
        case 'upsert':
          engine.upsert(step.runs);
          for (const run of step.runs) {
            runs.set(run.n, run);
            details.add(run.n);
          }
          return;
        case 'put':
          engine.put(step);
          for (const row of step.company) companies.set(row.n, row);
          for (const row of step.job) jobs.set(row.n, row);
          for (const row of step.cause) causes.set(row.n, row);
          for (const row of step.problem) problems.set(row.n, row);
          return;
        case 'overlay':
          over.clear();
          for (const row of step.problems) over.set(row.n, row);
          engine.overlay(over);
          return;
        case 'clear':
          engine.clear();
          engine.people(named);
          for (const one of [runs, details, companies, jobs, causes, problems, over]) one.clear();
      }
    },
  };
}
