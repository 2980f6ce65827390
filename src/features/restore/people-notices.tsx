import { MINUTE_MS } from '#contract/time/durations.ts';
import { formatList } from '#contract/i18n/list.ts';
import { getActiveExclusions } from '#contract/backup/exclusions.ts';
import { getActiveHolds } from '#contract/backup/legal-holds.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { restoreMessages as t } from './messages.en.ts';

/** Names who is on legal hold in an organization, and who is excluded from its backups. */
export function PeopleNotices({ organization }: { readonly organization: string }) {
  const now = useNow(MINUTE_MS);
  const row = useWatch('organizations', EMPTY)?.find(({ id }) => id === organization);
  if (row === undefined) return null;
  return (
    <>
      <Notice people={getActiveHolds(row, now)} getText={t.onLegalHold} />
      <Notice people={getActiveExclusions(row)} getText={t.excluded} />
    </>
  );
}

const EMPTY = {};

function Notice({
  people,
  getText,
}: {
  readonly people: readonly { readonly name: string }[];
  readonly getText: (values: { readonly names: string }) => string;
}) {
  if (people.length === 0) return null;
  const names = people.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b));
  return (
    <div className="px-4 py-2 tablet:px-5">
      <Callout tone="warning">{getText({ names: formatList(names, 'plain') })}</Callout>
    </div>
  );
}
