import { getActiveHolds } from '#contract/backup/legal-holds.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { restoreMessages as t } from './messages.en.ts';

const MINUTE = 60_000;

/** Names who is on legal hold in the organization that is browsed. */
export function HoldNotice({ organization }: { readonly organization: string }) {
  const now = useNow(MINUTE);
  const row = useWatch('organizations', EMPTY)?.find(({ id }) => id === organization);
  const names = row === undefined ? [] : getActiveHolds(row, now).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <div className="px-4 py-2 tablet:px-5">
      <Callout tone="warning">
        {t.onLegalHold({ names: names.toSorted((a, b) => a.localeCompare(b)).join(', ') })}
      </Callout>
    </div>
  );
}

const EMPTY = {};
