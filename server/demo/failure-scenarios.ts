import type { Ms } from '#contract/ids.ts';
import { DAY_MS, HOUR_MS } from '#contract/time/durations.ts';
import { makeRng, mixed } from './random.ts';
import type { JobPlan } from './plan.ts';
import {
  type FailureCause,
  type Context,
  FULL,
  LOW,
  SERVER_DOWN,
  type DemoFailure,
  TROUBLES,
} from './failure-kinds.ts';

export interface FailureReport {
  readonly status: DemoFailure['status'];
  readonly message: string;
  readonly went: number;
  readonly exitCode: number | null;
  readonly filesFailed: number;
}
const TUESDAY = 2;

/** Returns what goes wrong with a run that begins at `at`; null if nothing does. */
export function troubleAt({ job, at, random, bornAt, habit, full }: Context): DemoFailure | null {
  const { habit: own } = job;
  if (own.kind === 'thursday' && at >= own.from && at < own.to) return SERVER_DOWN;
  if (own.kind === 'grumbling') return of(job, 'partial') ?? of(job, 'access');
  if (
    own.kind === 'fading' &&
    random() < 0.04 + 0.5 * Math.min(1, Math.max(0, 1 + (at - bornAt) / (30 * DAY_MS)))
  )
    return of(job, 'connection');
  if (full >= 0.99) return of(job, 'space') ?? FULL;
  if (full > 0.93 && job.source === 'vbr') return LOW;
  if (habit === 'vss' && random() < 0.09) return of(job, 'snapshot') ?? null;
  if (habit === 'tuesdays' && new Date(at).getUTCDay() === TUESDAY && random() < 0.3)
    return of(job, 'connection');
  return spellAt(job, at);
}

/**
 * Failures come in spells: some six-day stretches of a job contain one that lasts for a few runs.
 */
function spellAt(job: JobPlan, at: Ms): DemoFailure | null {
  const length = 6 * DAY_MS;
  const shifted = at + ((job.seed % 1_000) / 1_000) * length;
  const stretch = Math.floor(shifted / length);
  const random = makeRng(job.seed, 'spell', stretch);
  if (random() > job.frailty) return null;
  const from = random() * length;
  const into = shifted - stretch * length;
  const often = job.when.times.length > 1;
  const lasts = often
    ? HOUR_MS * (0.6 + 5 * random() ** 2)
    : job.when.days === 0b111_1111
      ? DAY_MS * (0.95 + 1.8 * random() ** 3)
      : DAY_MS * (1.5 + 3 * random() ** 2);
  if (into < from || into >= from + lasts) return null;
  const list = TROUBLES[job.source] ?? TROUBLES.api ?? [];
  return list[Math.floor(random() ** 1.1 * list.length)] ?? null;
}

const of = (job: JobPlan, cause: FailureCause): DemoFailure | null =>
  (TROUBLES[job.source] ?? []).find((one) => one.kind === cause) ?? null;

/** Returns the message of a run, with the parts that vary from run to run. */
export function describeFailure(
  { status, went, exitCode, describe, kind }: DemoFailure,
  context: Context,
): FailureReport {
  return {
    status,
    went,
    exitCode,
    message: describe(context),
    filesFailed:
      kind === 'partial' ? 1 + (mixed(context.job.seed, Math.floor(context.at / HOUR_MS)) % 9) : 0,
  };
}
