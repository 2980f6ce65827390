import { useState } from 'react';
import type { Result } from '#contract/result.ts';
import { NO_APPLICATIONS } from '#contract/companies/company-fields.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Icon } from '#src/ui/icon.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useSearchQuery } from '../shared/queries/use-search-query.ts';
import { getId } from '../shared/ids.ts';
import { linkings } from './linking.ts';
import type { Linking } from './linking.ts';
import type { CompanyListed } from '#contract/companies/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { companyMessages as t } from './messages.en.ts';

/** Number of companies shown initially; others are found by searching. */
const MAX_SHOWN = 100;

/**
 * Import from Veeam Service Provider Console: links each company with an existing one, or creates a
 * new one.
 */
export function ImportDialog({
  onChanged,
  onClose,
}: {
  readonly onChanged: () => void;
  readonly onClose: () => void;
}) {
  const there = useSearchQuery('listVacCompanies', EMPTY);
  const own = useSearchQuery('listCompanies', EMPTY);
  const [text, setText] = useState('');
  const mutation = useServerMutation();
  const [linking, setLinking] = useState<string | null>(null);
  const error = mutation.failure && getFailureText(mutation.failure);
  const failure = there.failure ?? own.failure;
  const ours = own.value ?? [];
  const all = there.value && own.value ? linkings(there.value.companies, own.value) : null;
  const unknown = all?.filter((one) => one.kind === 'unknown') ?? [];
  const found = (all ?? []).filter((one) =>
    one.there.name.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const again = (): void => {
    there.again();
    own.again();
  };

  async function run(id: string, work: () => Promise<Result<unknown>>): Promise<boolean> {
    const result = await mutation.send(() => withReauth(work), id);
    return result.ok;
  }
  const done = (words: string): void => {
    showSuccess(words);
    again();
    onChanged();
  };
  const create = async (one: Linking): Promise<void> => {
    if (await run(one.there.id, () => made(one)))
      done(t.companyCreated({ company: one.there.name }));
  };
  const link = async ({ there: { id } }: Linking, company: CompanyListed): Promise<void> => {
    const applications = { ...company.applications, vac: { id } };
    if (!(await run(id, () => client().ask('editCompany', { id: getId(company), applications }))))
      return;
    setLinking(null);
    done(t.companyLinked({ company: company.name }));
  };
  const createAll = async (): Promise<void> => {
    let count = 0;
    for (const one of unknown) {
      if (!(await run('all', () => made(one)))) break;
      count += 1;
    }
    if (count > 0) done(t.companiesCreated({ count }));
  };

  return (
    <Dialog
      title={t.importTitle}
      wide
      onClose={onClose}
      footer={
        <>
          {unknown.length > 1 && (
            <Button
              variant="primary"
              busy={mutation.pending === 'all'}
              disabled={mutation.busy && mutation.pending !== 'all'}
              onClick={() => void createAll()}
            >
              {t.createAll({ count: unknown.length })}
            </Button>
          )}
          <Button onClick={onClose}>{ui.close}</Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3 px-5 py-4">
        {failure !== null && (
          <RetryCallout failure={failure} onRetry={again}>
            {getFailureText(failure)}
          </RetryCallout>
        )}
        {error !== null && (
          <Callout tone="failed" alert>
            {error}
          </Callout>
        )}
        {all === null && failure === null && (
          <DelayedFallback>
            <p className="m-0 text-ink-2">{t.loadingConsole}</p>
          </DelayedFallback>
        )}
        {there.value?.configured === false && <p className="m-0 text-ink-2">{t.noConsole}</p>}
        {there.value?.configured === true && all !== null && all.length === 0 && (
          <p className="m-0 text-ink-2">{t.consoleEmpty}</p>
        )}
        {all !== null && all.length > 0 && (
          <>
            <p className="m-0 text-ink-2">
              {t.consoleSummary({
                count: all.length,
                linked: all.filter(({ kind }) => kind === 'linked').length,
              })}
            </p>
            {all.length > 10 && (
              <SearchField label={t.searchNames} value={text} onChange={setText} />
            )}
            <ul
              aria-label={t.consoleCompanies}
              className="m-0 list-none border-t-2 border-head-rule p-0"
            >
              {found.slice(0, MAX_SHOWN).map((one) => (
                <li key={one.there.id} className="grid gap-2 border-b border-hair py-1.5">
                  <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                    <span className="min-w-0 grow basis-60">
                      <span className="block truncate font-semibold" data-tip={one.there.name}>
                        {one.there.name}
                      </span>
                      <State one={one} />
                    </span>
                    {one.kind === 'same-name' && (
                      <Button
                        size="sm"
                        busy={mutation.pending === one.there.id}
                        disabled={mutation.busy && mutation.pending !== one.there.id}
                        onClick={() => void link(one, one.ours)}
                      >
                        {t.linkExisting}
                      </Button>
                    )}
                    {one.kind === 'unknown' && (
                      <>
                        <Button
                          size="sm"
                          busy={mutation.pending === one.there.id}
                          disabled={mutation.busy && mutation.pending !== one.there.id}
                          aria-label={t.createNamed({ company: one.there.name })}
                          onClick={() => void create(one)}
                        >
                          {t.create}
                        </Button>
                        <Button
                          size="sm"
                          variant="quiet"
                          aria-expanded={linking === one.there.id}
                          aria-label={t.linkNamed({ company: one.there.name })}
                          onClick={() => setLinking(linking === one.there.id ? null : one.there.id)}
                        >
                          {t.link}
                        </Button>
                      </>
                    )}
                  </div>
                  {linking === one.there.id && (
                    <Combobox
                      label={t.linkTo({ company: one.there.name })}
                      value=""
                      placeholder={t.searchByName}
                      options={ours
                        .filter(({ applications }) => applications.vac.id === null)
                        .map(({ _id, name }) => ({ value: _id, label: name }))}
                      onChange={(id) => {
                        const company = ours.find(({ _id }) => _id === id);
                        if (company) void link(one, company);
                      }}
                    />
                  )}
                </li>
              ))}
            </ul>
            {found.length > MAX_SHOWN && (
              <p className="m-0 text-agate text-ink-3">
                {t.matchesNotShown({ count: found.length - MAX_SHOWN })}
              </p>
            )}
            {found.length === 0 && <p className="m-0 text-ink-2">{t.noMatchingNames}</p>}
          </>
        )}
      </div>
    </Dialog>
  );
}

const made = ({ there: { id, name } }: Linking) =>
  client().ask('createCompany', { name, applications: { ...NO_APPLICATIONS, vac: { id } } });

function State({ one }: { readonly one: Linking }) {
  switch (one.kind) {
    case 'linked':
      return (
        <span className="flex items-center gap-1.5 text-agate text-success">
          <Icon name="success" size={12} />
          <span className="min-w-0 truncate">
            {one.ours === null ? t.linked : t.linkedWith({ company: one.ours.name })}
          </span>
        </span>
      );
    case 'same-name':
      return (
        <span className="flex items-center gap-1.5 text-agate text-warning">
          <Icon name="warning" size={12} />
          {t.sameName}
        </span>
      );
    case 'unknown':
      return (
        <span className="flex items-center gap-1.5 text-agate text-ink-3">
          <Icon name="missed" size={12} />
          {t.notImported}
        </span>
      );
  }
}

const EMPTY = {};
