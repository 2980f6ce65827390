import { uuidSchema } from '../id-schema.ts';
import * as v from 'valibot';
import type { CompanyN, Ms, UserId } from '../ids.ts';
import { renameRange, withFormerNames } from '../former-fields.ts';
import { LIMITS } from '../limits.ts';
import { getPattern, PatternSchema, getTexts } from '../pattern.ts';
import type { JobType, ProblemState, Source } from '../runs/vocabulary.ts';
import { JOB_TYPES, PROBLEM_STATES, SOURCES } from '../runs/vocabulary.ts';
import { nameText } from '../text-schema.ts';
import { isTimeZone, offsetAt } from '../time/day.ts';
import { DAY_MS, MINUTE_MS } from '../time/durations.ts';

/**
 * Rules: actions that the server takes automatically on results that need attention. Rules are
 * evaluated from the top and every matching rule acts. If two rules set the same thing (exception,
 * snooze, note, ticket), the upper one wins. A rule acts once per problem; an exception applies as
 * long as the newest result of the problem matches.
 */
const uuid = v.pipe(v.string(), v.uuid());
const amount = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.maxValue(Number.MAX_SAFE_INTEGER),
);
const minute = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(1_439));
const list = <S extends v.GenericSchema>(one: S) => v.pipe(v.array(one), v.maxLength(200));

/**
 * A range from `min` to `max`, both inclusive; null means unbounded. Seconds, bytes, or number
 * of consecutive results.
 */
export const RangeSchema = withFormerNames(
  v.strictObject({ min: v.nullable(amount), max: v.nullable(amount) }),
  renameRange,
);
export type Range = v.InferOutput<typeof RangeSchema>;

/**
 * The conditions of a rule. All of them must match; an empty one always does. `days`: 1 Monday to 7
 * Sunday; empty means every day. `from` (inclusive) and `to` (exclusive) are minutes of the day in
 * `zone`. If `to` is less than `from`, the range crosses midnight and belongs to the day on which
 * it began; if they are equal, it is the whole day.
 */
export const RuleWhenSchema = v.strictObject({
  sources: list(v.picklist(SOURCES)),
  types: list(v.picklist(JOB_TYPES)),
  states: list(v.picklist(PROBLEM_STATES)),
  companies: list(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  job: PatternSchema,
  computer: PatternSchema,
  text: PatternSchema,
  duration: RangeSchema,
  bytes: RangeSchema,
  streak: RangeSchema,
  time: v.nullable(
    v.strictObject({
      days: v.pipe(
        v.array(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(7))),
        v.maxLength(7),
      ),
      from: minute,
      to: minute,
      zone: v.pipe(v.string(), v.maxLength(64), v.check(isTimeZone)),
    }),
  ),
});
export type RuleWhen = v.InferOutput<typeof RuleWhenSchema>;

const said = (max: number) =>
  v.nullable(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(max)));
/**
 * The actions of a rule. `exception`: the result is known and counts as OK. `snoozeHours`: starts
 * at the result. `notify`: users to email. `hint`: shown with the result.
 */
export const RuleDoesSchema = v.strictObject({
  exception: v.boolean(),
  snoozeHours: v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(24 * 366))),
  note: said(LIMITS.noteChars),
  ticket: v.nullable(nameText(LIMITS.ticketChars)),
  hint: said(LIMITS.nameChars * 2),
  notify: v.pipe(v.array(uuidSchema<UserId>()), v.maxLength(20)),
});
export type RuleDoes = v.InferOutput<typeof RuleDoesSchema>;

const ms = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const ruleFields = {
  name: nameText(),
  enabled: v.boolean(),
  /** The rule acts on results that arrive from `from` on and before `to`. */
  from: v.nullable(ms),
  to: v.nullable(ms),
  when: RuleWhenSchema,
  does: RuleDoesSchema,
};
export const RuleSchema = v.strictObject(ruleFields);
export type RuleFields = v.InferOutput<typeof RuleSchema>;

export const RuleRowSchema = v.object({
  ...ruleFields,
  id: v.string(),
  /** The lowest rank is at the top. */
  rank: v.number(),
  madeBy: v.string(),
  changedAt: v.number(),
  removedAt: v.nullable(v.number()),
});
export type RuleRow = v.InferOutput<typeof RuleRowSchema>;

const rank = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const ruleCreated = v.strictObject({
  type: v.literal('rule.created@1'),
  data: v.strictObject({ id: uuid, rank, ...ruleFields }),
});
export const ruleUpdated = v.strictObject({
  type: v.literal('rule.updated@1'),
  data: v.strictObject({ id: uuid, ...ruleFields }),
});
export const ruleDeleted = v.strictObject({
  type: v.literal('rule.deleted@1'),
  data: v.strictObject({ id: uuid }),
});
/** All existing rules, from the top. */
export const rulesOrdered = v.strictObject({
  type: v.literal('rules.ordered@1'),
  data: v.strictObject({ ids: v.pipe(v.array(uuid), v.maxLength(LIMITS.rules)) }),
});

