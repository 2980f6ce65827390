import type { CompanyN, Ms } from '#contract/ids.ts';
import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { usePages } from '../shared/queries/use-pages.ts';
import type { EvidencePage } from './file.ts';

export interface EvidenceFilter {
  readonly from: Ms;
  readonly to: Ms;
  readonly company: CompanyN | null;
}

/** Loads one page. */
export async function askEvidence(
  { from, to, company }: EvidenceFilter,
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

/**
 * Loads the pages of a period one after the other, newest first. Another query starts again. `on`:
 * false loads nothing.
 */
export function useEvidence(ask: EvidenceFilter, on: boolean): EvidenceView {
  const { pages, isLoading, failure, hasMore, more } = usePages('listEvidence', ask, {
    first: null,
    getNext: ({ before }: EvidencePage) => before,
    request: (before: string | null) => askEvidence(ask, before),
    wanted: on,
  });
  return {
    rows: pages.length === 0 ? null : pages.flatMap(({ rows }) => rows),
    before: hasMore ? (pages.at(-1)?.before ?? null) : null,
    busy: isLoading,
    failure: isLoading ? null : failure,
    more,
  };
}
