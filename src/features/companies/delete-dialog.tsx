import type { OutputOf } from '#contract/calls.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useSearchQuery } from '../shared/queries/use-search-query.ts';
import { TypedConfirm } from '../shared/forms/typed-confirm.tsx';
import { getId } from '../shared/ids.ts';
import { companyMessages as t } from './messages.en.ts';

type Counts = OutputOf<'getCompany'>['counts'];

/** Lists what is deleted with the company, and asks for its name. */
export function DeleteCompany({
  company,
  onDone,
  onClose,
}: {
  readonly company: CompanyListed;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { value, failure, again } = useSearchQuery('getCompany', { id: getId(company) });
  return (
    <TypedConfirm
      title={t.deleteTitle({ company: company.name })}
      type={{ label: t.typeName, text: company.name }}
      phrase={t.deleteCompany}
      send={() => withReauth(() => client().ask('deleteCompany', { id: getId(company) }))}
      onDone={() => {
        showSuccess(t.companyDeleted({ company: company.name }));
        onDone();
      }}
      onClose={onClose}
    >
      {failure !== null && (
        <RetryCallout failure={failure} onRetry={again}>
          {t.countsUnknown({ reason: getFailureText(failure) ?? '' })}
        </RetryCallout>
      )}
      {value === null && failure === null && (
        <DelayedFallback>
          <p className="m-0">{t.counting}</p>
        </DelayedFallback>
      )}
      {value !== null && <DeletedWith counts={value.counts} />}
      <p className="m-0">{t.deleteDetail}</p>
    </TypedConfirm>
  );
}

function DeletedWith({ counts: { jobs, runs, users, keys } }: { readonly counts: Counts }) {
  return (
    <ul
      aria-label={t.deletedWith}
      className="m-0 list-none border-t-2 border-head-rule p-0 text-ink [&>li]:border-b [&>li]:border-hair [&>li]:py-1.5"
    >
      <li>{t.jobsWithResults({ jobs, results: runs })}</li>
      <li>{t.sourcesWithKeys({ count: keys })}</li>
      <li>{t.usersLosingAccess({ count: users })}</li>
    </ul>
  );
}
