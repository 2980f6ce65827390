import { uuidSchema } from '../id-schema.ts';
import * as v from 'valibot';
import type { CompanyN, JobN, Ms, UserId } from '../ids.ts';
import { successShare, sumTallies } from '../dashboard/overview.ts';
import type { Tally } from '../dashboard/overview.ts';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from '../runs/vocabulary.ts';
import { nameText } from '../text-schema.ts';
import { HOUR_MS } from '../time/durations.ts';

/**
 * SLA alarms: the maximum age of a job's last good backup, and the minimum share of good results.
 * The page and the report use these definitions:
 *
 * - Age: now − end of the last result that ended well or with a warning. For a job without such a
 *   result, now − when it was first seen. Jobs that are disabled, or are not expected to run at
 *   present, have no age.
 * - Share: results that ended well or with a warning ÷ all that ended or did not run, over the
 *   operational days of the window including today. For a group, over all results of all its jobs
 *   that make backups; other jobs count only if the group selects such types alone (OVER-7).
 *   Without any results there is no share, and nothing is broken.
 */
const uuid = v.pipe(v.string(), v.uuid());
const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
const among = <const T extends readonly string[]>(all: T) =>
  v.pipe(v.array(v.picklist(all)), v.maxLength(all.length));

/**
 * Exactly one of `job` and `group` is set. In a group, an empty list means all. `key`: the
 * connection of the job, needed if two connections have a job with this id. `recipients`: users who
 * receive email.
 */
export const SlaSchema = v.strictObject({
  name: nameText(),
  enabled: v.boolean(),
  job: v.nullable(
    v.strictObject({
      jobInstanceUid: v.pipe(v.string(), v.minLength(1), v.maxLength(300)),
      key: v.nullable(uuid),
    }),
  ),
  group: v.nullable(
    v.strictObject({
      companyIds: v.pipe(v.array(whole(1, 4_294_967_295)), v.maxLength(1_000)),
      source: among(SOURCES),
      type: among(JOB_TYPES),
      entityGroup: among(ENTITY_GROUPS),
    }),
  ),
  maxAgeHours: v.nullable(whole(1, 24 * 90)),
  minSuccessPct: v.nullable(whole(1, 100)),
  windowDays: whole(1, 90),
  recipients: v.pipe(v.array(uuidSchema<UserId>()), v.maxLength(20)),
});
export type SlaFields = v.InferOutput<typeof SlaSchema>;

/**
 * A stored alarm. `n`: its job. `companies`: the companies whose jobs it covers; null means all.
 */
export interface SlaRow extends SlaFields {
  readonly id: string;
  readonly n: JobN | null;
  readonly companies: readonly CompanyN[] | null;
  readonly madeBy: UserId;
  readonly changedAt: Ms;
}

/** The facts about a job. `quiet`: it is disabled or not expected to run at present. */
export interface SlaJob {
  readonly n: JobN;
  readonly quiet: boolean;
  readonly firstSeenAt: Ms;
  readonly lastSuccess: Ms | null;
  readonly tally: Tally;
}

/**
 * `late`: jobs whose last good backup is too old, oldest first. `share` is null if there are no
 * results.
 */
export interface SlaVerdict {
  readonly isMet: boolean;
  readonly late: readonly JobN[];
  readonly share: number | null;
  readonly jobs: number;
}

export const getAge = (
  { quiet, firstSeenAt, lastSuccess }: Omit<SlaJob, 'n' | 'tally'>,
  now: Ms,
): Ms | null => (quiet ? null : Math.max(0, now - (lastSuccess ?? firstSeenAt)));

export function judgeSla(
  { maxAgeHours, minSuccessPct }: Pick<SlaFields, 'maxAgeHours' | 'minSuccessPct'>,
  jobs: readonly SlaJob[],
  now: Ms,
): SlaVerdict {
  const late =
    maxAgeHours === null
      ? []
      : jobs
          .map((job) => ({ n: job.n, age: getAge(job, now) ?? 0 }))
          .filter(({ age }) => age > maxAgeHours * HOUR_MS)
          .toSorted((a, b) => b.age - a.age || a.n - b.n)
          .map(({ n }) => n);
  const share = successShare(sumTallies(jobs.map(({ tally }) => tally)));
  return {
    isMet:
      late.length === 0 &&
      (minSuccessPct === null || share === null || share * 100 >= minSuccessPct),
    late,
    share,
    jobs: jobs.length,
  };
}
