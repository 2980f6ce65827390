import { useEffect, useState } from 'react';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import type { EvidencePage } from './file.ts';

export interface EvidenceAsk {
  readonly from: Ms;
  readonly to: Ms;
  readonly company: CompanyN | null;
}

/** Loads one page. */
export async function askEvidence(
  { from, to, company }: EvidenceAsk,
  before: string | null,
): Promise<Result<EvidencePage>> {
  return client().ask('listEvidence', {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(company !== null && { company: String(company) }),
    ...(before !== null && { before }),
  });
}

/** `rows`: null before the first page has arrived. `before`: null after the last page. */
export interface EvidenceView {
  readonly rows: readonly Evidence[] | null;
  readonly before: string | null;
  readonly busy: boolean;
  /** Why the last request failed. */
  readonly failure: Failure | null;
  /** Loads the next page, or retries it after a failure. */
  readonly more: () => void;
}

interface State extends Omit<EvidenceView, 'more'> {
  readonly key: string;
}

/**
 * Loads the pages of a period one after the other, newest first. Another query starts again. `on`:
 * false loads nothing.
 */
export function useEvidence({ from, to, company }: EvidenceAsk, on: boolean): EvidenceView {
  const key = getKey({ from, to, company });
  const [state, setState] = useState<State>({
    key: '',
    rows: null,
    before: null,
    busy: false,
    failure: null,
  });
  const mine =
    state.key === key ? state : { key, rows: null, before: null, busy: on, failure: null };
  useEffect(() => {
    if (!on) return;
    let gone = false;
    const begin = async (): Promise<void> => {
      const ask = { from, to, company };
      const page = await askEvidence(ask, null);
      if (!gone)
        setState(
          withPage(
            { key: getKey(ask), rows: null, before: null, busy: false, failure: null },
            page,
          ),
        );
    };
    void begin();
    return () => {
      gone = true;
    };
  }, [on, from, to, company]);
  const more = async (): Promise<void> => {
    if (mine.busy) return;
    setState({ ...mine, busy: true, failure: null });
    const page = await askEvidence({ from, to, company }, mine.before);
    // the query has changed meanwhile
    setState((now) => (now.key === key ? withPage(mine, page) : now));
  };
  return { ...mine, more: () => void more() };
}

const getKey = ({ from, to, company }: EvidenceAsk): string => `${from} ${to} ${company ?? 'all'}`;

/** Appends a page to the earlier ones; a failure leaves them unchanged. */
export const withPage = (state: State, page: Result<EvidencePage>): State =>
  page.ok
    ? {
        ...state,
        busy: false,
        failure: null,
        rows: [...(state.rows ?? []), ...page.value.rows],
        before: page.value.before,
      }
    : { ...state, busy: false, failure: page.failure };
