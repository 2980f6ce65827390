import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { RuleSchema, RuleDoesSchema, RuleWhenSchema, SETTLED } from './rules.ts';
import { PROBLEM_STATES } from '../runs/vocabulary.ts';

const uuid = v.pipe(v.string(), v.uuid());

/** `did`: problems that it acted on within the last 30 days, and when last. */
export const ruleOut = v.object({
  _id: v.string(),
  ...RuleSchema.entries,
  madeBy: v.string(),
  changedAt: v.number(),
  did: v.object({ problems: v.number(), last: v.nullable(v.number()) }),
});
export type RuleOut = v.InferOutput<typeof ruleOut>;

const rulesOut = v.object({
  /** From the top. */
  rules: v.array(ruleOut),
  /** Who can be notified. */
  people: v.array(v.object({ id: v.string(), name: v.string() })),
});
export type RulesOut = v.InferOutput<typeof rulesOut>;

const ruleTested = v.object({
  /**
   * Results with a problem of the last 30 days that match, and how many were looked at; `all`
   * false: there are more, older ones.
   */
  count: v.number(),
  looked: v.number(),
  all: v.boolean(),
  /** The newest. */
  rows: v.array(
    v.object({
      run: v.number(),
      startedAt: v.number(),
      job: v.string(),
      computer: v.string(),
      company: v.string(),
      state: v.picklist(PROBLEM_STATES),
      message: v.string(),
    }),
  ),
  /**
   * Other rules that are on and match some of the same results. `same`: what both set; the upper
   * one's stands.
   */
  conflicts: v.array(
    v.object({
      _id: v.string(),
      name: v.string(),
      count: v.number(),
      above: v.boolean(),
      same: v.array(v.picklist(SETTLED)),
    }),
  ),
});
export type RuleTested = v.InferOutput<typeof ruleTested>;

export const ruleCalls = {
  listRules: call({
    method: 'GET',
    path: 'monitoring/backoffice/rules',
    summary: 'The rules from the top, and what each did in the last 30 days.',
    input: v.strictObject({}),
    output: rulesOut,
    gate: 'monitoring.rules',
    feature: 'rules',
    failures: [],
  }),
  makeRule: call({
    method: 'POST',
    path: 'monitoring/backoffice/rules',
    summary: 'A new rule, at the end. It acts on results that arrive from now on.',
    input: v.strictObject({ rule: RuleSchema }),
    output: v.object({ _id: v.string() }),
    gate: 'monitoring.rules',
    feature: 'rules',
    failures: ['bad-input', 'conflict', 'forbidden'],
  }),
  changeRules: call({
    method: 'PUT',
    path: 'monitoring/backoffice/rules',
    summary:
      'Changes the rule `id` to `rule`, or puts all rules into an order (`order`, their ids from the top).',
    input: v.strictObject({
      id: v.optional(uuid),
      rule: v.optional(RuleSchema),
      order: v.optional(v.pipe(v.array(uuid), v.maxLength(LIMITS.rules))),
    }),
    output: v.object({}),
    gate: 'monitoring.rules',
    feature: 'rules',
    failures: ['bad-input', 'not-found', 'conflict', 'forbidden'],
  }),
  removeRule: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/rules/{id}',
    summary: 'Takes a rule away. What it did stays; its exceptions end with the next result.',
    input: v.strictObject({ id: uuid }),
    output: v.object({}),
    gate: 'monitoring.rules',
    feature: 'rules',
    failures: ['not-found'],
  }),
  testRule: call({
    method: 'POST',
    path: 'monitoring/backoffice/rules/test',
    summary:
      'What a rule would have matched in the last 30 days, and which others match it too. `id`: that of the rule itself, where it exists.',
    input: v.strictObject({ id: v.optional(uuid), when: RuleWhenSchema, does: RuleDoesSchema }),
    output: ruleTested,
    gate: 'monitoring.rules',
    feature: 'rules',
    failures: ['bad-input', 'forbidden'],
  }),
} as const;
