import type { InputOf } from '#contract/calls.ts';
import type { RuleTested } from '#contract/rules/calls.ts';
import type { RuleFields } from '#contract/rules/rules.ts';
import { useIsSettled } from '../shared/queries/use-is-settled.ts';
import { useQuery } from '../shared/queries/use-query.ts';

/** Result of a rule test. `asking`: a test is running, and `tested` belongs to an earlier input. */
export interface Test {
  readonly tested: RuleTested | null;
  readonly isLoading: boolean;
  readonly error: string | null;
}

const SETTLE_MS = 500;

/** RULES-6: runs the test on the server when typing pauses. Null runs none. */
export function useTest(
  id: string | null,
  tried: Pick<RuleFields, 'when' | 'does'> | null,
  offline: boolean,
): Test {
  const isWanted = tried !== null && !offline;
  const question = JSON.stringify({ ...(id !== null && { id }), ...tried });
  const isSettled = useIsSettled(question, SETTLE_MS);
  const { value, failure, isLoading } = useQuery(
    'testRule',
    JSON.parse(question) as InputOf<'testRule'>,
    isWanted && isSettled,
    { keepsPrevious: true },
  );
  if (!isWanted) return { tested: null, isLoading: false, error: null };
  const isCurrent = isSettled && !isLoading;
  return {
    tested: value,
    isLoading: !isCurrent,
    error: isCurrent ? (failure?.message ?? null) : null,
  };
}
