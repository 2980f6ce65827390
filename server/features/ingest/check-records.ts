import * as v from 'valibot';
import type { Ms } from '#contract/ids.ts';
import {
  type ComputerIn,
  ComputerInSchema,
  type ExecutionIn,
  ExecutionInSchema,
  type Ingested,
  type RepositoryIn,
  RepositoryInSchema,
} from '#contract/ingest/calls.ts';
import { makeFastValidator } from '#contract/fast-validate.ts';
import { getExpectedWords } from '#server/platform/http/expected-words.ts';
import { type Normal, normalizeExecution } from './normalize.ts';
import { ingestAnswers as t } from './answers.messages.en.ts';

type Rejected = Ingested['rejected'];
export interface One<T> {
  readonly index: number;
  readonly value: T;
}

const quick = makeFastValidator(ExecutionInSchema);

/** Validates one record from any sender: returns it in stored form, or why it is rejected. */
export function checkedExecution(
  input: unknown,
  index: number,
  now: Ms,
  byArrival = false,
  bodyId: string | null = null,
): Normal | Rejected[number] {
  const one = quick(input)
    ? { index, value: input as ExecutionIn }
    : checked(ExecutionInSchema, input, index);
  return 'error' in one ? one : normalizeExecution(one.value, index, now, byArrival, bodyId);
}

export const checkedRepository = (
  input: unknown,
  index: number,
): One<RepositoryIn> | Rejected[number] => checked(RepositoryInSchema, input, index);
export const checkedComputer = (
  input: unknown,
  index: number,
): One<ComputerIn> | Rejected[number] => checked(ComputerInSchema, input, index);

function checked<S extends v.GenericSchema>(
  schema: S,
  input: unknown,
  index: number,
): One<v.InferOutput<S>> | Rejected[number] {
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return { index, value: result.output };
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? '';
  return { index, error: `${path === '' ? '' : `${path}: `}${describeIssue(issue)}` };
}

/** Returns Valibot's message without the received value, which could be a secret. */
function describeIssue(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === 'never') return t.unknownField;
  if (issue.received === 'undefined') return t.missingField;
  const expected = getExpectedWords(issue);
  return expected === null ? t.invalidField : t.expectedField({ expected });
}
