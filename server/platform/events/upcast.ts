import type { Logged } from '#contract/events.ts';
import type { Rows } from '#contract/fold.ts';

/**
 * Converts a stored event to its current form; `rows` are those after the previous events. Older
 * results don't say that they correct another one: they do if the run exists and has ended, which
 * is known only when the whole log is folded. They get the correction that they had then.
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
