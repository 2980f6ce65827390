import { RUN_STATES } from '#contract/monitoring/query.ts';
import type { RunState, RunView, RunsView } from '#contract/monitoring/query.ts';
import type { Status } from '#contract/monitoring/words.ts';
import type { RunsWatch } from '#workers/api.ts';
import { NOW } from './scene.ts';

const COMPANIES = ['Calloway Freight', 'Drummond & Pike', 'Eastmoor Trust', 'Hartwell Accountancy', 'Ironbridge Tooling', 'Kestrel Surveying', 'Oakhurst Credit Union'] as const;
const JOBS = ['HV nightly, all VMs', 'SQL logs, 15 min', 'File servers, daily', 'Agent, front desk', 'DC01 system state', 'NAS shares'] as const;
const CAUSES = ['Unable to connect to host ‹host›', 'VSS writer ‹name› is in state failed', 'Repository ‹name› is low on space'] as const;
const STATES: readonly RunState[] = ['Failed', 'Failed', 'Failed', 'Missed', 'Warning', 'Warning', 'Anomaly', 'Running', 'Success', 'Success'];
const TOTAL = 240;

/** Enough rows to look at a list; only states, text and window are heeded. */
export function runsOf({ filter, window }: RunsWatch): RunsView {
  const all = Array.from({ length: TOTAL }, (_, i) => row(i)).filter((run) => (filter.states.length === 0 || filter.states.includes(run.state))
    && (filter.review === null || filter.review === run.review)
    && (filter.text === '' || `${run.companyName} ${run.jobName} ${run.message ?? ''}`.toLowerCase().includes(filter.text.toLowerCase())));
  const count = (test: (run: RunView) => boolean): number => all.filter(test).length;
  return {
    total: all.length, first: window.first, rows: all.slice(window.first, window.first + window.count),
    facets: {
      review: [{ value: 'pending', count: count((run) => run.review === 'pending') }, { value: 'snoozed', count: 9 }, { value: 'cleared', count: count((run) => run.review === 'cleared') }],
      states: RUN_STATES.map((value) => ({ value, count: count((run) => run.state === value) })),
      kinds: [{ value: 'connection', count: 8 }, { value: 'snapshot', count: 6 }, { value: 'space', count: 4 }],
      companies: COMPANIES.map((name, i) => ({ value: i + 1, name, count: count((run) => run.company === i + 1) })),
      sources: [{ value: 'restic', count: 17 }, { value: 'borg', count: 5 }],
      types: [{ value: 'Backup', count: 20 }],
      managed: [],
      causes: CAUSES.map((template, i) => ({ value: i + 1, template, count: count((run) => run.problem?.cause === i + 1) })),
    },
    progress: { cleared: 312, of: 340 }, fresh: 0, newestAt: NOW, loaded: { days: 30, of: 30 }, version: 1,
  };
}

function row(i: number): RunView {
  const state = STATES[i % STATES.length] ?? 'Success';
  const bad = state !== 'Success' && state !== 'Running';
  const company = i % COMPANIES.length;
  const cause = i % CAUSES.length;
  const started = NOW - (i + 1) * 13 * 60_000;
  const status: Status = state === 'Anomaly' ? 'Success' : state;
  const cleared = bad && i % 9 === 5;
  return {
    n: 10_000 - i, job: i + 1, jobName: JOBS[i % JOBS.length] ?? '', company: company + 1, companyName: COMPANIES[company] ?? '', computer: `CF-HV0${i % 9}`,
    source: 'restic', type: 'Backup', managed: null, status, state, startedAt: started, durationSec: state === 'Missed' || state === 'Running' ? null : 300 + (i * 977) % 9_000,
    usualDuration: [600, 4_000], bytes: state === 'Missed' ? null : (i * 7_919_191) % 96_400_000_000, usualBytes: [8_100_000_000, 11_600_000_000],
    message: bad ? `Unable to connect to host cf-hv0${i % 9}.calloway.example: timed out` : null, template: bad ? (CAUSES[cause] ?? null) : null,
    strip: Array.from({ length: 14 }, (_, day) => (day === 13 ? state : (day + i) % 11 === 0 ? 'Warning' : (day * i) % 13 === 7 ? null : 'Success')),
    lastGoodAt: started - 86_400_000 * (1 + i % 3), review: cleared ? 'cleared' : bad ? 'pending' : 'none', waiting: i % 17 === 3,
    problem: !bad ? null : {
      n: i + 1, cause: cause + 1, kind: 'connection', day: 1 + i % 6, openedAt: started, closedAt: null, snooze: null, note: null, ticket: i % 5 === 0 ? '48213' : null,
      review: cleared ? { by: 'u1', at: NOW - 120_000, comment: null, name: 'Dana Reyes' } : null,
    },
  };
}
