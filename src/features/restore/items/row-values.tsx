import { getFailureText } from '#src/app/failure-text.ts';
import { Button } from '#src/ui/button.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { itemMessages as t } from './messages.en.ts';

interface ShownRow {
  readonly session: string;
  readonly site: string;
  readonly item: string;
}

/** All values of a row, once a person asks for them: reading them is recorded. */
export function RowValues({
  isOn,
  onTurn,
  ...row
}: ShownRow & { readonly isOn: boolean; readonly onTurn: (isOn: boolean) => void }) {
  return (
    <div className="px-4 pb-4 tablet:px-5">
      {isOn ? (
        <>
          <Values key={row.item} {...row} />
          <p className="m-0 pt-3">
            <Button size="sm" onClick={() => onTurn(false)}>
              {t.hide}
            </Button>
          </p>
        </>
      ) : (
        <>
          <Button size="sm" onClick={() => onTurn(true)}>
            {t.showRow}
          </Button>
          <p className="m-0 pt-1 text-agate text-ink-3">{t.showRowHint}</p>
        </>
      )}
    </div>
  );
}

function Values({ session, site, item }: ShownRow) {
  const { value, failure, again } = useQuery('getSiteItem', {
    restoreSessionId: session,
    siteId: site,
    itemId: item,
  });
  if (failure !== null)
    return (
      <RetryCallout failure={failure} onRetry={again}>
        {getFailureText(failure)}
      </RetryCallout>
    );
  if (value === null) return <p className="m-0 text-ink-3">{t.loadingRow}</p>;
  return (
    <dl aria-label={t.values} className="m-0 grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-3">
      {value.fields.map(({ name, label, value: text }) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid border-b border-hair py-1.5">
          <dt className="text-ink-3">{label}</dt>
          <dd className="m-0 min-w-0 break-words whitespace-pre-wrap">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
