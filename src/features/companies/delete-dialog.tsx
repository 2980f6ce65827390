import type { OutputOf } from '#contract/calls.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { formatCount, plural } from '#src/ui/format.ts';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { tell } from '#src/ui/toasts.ts';
import { useSearchQuery } from '../shared/queries/use-search-query.ts';
import { TypedConfirm } from '../shared/forms/typed-confirm.tsx';
import { idOf } from '../shared/ids.ts';

type Counts = OutputOf<'getCompany'>['counts'];

/** Tells what goes with a company, and asks for its name. */
export function DeleteCompany({
  company,
  onDone,
  onClose,
}: {
  readonly company: CompanyListed;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { value, failure, again } = useSearchQuery('getCompany', { id: idOf(company) });
  const end = async (): Promise<string | null> => {
    const result = await withReauth(() => client().ask('deleteCompany', { id: idOf(company) }));
    if (!result.ok) return getFailureText(result.failure);
    tell(`${company.name} is deleted.`);
    onDone();
    return null;
  };
  return (
    <TypedConfirm
      title={`Delete ${company.name}?`}
      type={{ label: 'Type the name of the company', text: company.name }}
      word="Delete the company"
      onConfirm={end}
      onClose={onClose}
    >
      {failure !== null && (
        <Callout
          tone="failed"
          alert
          action={
            <Button size="sm" onClick={again}>
              Try again
            </Button>
          }
        >
          {getFailureText(failure)} What goes with it is not known.
        </Callout>
      )}
      {value === null && failure === null && (
        <DelayedFallback>
          <p className="m-0">Counting what goes with it…</p>
        </DelayedFallback>
      )}
      {value !== null && <Goes counts={value.counts} />}
      <p className="m-0">
        Its results and jobs leave every list and every device at once. The log of what was reported
        and reviewed is kept. This cannot be undone.
      </p>
    </TypedConfirm>
  );
}

function Goes({ counts: { jobs, runs, users, keys } }: { readonly counts: Counts }) {
  const lines: readonly (readonly [number, string])[] = [
    [jobs, `${jobs === 1 ? 'job' : 'jobs'} with ${plural(runs, 'result')}`],
    [keys, keys === 1 ? 'source: its key ends at once' : 'sources: their keys end at once'],
    [
      users,
      users === 1
        ? 'user who sees it by name, and then sees it no more'
        : 'users who see it by name, and then see it no more',
    ],
  ];
  return (
    <dl aria-label="What goes with it" className="m-0 border-t-2 border-head-rule text-ink">
      {lines.map(([count, word]) => (
        <div key={word} className="flex gap-3 border-b border-hair py-1.5">
          <dt className="w-14 shrink-0 text-right font-semibold">{formatCount(count)}</dt>
          <dd className="m-0 min-w-0">{word}</dd>
        </div>
      ))}
    </dl>
  );
}
