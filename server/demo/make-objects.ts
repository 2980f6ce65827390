import type { Task } from '#contract/runs/task.ts';
import { between, makeRng, upTo } from './random.ts';
import { roleFor } from './job-kinds.ts';
import type { JobPlan } from './plan.ts';
import type { PlannedRun } from './make-runs.ts';

/**
 * Returns what a run did with each machine or mailbox of its job; empty for jobs with a single
 * object. A failure affects one of them.
 */
export function getObjects(job: JobPlan, run: PlannedRun): Task[] {
  const count = job.source === 'office365' ? job.objects * 24 : job.objects;
  if (count < 2) return [];
  const random = makeRng(job.seed, run.startedAt, 'objects');
  // If no data was moved, the run failed at the first object and never reached the others.
  const none = run.bytes === null;
  const bad =
    run.status === 'Success'
      ? -1
      : none || (run.message?.includes(job.computer) ?? false)
        ? 0
        : upTo(random, count);
  const all = getNames(job, count).map(
    (
      name,
      place,
    ): { readonly name: string; readonly status: Task['status']; readonly weight: number } => {
      const status = place === bad ? run.status : none ? 'Pending' : 'Success';
      return {
        name,
        status,
        weight: status === 'Success' || status === 'Warning' ? between(random, 0.3, 1.7) : 0,
      };
    },
  );
  const whole = all.reduce((sum, one) => sum + one.weight, 0);
  let startedAt = run.startedAt;
  return all.map(({ name, status, weight }, place): Task => {
    const share = whole === 0 ? 0 : weight / whole;
    const durationSec =
      status === 'Pending'
        ? null
        : Math.max(
            1,
            Math.round(run.durationSec * (weight === 0 ? between(random, 0.05, 0.3) : share)),
          );
    const task: Task = {
      name,
      status,
      startTime: status === 'Pending' ? null : new Date(startedAt).toISOString(),
      durationSec,
      bytesTransferred: weight === 0 || run.bytes === null ? null : Math.round(run.bytes * share),
      bytesProcessed:
        weight === 0 || run.processed === null ? null : Math.round(run.processed * share),
      message: place === bad ? run.message : null,
    };
    startedAt = Math.min(run.endedAt, startedAt + (weight === 0 ? 0 : (durationSec ?? 0) * 1000));
    return task;
  });
}

/** The same objects in each run. The first machine is the one the job is named after. */
function getNames(job: JobPlan, count: number): string[] {
  if (job.source === 'office365')
    return Array.from({ length: count }, (_, place) => getPerson((job.seed % 997) + place));
  const random = makeRng(job.seed, 'objects');
  const prefix = job.computer.replace(/-[^-]*$/, '');
  const names = [job.computer];
  while (names.length < count) {
    const role = roleFor('vm', random);
    for (let number = 1; ; number += 1) {
      const name = `${prefix}-${role}${String(number).padStart(2, '0')}`;
      if (names.includes(name)) continue;
      names.push(name);
      break;
    }
  }
  return names;
}

const FIRST = [
  'Aileen',
  'Bruno',
  'Chidi',
  'Dagny',
  'Emre',
  'Fiona',
  'Grigor',
  'Hanne',
  'Imran',
  'Jolanta',
  'Kofi',
  'Leila',
] as const;
const LAST = [
  'Abbott',
  'Bellamy',
  'Castell',
  'Dunmore',
  'Ekberg',
  'Farrow',
  'Ghosh',
  'Hollis',
  'Iversen',
  'Jarvis',
  'Kendal',
] as const;
/** Twelve times eleven names, each once: the lengths have no common divisor. */
const getPerson = (place: number): string =>
  `${FIRST[place % FIRST.length] ?? ''} ${LAST[place % LAST.length] ?? ''}`;
