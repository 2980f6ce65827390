import type { Logged } from '#contract/events.ts';
import { fold } from '#contract/fold.ts';
import type { ProblemN, RunN, UserId } from '#contract/ids.ts';
import type { LeanRun } from '#contract/monitoring/columns.ts';
import { decideChange } from '#contract/monitoring/change.ts';
import type { Target } from '#contract/monitoring/change.ts';
import type { ProblemRow } from '#contract/monitoring/rows.ts';
import type { Command, Engine } from '#workers/seams.ts';
import { askedBy } from './asked.ts';

/**
 * The problem rows as they will be once every command has arrived (OUT-4): the server's own decision and the server's own fold, over what
 * is here now, one command after the other. Made anew whenever what is here or what is pending changes, so that a late command never
 * stands on something that was taken back.
 */
export function effectsOf(engine: Pick<Engine, 'row' | 'runs'>, commands: readonly Command[], me: UserId, nameOf: (id: UserId) => string): Map<ProblemN, ProblemRow> {
  const over = new Map<ProblemN, ProblemRow>();
  const problem = {
    get: (n: number | string) => over.get(Number(n)) ?? engine.row('problem', n),
    set: (n: number | string, row: ProblemRow) => { over.set(Number(n), row); },
  };
  for (const command of commands) {
    const asked = askedBy(command);
    if (!asked) continue;
    const targets = targetsOf(engine.runs(asked.runs), (n) => problem.get(n));
    const { drafts } = decideChange(asked.change, asked.runs, targets, me, command.madeAt, nameOf);
    for (const draft of drafts) {
      const logged: Logged = { ...draft, seq: 0, at: command.madeAt, actor: { is: 'user', id: me }, subject: null, commandId: command.id };
      fold({ problem }, logged);
    }
  }
  return over;
}

const targetsOf = (runs: ReadonlyMap<RunN, LeanRun>, problemOf: (n: ProblemN) => ProblemRow | undefined): Map<RunN, Target> =>
  new Map([...runs].map(([n, run]) => [n, { run, problem: run.problem === null ? null : problemOf(run.problem) ?? null }]));
