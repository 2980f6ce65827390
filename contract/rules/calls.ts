import type { UserId } from '../ids.ts';
import * as v from 'valibot';
import { storedIdSchema } from '../id-schema.ts';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { RuleSchema, RuleDoesSchema, RuleWhenSchema, SETTLED } from './rules.ts';
import { PROBLEM_STATES } from '../runs/vocabulary.ts';

const uuid = v.pipe(v.string(), v.uuid());

/** `did`: number of problems on which the rule acted in the last 30 days, and when it last did. */
export const ruleOut = v.object({
  _id: v.string(),
  ...RuleSchema.entries,
  madeBy: v.string(),
  changedAt: v.number(),
  did: v.object({ problems: v.number(), last: v.nullable(v.number()) }),
});
export type RuleOut = v.InferOutput<typeof ruleOut>;

const rulesOut = v.object({
  /** In order from the top. */
  rules: v.array(ruleOut),
  /** Users who can be notified. */
  people: v.array(v.object({ id: storedIdSchema<UserId>(), name: v.string() })),
});
export type RulesOut = v.InferOutput<typeof rulesOut>;

const ruleTested = v.object({
  /**
   * Number of matching results with a problem in the last 30 days, and number of results examined.
   * `all` is false if there are older results that were not examined.
   */
  count: v.number(),
  looked: v.number(),
  all: v.boolean(),
  /** The newest matches. */
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
   * Other active rules that match some of the same results. `same`: the settings that both rules
   * set; the upper rule wins.
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
    summary: 'Lists the rules from the top, with what each did in the last 30 days.',
    input: v.strictObject({}),
    output: rulesOut,
    gate: 'monitoring.rules',
    feature: 'rules',
    failures: [],
  }),
  createRule: call({
    method: 'POST',
    path: 'monitoring/backoffice/rules',
    summary: 'Creates a rule at the end of the list. It acts on results that arrive from now on.',
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
      'Changes the rule `id` to `rule`, or reorders all rules (`order`: their IDs from the top).',
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
    summary: 'Deletes a rule. Its effects stay, but its exceptions end with the next result.',
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
      'Tests which results of the last 30 days a rule would have matched, and which other rules match them. `id`: the rule itself, if it exists.',
    input: v.strictObject({ id: v.optional(uuid), when: RuleWhenSchema, does: RuleDoesSchema }),
    output: ruleTested,
    gate: 'monitoring.rules',
    feature: 'rules',
    failures: ['bad-input', 'forbidden'],
  }),
} as const;
