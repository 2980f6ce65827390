import { useEffect, useState } from 'react';
import type { InputOf } from '#contract/calls.ts';
import type { RuleTested } from '#contract/rules/calls.ts';
import type { RuleFields } from '#contract/rules/rules.ts';
import { client } from '#src/app/worker/worker-client.ts';

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
  const question =
    tried === null || offline ? null : JSON.stringify({ ...(id !== null && { id }), ...tried });
  const [details, setResult] = useState<{
    readonly question: string;
    readonly tested: RuleTested | null;
    readonly error: string | null;
  } | null>(null);
  useEffect(() => {
    if (question === null) return;
    let gone = false;
    const timer = setTimeout(() => {
      const put = (tested: RuleTested | null, error: string | null): void => {
        if (!gone) setResult({ question, tested, error });
      };
      void client()
        .ask('testRule', JSON.parse(question) as InputOf<'testRule'>)
        .then((result) =>
          put(result.ok ? result.value : null, result.ok ? null : result.failure.message),
        );
    }, SETTLE_MS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [question]);
  if (question === null) return { tested: null, isLoading: false, error: null };
  return {
    tested: details?.tested ?? null,
    isLoading: details?.question !== question,
    error: details?.question === question ? details.error : null,
  };
}
