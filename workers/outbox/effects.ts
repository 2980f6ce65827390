import type { NewEvent, Logged } from '#contract/events.ts';
import { emptyTables, fold } from '#contract/fold.ts';
import type { RowId, FoldTable } from '#contract/fold.ts';
import type { TABLES, Tables } from '#contract/tables.ts';
import { FOLDED_TABLES } from '#workers/tables.ts';
import type { ProblemN, RunN, UserId } from '#contract/ids.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import { decideChange } from '#contract/runs/change.ts';
import type { Target } from '#contract/runs/change.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { QueuedCommand, ColumnStore, FoldedTable } from '#workers/types.ts';
import { parseCommand } from './outbox-command.ts';
import type { OutboxCommand } from './outbox-command.ts';

/** Tables whose rows have a text key: users' own data and settings, besides results. */
export type OwnTable = {
  [T in FoldedTable]: (typeof TABLES)[T]['key'] extends 'id' ? T : never;
}[FoldedTable];
export type OwnRows = { readonly [T in OwnTable]: ReadonlyMap<RowId, Tables[T]> };
export interface Effects {
  readonly problem: ReadonlyMap<ProblemN, ProblemRow>;
  readonly own: OwnRows;
}

/**
 * Returns the rows as they will be once every command has arrived (OUT-4): the server's own
 * decision and fold, applied to the current rows, one command after the other. Recalculated
 * whenever the rows or the pending commands change, so that a later command never builds on a
 * reverted one.
 */
export function getEffects(
  engine: Pick<ColumnStore, 'row' | 'runs'>,
  commands: readonly QueuedCommand[],
  me: UserId,
  getName: (id: UserId) => string,
): Effects {
  const over = emptyTables(FOLDED_TABLES);
  const table = <T extends FoldedTable>(name: T): FoldTable<Tables[T]> => ({
    get: (id) => (over[name] as Map<RowId, Tables[T]>).get(id) ?? engine.row(name, id),
    set: (id, row) => {
      (over[name] as Map<RowId, Tables[T]>).set(id, row);
    },
  });
  const rows = {
    ...Object.fromEntries(FOLDED_TABLES.map((name) => [name, table(name)])),
    problem: table('problem'),
  };
  for (const command of commands) {
    const request = parseCommand(command);
    for (const draft of request ? getDrafts(request, command) : []) {
      const logged: Logged = {
        ...draft,
        seq: 0,
        at: command.madeAt,
        actor: { kind: 'user', id: me },
        subject: null,
        commandId: command.id,
      };
      fold(rows, logged);
    }
  }
  return { problem: over.problem as ReadonlyMap<ProblemN, ProblemRow>, own: over };

  function getDrafts(request: OutboxCommand, { madeAt }: QueuedCommand): readonly NewEvent[] {
    switch (request.kind) {
      case 'change':
        return decideChange(
          request.change,
          request.runs,
          getTargets(engine.runs(request.runs), (n) => rows.problem.get(n)),
          me,
          madeAt,
          getName,
        ).drafts;
      case 'saveView':
        return own({ type: 'view.saved@1', data: { ...request.input, owner: me } });
      case 'removeView':
        return own({
          type: 'view.deleted@1',
          data: { id: request.input.id, owner: me, shared: false },
        });
      case 'endShift':
        return own({ type: 'shift.handedOver@1', data: request.input });
      case 'prefer':
        return own({ type: 'user.preferenceSaved@1', data: { ...request.input, id: me } });
      case 'pinCompany':
        return own({ type: 'company.pinned@1', data: { ...request.input, id: me } });
      case 'enableBackupJob':
        return own({ type: 'backupjob.enabled@1', data: { id: request.input.jobId } });
      case 'disableBackupJob':
        return own({ type: 'backupjob.disabled@1', data: { id: request.input.jobId } });
    }
  }
}

const own = (event: NewEvent['event']): readonly NewEvent[] => [
  { event, company: null, entity: 'own' },
];

const getTargets = (
  runs: ReadonlyMap<RunN, LeanRun>,
  getProblem: (n: ProblemN) => ProblemRow | undefined,
): Map<RunN, Target> =>
  new Map(
    [...runs].map(([n, run]) => [
      n,
      { run, problem: run.problem === null ? null : (getProblem(run.problem) ?? null) },
    ]),
  );
