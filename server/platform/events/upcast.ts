import type { Logged } from '#contract/events.ts';
import type { Rows } from '#contract/fold.ts';

/**
 * An event of the log as it would be written now; `rows` are those that the events before it made.
 * Results were once written without saying that they correct another: that was seen by the run
 * being there, which holds where the whole log is folded. They count as they counted then.
 */
export function upcast(rows: Rows, logged: Logged): Logged {
  const { event } = logged;
  if (event.type !== 'run.finished@1' || event.data.corrects !== undefined) return logged;
  const { n, problem } = event.data;
  const before = rows.run?.get(n);
  if (before === undefined || before.status === 'Running') return logged;
  const row = problem === null ? undefined : rows.problem?.get(problem);
  const known =
    before.problem === problem || (row !== undefined && row.runs > 0 && row.lastRun === n);
  return {
    ...logged,
    event: { ...event, data: { ...event.data, corrects: { problem: known ? problem : null } } },
  };
}
