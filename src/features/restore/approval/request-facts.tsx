import type { OutputOf } from '#contract/calls.ts';
import { useZone } from '#src/app/session/session.ts';
import { formatWhen } from '#src/ui/format.ts';
import { restoreApprovalMessages as t } from './messages.en.ts';

export type RestoreRequest = NonNullable<OutputOf<'getRestoreTask'>['request']>;

/** Who asked for a restore, why, and what a second person decided. */
export function RequestFacts({ request }: { readonly request: RestoreRequest }) {
  const zone = useZone();
  const { requestedBy, items, target, reason, expiresAt, decision, canDecide } = request;
  return (
    <div className="text-agate text-ink-2 [overflow-wrap:anywhere]">
      <p className="m-0">
        {t.requested({ user: requestedBy, items })}
        {target !== null && ` ${t.target({ target })}`}
      </p>
      <p className="m-0">{t.why({ reason })}</p>
      {decision !== null && <p className="m-0">{decisionText(decision)}</p>}
      {decision === null && expiresAt !== null && (
        <p className="m-0">
          {t.until({ when: formatWhen(expiresAt, zone) })}
          {!canDecide && `. ${t.ownRequest}`}
        </p>
      )}
    </div>
  );
}

function decisionText({ decision, by, reason }: NonNullable<RestoreRequest['decision']>): string {
  const decided = { user: by ?? '', reason: reason ?? '' };
  switch (decision) {
    case 'approved':
      return t.approvedBy(decided);
    case 'rejected':
      return t.rejectedBy(decided);
    case 'withdrawn':
      return t.withdrawnBy(decided);
    case 'expired':
      return t.expired;
  }
}
