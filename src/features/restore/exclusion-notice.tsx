import { getActiveExclusions } from '#contract/backup/exclusions.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { restoreMessages as t } from './messages.en.ts';

/** Names who is excluded from backups of the organization that is browsed. */
export function ExclusionNotice({ organization }: { readonly organization: string }) {
  const row = useWatch('organizations', EMPTY)?.find(({ id }) => id === organization);
  const names = row === undefined ? [] : getActiveExclusions(row).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <div className="px-4 py-2 tablet:px-5">
      <Callout tone="warning">
        {t.excluded({ names: names.toSorted((a, b) => a.localeCompare(b)).join(', ') })}
      </Callout>
    </div>
  );
}

const EMPTY = {};
