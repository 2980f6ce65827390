import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope, isCompanyInScope } from '#server/platform/sync/scope.ts';
import type { SyncScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadArchivedUntil } from '#server/platform/events/archive/log-cuts.ts';
import { bounds, loadRecordsBefore, getLines } from './evidence-log.ts';
import type { EvidenceLine } from './evidence-log.ts';
import { toEvidence } from './evidence-output.ts';

/** The number of lines on a page. */
export const EVIDENCE_PAGE = 500;
const LONGEST: Ms = 366 * 86_400_000;
/** The number of events read at once: each can concern ten thousand problems. */
const BATCH_SIZE = 100;

/** EVID-1 to EVID-4: who did what to which problem, newest first. */
export function evidenceHandlers(context: AppContext): Pick<Handlers, 'listEvidence'> {
  return {
    async listEvidence({ from, to, company, before }, { tenant, session }) {
      if (to <= from) return failed(bad('to', MESSAGES.evidenceEmpty));
      if (to - from > LONGEST) return failed(bad('from', MESSAGES.evidenceTooLong));
      const scope = toScope(session);
      const companies = getQueriedCompanies(scope, company);
      return context.store.tenant(
        tenant,
        async (tx) => {
          const until = await loadArchivedUntil(tx);
          if (until !== null && from <= until)
            return failed(bad('from', MESSAGES.evidenceArchived));
          return ok(
            await loadPage(tx, { from, to, companies, without: [...scope.deleted] }, before),
          );
        },
        { readOnly: true },
      );
    },
  };
}

/** Returns the requested companies; null for all companies and events without one. */
const getQueriedCompanies = (
  scope: SyncScope,
  company: CompanyN | undefined,
): readonly CompanyN[] | null =>
  company === undefined
    ? scope.companies && [...scope.companies]
    : isCompanyInScope(scope, company)
      ? [company]
      : [];

interface EvidenceInput {
  readonly from: Ms;
  readonly to: Ms;
  readonly companies: readonly CompanyN[] | null;
  readonly without: readonly CompanyN[];
}

/**
 * Returns the lines before a cursor. A cursor names the next line: `<seq>.<index>` is the line of
 * the event's problem at `index`, and `<seq>` means all events before that one. So an event on many
 * problems continues on the next page exactly where it was cut (EVID-2).
 */
async function loadPage(
  tx: TenantTx,
  { from, to, companies, without }: EvidenceInput,
  before: string | undefined,
): Promise<OutputOf<'listEvidence'>> {
  if (companies?.length === 0) return { rows: [], before: null };
  const { after, max } = await bounds(tx, from, to);
  const [seq = max + 1, index] = before === undefined ? [] : before.split('.').map(Number);
  // An event that was cut is read again, from the line after the cut.
  let next = Math.min(index === undefined ? seq : seq + 1, max + 1);
  const lines: EvidenceLine[] = [];
  for (;;) {
    const actions = await loadRecordsBefore(
      tx,
      { next, after, from, to, companies, without },
      BATCH_SIZE,
    );
    for (const action of actions) {
      lines.push(...getLines(action).slice(action.seq === seq ? (index ?? 0) : 0));
      next = action.seq;
      if (lines.length > EVIDENCE_PAGE) break;
    }
    if (lines.length > EVIDENCE_PAGE || actions.length < BATCH_SIZE) break;
  }
  const cut = lines[EVIDENCE_PAGE];
  return {
    rows: await toEvidence(tx, lines.slice(0, EVIDENCE_PAGE)),
    before: cut ? `${cut.record.seq}.${cut.index}` : null,
  };
}

const bad = (path: string, message: string): Failure => ({
  kind: 'bad-input',
  message,
  issues: [{ path, message }],
});