const problem = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const byRule = { problem, rule: uuid, name: ruleFields.name };
/** The problem is known and counts as OK as long as the newest result matches. */
export const problemExcepted = v.strictObject({
  type: v.literal('problem.excepted@1'),
  data: v.strictObject(byRule),
});
/** The newest result no longer matches any rule with an exception. */
export const problemUnexcepted = v.strictObject({
  type: v.literal('problem.unexcepted@1'),
  data: v.strictObject({ problem }),
});
export const RULE_ACTIONS = ['snoozed', 'noted', 'ticketLinked', 'notified', 'hinted'] as const;
/**
 * What a rule did to a problem, apart from an exception. Snooze, note and ticket also have events
 * of their own.
 */
export const problemRuleApplied = v.strictObject({
  type: v.literal('problem.ruleApplied@1'),
  data: v.strictObject({
    ...byRule,
    did: v.array(v.picklist(RULE_ACTIONS)),
    hint: RuleDoesSchema.entries.hint,
  }),
});

/**
 * The part of a result that rules match. `texts`: its message and its cause. `streak`: number of
 * results of its problem up to and including this one.
 */
export interface RuleResult {
  readonly source: Source;
  readonly type: JobType;
  readonly state: ProblemState;
  readonly company: CompanyN;
  readonly job: string;
  readonly computer: string;
  readonly texts: readonly string[];
  readonly durationSec: number | null;
  readonly bytes: number | null;
  readonly streak: number;
  readonly startedAt: Ms;
}

export const NO_RANGE: Range = { min: null, max: null };
export const ANYTHING: RuleWhen = {
  sources: [],
  types: [],
  states: [],
  companies: [],
  job: '',
  computer: '',
  text: '',
  duration: NO_RANGE,
  bytes: NO_RANGE,
  streak: NO_RANGE,
  time: null,
};
export const NOTHING_DONE: RuleDoes = {
  exception: false,
  snoozeHours: null,
  note: null,
  ticket: null,
  hint: null,
  notify: [],
};

const bounded = ({ min, max }: Range): boolean => min !== null || max !== null;
/**
 * Returns whether the rule has any condition. A rule that matches every result would hide results
 * that nobody has seen.
 */
export const asksSomething = (when: RuleWhen): boolean =>
  when.sources.length + when.types.length + when.states.length + when.companies.length > 0 ||
  getTexts(when.job).length + getTexts(when.computer).length + getTexts(when.text).length > 0 ||
  bounded(when.duration) ||
  bounded(when.bytes) ||
  bounded(when.streak) ||
  (when.time !== null && (when.time.days.length % 7 > 0 || when.time.from !== when.time.to));
export const doesSomething = ({
  exception,
  snoozeHours,
  note,
  ticket,
  hint,
  notify,
}: RuleDoes): boolean =>
  exception ||
  snoozeHours !== null ||
  note !== null ||
  ticket !== null ||
  hint !== null ||
  notify.length > 0;

/** Returns whether a rule is active at a moment. */
export const isRuleActiveAt = (
  { enabled, from, to }: Pick<RuleFields, 'enabled' | 'from' | 'to'>,
  at: Ms,
): boolean => enabled && (from === null || from <= at) && (to === null || at < to);

/** Returns a function that tells whether the conditions match a result. Create it once per rule. */
export function getMatcher(when: RuleWhen): (result: RuleResult) => boolean {
  const sources = new Set(when.sources);
  const types = new Set(when.types);
  const states = new Set(when.states);
  const companies = new Set(when.companies);
  const job = getPattern(when.job);
  const computer = getPattern(when.computer);
  const text = getPattern(when.text);
  const time = when.time === null ? null : timer(when.time);
  return (one) =>
    (sources.size === 0 || sources.has(one.source)) &&
    (types.size === 0 || types.has(one.type)) &&
    (states.size === 0 || states.has(one.state)) &&
    (companies.size === 0 || companies.has(one.company)) &&
    within(when.duration, one.durationSec) &&
    within(when.bytes, one.bytes) &&
    within(when.streak, one.streak) &&
    (job === null || job(one.job)) &&
    (computer === null || computer(one.computer)) &&
    (text === null || one.texts.some(text)) &&
    (time === null || time(one.startedAt));
}

const within = (range: Range, value: number | null): boolean =>
  !bounded(range) ||
  (value !== null &&
    (range.min === null || value >= range.min) &&
    (range.max === null || value <= range.max));

function timer({ days, from, to, zone }: NonNullable<RuleWhen['time']>): (at: Ms) => boolean {
  return (at) => {
    const local = at + offsetAt(at, zone);
    const now = Math.floor((local % DAY_MS) / MINUTE_MS);
    // 1 Monday … 7 Sunday. 1970-01-01 was a Thursday.
    const today = ((Math.floor(local / DAY_MS) + 3) % 7) + 1;
    const late = from > to && now < to;
    if (from < to ? now < from || now >= to : from > to && !late && now < from) return false;
    return days.length === 0 || days.includes(late ? ((today + 5) % 7) + 1 : today);
  };
}

/** Settings that two rules can both set, of which only one can apply. */
export const SETTLED = ['exception', 'snoozeHours', 'note', 'ticket'] as const;
export type Settled = (typeof SETTLED)[number];
export const sets = (does: RuleDoes, what: Settled): boolean =>
  what === 'exception' ? does.exception : does[what] !== null;
