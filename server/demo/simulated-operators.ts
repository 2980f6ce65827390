import type { Ms, UserId } from '#contract/ids.ts';
import type { Change } from '#contract/runs/change.ts';
import type { CauseRow, ProblemRow } from '#contract/runs/rows.ts';
import { DAY_MS, MINUTE_MS } from '#contract/time/durations.ts';
import { makeRng, type Rng, mixed, pickOne } from './random.ts';
import type { JobPlan, ProviderPlan } from './plan.ts';

/** One action of a technician on some problems, at a time. */
export interface ScriptedAction {
  readonly at: Ms;
  readonly by: UserId;
  readonly problems: readonly number[];
  readonly change: Change;
}

export interface OperatorShift {
  readonly at: Ms;
  /** The user ids of the technicians who do the daily checks, in turns. */
  readonly technicians: readonly [UserId, ...UserId[]];
  /** The last morning before the demo starts leaves more problems open. */
  readonly last: boolean;
  readonly jobOf: (problem: ProblemRow) => JobPlan | undefined;
  readonly causeOf: (problem: ProblemRow) => CauseRow | undefined;
}

/**
 * Returns what the daily check of a morning does with open, unreviewed problems: one action for all
 * that get the same treatment.
 */
export function morning(
  plan: ProviderPlan,
  shift: OperatorShift,
  pending: readonly ProblemRow[],
): ScriptedAction[] {
  const day = Math.floor(shift.at / DAY_MS);
  const groups = new Map<string, { readonly change: Change; readonly problems: number[] }>();
  for (const problem of pending) {
    const job = shift.jobOf(problem);
    if (!job) continue;
    // Seeded by cause and day, so that the same failure gets the same comment.
    const mind = makeRng(plan.seed, 'mind', problem.cause, day);
    for (const change of getChanges(
      plan,
      shift,
      problem,
      job,
      makeRng(job.seed, 'desk', day),
      mind,
    )) {
      const name = `${problem.cause} ${JSON.stringify(change)}`;
      const group = groups.get(name) ?? { change, problems: [] };
      groups.set(name, group);
      group.problems.push(problem.n);
    }
  }
  const stepMs = Math.min(2 * MINUTE_MS, Math.floor((90 * MINUTE_MS) / Math.max(1, groups.size)));
  const [first] = shift.technicians;
  return [...groups.values()].map(({ change, problems }, turn) => ({
    at: shift.at + turn * stepMs,
    by: shift.technicians[(day + (turn % 5 === 0 ? 1 : 0)) % shift.technicians.length] ?? first,
    problems,
    change,
  }));
}

function getChanges(
  plan: ProviderPlan,
  shift: OperatorShift,
  problem: ProblemRow,
  job: JobPlan,
  random: Rng,
  mind: Rng,
): Change[] {
  const cause = shift.causeOf(problem);
  const kind = cause?.kind ?? 'other';
  if (
    job.habit.kind === 'thursday' &&
    problem.openedAt >= job.habit.from &&
    problem.openedAt < job.habit.to
  )
    return thursday(problem, job.habit, shift.at);
  if (job.habit.kind === 'grumbling' && job.seed % 3 === 0)
    return [
      {
        kind: 'snooze',
        until: shift.at + 6 * DAY_MS,
        reason: 'Fix comes with the next maintenance',
      },
    ];
  const leaves = (shift.last ? 0.3 : 0.07) + (problem.ticket === null ? 0 : 0.2);
  if (random() < leaves)
    return problem.note === null && random() < 0.25
      ? [{ kind: 'note', content: pickOne(NOTES, random) }]
      : [];
  if (problem.state === 'Missed') {
    const away = plan.machines[job.machine]?.habit === 'away';
    if (away && random() < 0.55)
      return [
        {
          kind: 'snooze',
          until: shift.at + Math.ceil(2 + 4 * mind()) * DAY_MS,
          reason: pickOne(AWAY, mind),
        },
      ];
    return [
      review(
        away
          ? 'Device is away, user informed'
          : pickOne([null, 'Host was down for maintenance', 'Started by hand'], random),
      ),
    ];
  }
  if (problem.state === 'Anomaly')
    return random() < 0.3 ? [{ kind: 'not-anomaly' }] : [review(pickOne(ODD, random))];
  if (problem.runs > 2 && problem.ticket === null && random() < 0.35) {
    return [
      { kind: 'ticket', ticket: getTicket(plan, problem) },
      review('Ticket opened with the customer'),
    ];
  }
  if (random() < 0.1)
    return [
      {
        kind: 'snooze',
        until: shift.at + Math.ceil(1 + 5 * mind()) * DAY_MS,
        reason: pickOne(REASONS, mind),
      },
    ];
  return [review(mind() < 0.55 ? pickOne(COMMENTS[kind] ?? COMMON, mind) : null)];
}

/**
 * All of these problems share one ticket. Recovered jobs were reviewed, and the others wait for the
 * vendor.
 */
function thursday(
  problem: ProblemRow,
  { from, to }: { readonly from: Ms; readonly to: Ms },
  at: Ms,
): Change[] {
  const stays = to - from > 1.2 * DAY_MS;
  const linkTicket: Change[] =
    problem.ticket === null ? [{ kind: 'ticket', ticket: `T${getStamp(from)}.0107` }] : [];
  if (!stays)
    return [
      ...linkTicket,
      review('CBS-02 lost its storage controller; the jobs run again tonight'),
    ];
  return problem.note === null && at >= from
    ? [
        ...linkTicket,
        {
          kind: 'note',
          content:
            'Volume on CBS-02 is being rebuilt, vendor case is open. Leave on the list until it is back.',
        },
      ]
    : linkTicket;
}

const review = (comment: string | null): Change => ({ kind: 'review', comment });
const getStamp = (at: Ms): string => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
const getTicket = (plan: ProviderPlan, problem: ProblemRow): string =>
  `T${getStamp(problem.openedAt)}.${String(1 + (mixed(plan.seed, problem.cause, problem.company) % 400)).padStart(4, '0')}`;

const NOTES = [
  'Asked the customer, waiting for an answer',
  'Seems to follow the last Windows update',
  'Second time this month, look at the proxy',
  'Runs again tonight, check tomorrow',
] as const;
const AWAY = ['User is on leave', 'Laptop travels this week', 'Device in repair'] as const;
const REASONS = [
  'Maintenance window until then',
  'Customer moves this server',
  'Waiting for the new disk shelf',
  'Vendor case is open',
] as const;
const ODD = [
  null,
  'Large import by the customer',
  'Data was moved to another share',
  'Year-end work, expected',
] as const;
const COMMON = [
  'Looked at, runs again tonight',
  'Known, see documentation',
  'Retried by hand, fine',
] as const;
const COMMENTS: Partial<Readonly<Record<CauseRow['kind'], readonly [string, ...string[]]>>> = {
  connection: [
    'Line was down for an hour',
    'Firewall rule restored',
    'VPN was renewed, works again',
  ],
  snapshot: ['VSS writers restarted', 'Guest rebooted after updates', 'Old checkpoint removed'],
  space: ['Retention shortened', 'Volume extended by 2 TB', 'Old restore points deleted'],
  access: ['Service account password renewed', 'Certificate renewed', 'Permission given again'],
  locked: ['Stale lock removed', 'Two jobs overlapped, schedule moved'],
  partial: [
    'Temporary files, excluded',
    'Known open files, no harm',
    'Mailbox of a former employee',
  ],
  integrity: ['Active full started', 'Repository check is running'],
  cancelled: ['Cancelled for the maintenance', 'User shut the lid'],
};
