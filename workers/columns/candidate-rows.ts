import type { LeanRun, RunColumns } from '#contract/runs/columns.ts';
import type { Outline } from '#workers/types.ts';

/**
 * The greatest numbers in the columns, so that every table over them is long enough, and the kinds
 * that occur. Only ever grows.
 */
export class CandidateRows {
  job = 0;
  problem = 0;
  company = 0;
  /** Kinds that occur, in order of appearance: far fewer than are possible. */
  readonly kinds: number[] = [];
  private readonly known = new Uint8Array(0x1_0000);

  note({ rows, job, problem, company, kind }: RunColumns): void {
    let maxJob = this.job;
    let maxProblem = this.problem;
    let maxCompany = this.company;
    for (let row = 0; row < rows; row++) {
      const j = job[row] ?? 0;
      const p = problem[row] ?? 0;
      const c = company[row] ?? 0;
      const k = kind[row] ?? 0;
      if (j > maxJob) maxJob = j;
      if (p > maxProblem) maxProblem = p;
      if (c > maxCompany) maxCompany = c;
      if (this.known[k] === 0) this.noteKind(k);
    }
    this.job = maxJob;
    this.problem = maxProblem;
    this.company = maxCompany;
  }

  /** Adds the outline of columns that were scanned before. */
  noteOutline({ job, problem, company, kinds }: Outline): void {
    this.job = Math.max(this.job, job);
    this.problem = Math.max(this.problem, problem);
    this.company = Math.max(this.company, company);
    for (const kind of kinds) if (this.known[kind] === 0) this.noteKind(kind);
  }

  noteRun(run: LeanRun): void {
    this.job = Math.max(this.job, run.job);
    this.problem = Math.max(this.problem, run.problem ?? 0);
    this.company = Math.max(this.company, run.company);
    if (this.known[run.kind] === 0) this.noteKind(run.kind);
  }

  private noteKind(kind: number): void {
    this.known[kind] = 1;
    this.kinds.push(kind);
  }
}

export function getOutline(columns: RunColumns): Outline {
  const reach = new CandidateRows();
  const problemRows: number[] = [];
  reach.note(columns);
  columns.problem.forEach((one, row) => {
    if (one !== 0) problemRows.push(row);
  });
  return {
    job: reach.job,
    problem: reach.problem,
    company: reach.company,
    kinds: reach.kinds,
    problemRows,
  };
}
