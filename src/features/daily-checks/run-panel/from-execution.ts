import type { RunN } from '#contract/ids.ts';
import type { Execution } from '#contract/runs/calls.ts';
import type { RunView } from '#contract/runs/query.ts';

/**
 * Converts the server's answer to the panel's run if the device has no row of it. Numbers that the
 * server does not report are 0, so there is no strip, job history or cause.
 */
export function getRow(n: RunN, run: Execution): RunView {
  const state = run.status === 'Success' && run.anomaly.length > 0 ? 'Anomaly' : run.status;
  const startedAt = Date.parse(run.startTime);
  const openedAt = at(run.problem?.openedAt ?? null);
  return {
    n,
    job: 0,
    jobName: run.jobName,
    company: 0,
    companyName: run.companyName,
    computer: run.computerName,
    source: run.source,
    type: run.type,
    managed: run.managed,
    scheduleState: run.scheduleState,
    status: run.status,
    state,
    startedAt,
    durationSec: run.durationSec,
    usualDuration: null,
    bytes: run.bytesTransferred,
    usualBytes: null,
    message: run.message,
    template: run.problem?.cause ?? null,
    strip: [],
    lastGoodAt: at(run.lastSuccessAt),
    review: run.state,
    waiting: false,
    problem:
      run.problem && openedAt !== null
        ? {
            n: 0,
            cause: 0,
            kind: run.problem.kind,
            day: Math.floor(Math.max(0, startedAt - openedAt) / 86_400_000) + 1,
            openedAt,
            closedAt: at(run.problem.closedAt),
            review: null,
            snooze: null,
            ticket: run.problem.ticket,
            note: run.note && {
              by: run.note.authorId,
              at: Date.parse(run.note.at),
              content: run.note.content,
              name: '',
            },
          }
        : null,
  };
}

const at = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));
