import type { RunN } from '#contract/ids.ts';
import type { RefusedView } from '#workers/api.ts';
import type { ColumnStore, Refusals } from '#workers/types.ts';

/** Refused runs, grouped by reason in order of appearance. */
export function byReason(
  refused: readonly { readonly run: RunN; readonly message: string }[],
): Refusals[] {
  const reasons = new Map<string, RunN[]>();
  for (const { run, message } of refused) {
    const runs = reasons.get(message);
    if (runs) runs.push(run);
    else reasons.set(message, [run]);
  }
  return [...reasons].map(([why, runs]) => ({ why, runs }));
}

export const runsIn = (by: readonly Refusals[]): readonly RunN[] => by.flatMap(({ runs }) => runs);

/** Returns the first `most` of them with names, as far as this device knows the runs. */
export function refusedView(
  engine: Pick<ColumnStore, 'runs' | 'row'>,
  by: readonly Refusals[],
  max: number,
): RefusedView {
  const shown = engine.runs(runsIn(by).slice(0, max));
  let left = max;
  const reasons = by.map(({ why, runs }) => {
    const refused = runs.slice(0, left).map((run) => {
      const here = shown.get(run);
      const job = here && engine.row('job', here.job);
      const company = here && engine.row('company', here.company);
      return {
        run,
        jobName: job?.name ?? null,
        companyName: company?.name ?? null,
        startedAt: here ? here.startSec * 1000 : null,
      };
    });
    left -= refused.length;
    return { why, count: runs.length, runs: refused };
  });
  return { count: runsIn(by).length, reasons };
}
