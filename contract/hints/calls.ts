import * as v from 'valibot';
import { call } from '../call.ts';
import { HintSchema, hintFields } from './hints.ts';
import { runRef } from '../run-ref.ts';

const uuid = v.pipe(v.string(), v.uuid());

/** `says`: the former name of `summary`, until the next version. */
const hintShown = v.object({ _id: v.string(), ...hintFields, says: v.string() });
export type HintShown = v.InferOutput<typeof hintShown>;
/**
 * `matched`: open problems with which the hint is shown now. `helped`: problems with which it has
 * ever helped, and when it last did.
 */
const hintOut = v.object({
  ...hintShown.entries,
  madeBy: v.string(),
  changedAt: v.number(),
  matched: v.number(),
  helped: v.object({ problems: v.number(), last: v.nullable(v.number()) }),
});
export type HintOut = v.InferOutput<typeof hintOut>;

export const hintCalls = {
  listHints: call({
    method: 'GET',
    path: 'monitoring/backoffice/hints',
    summary:
      'Lists the hints by name, with how many open problems each matches and how often it helped.',
    input: v.strictObject({}),
    output: v.object({
      data: v.array(hintOut),
      count: v.number(),
      /** The same as `data`, under its former name. */
      hints: v.array(hintOut),
    }),
    gate: 'monitoring.hints',
    feature: 'hints',
    failures: [],
  }),
  listApplicableHints: call({
    method: 'GET',
    path: 'monitoring/backoffice/hints/at-hand',
    summary: 'Returns the hints to show with results, as far as this user may read them.',
    input: v.strictObject({}),
    output: v.object({ hints: v.array(hintShown) }),
    gate: 'monitoring.daily-checks',
    feature: 'hints',
    failures: [],
  }),
  createHint: call({
    method: 'POST',
    path: 'monitoring/backoffice/hints',
    summary: 'Creates a hint.',
    input: v.strictObject({ hint: HintSchema }),
    output: v.object({ _id: v.string() }),
    gate: 'monitoring.hints',
    feature: 'hints',
    failures: ['bad-input', 'conflict', 'forbidden'],
  }),
  changeHint: call({
    method: 'PUT',
    path: 'monitoring/backoffice/hints/{id}',
    summary: 'Changes a hint.',
    input: v.strictObject({ id: uuid, hint: HintSchema }),
    output: v.object({}),
    gate: 'monitoring.hints',
    feature: 'hints',
    failures: ['bad-input', 'not-found', 'forbidden'],
  }),
  removeHint: call({
    method: 'DELETE',
    path: 'monitoring/backoffice/hints/{id}',
    summary: 'Deletes a hint. The history of the problems with which it helped still names it.',
    input: v.strictObject({ id: uuid }),
    output: v.object({}),
    gate: 'monitoring.hints',
    feature: 'hints',
    failures: ['not-found', 'forbidden'],
  }),
  rateHint: call({
    method: 'POST',
    path: 'monitoring/backoffice/hints/{id}/helped',
    summary:
      'Records that a hint helped with the problem of the result `run`, or withdraws that. Counts once per problem.',
    input: v.strictObject({ id: uuid, run: runRef, helped: v.boolean() }),
    output: v.object({}),
    gate: 'monitoring.job-actions',
    feature: 'hints',
    failures: ['not-found', 'conflict'],
  }),
} as const;
