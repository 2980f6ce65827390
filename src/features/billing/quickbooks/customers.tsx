import { useState } from 'react';
import { quickBooksCalls } from '#contract/billing/quickbooks-calls.ts';
import type { CustomerHealth, CustomerOut } from '#contract/billing/quickbooks-calls.ts';
import { MESSAGES } from '#contract/messages.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Button } from '#src/ui/button.tsx';
import { Callout } from '#src/ui/callout.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { FormSection } from '#src/ui/form-section.tsx';
import { Icon } from '#src/ui/icon.tsx';
import type { IconName } from '#src/ui/icon.tsx';
import { SearchField } from '#src/ui/search-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { quickBooksMessages as t } from './messages.en.ts';

export interface CustomersProps {
  readonly rows: readonly CustomerOut[];
  readonly companies: readonly { readonly n: number; readonly name: string }[];
  readonly offline: boolean;
  readonly onRows: (rows: readonly CustomerOut[]) => void;
}
interface Pair {
  readonly customer: string;
  readonly company: number | null;
}

const HEALTH: Readonly<
  Record<CustomerHealth, { readonly label: string; readonly icon: IconName; readonly text: string }>
> = {
  'ok': { label: 'OK', icon: 'success', text: 'text-success' },
  'renamed': { label: t.renamed, icon: 'warning', text: 'text-warning' },
  'inactive': { label: t.inactive, icon: 'missed', text: 'text-missed' },
  'not mapped': { label: t.notMapped, icon: 'missed', text: 'text-missed' },
};
/** Maximum number of displayed customers; others are found by searching. */
const MAX_SHOWN = 200;

/** All QuickBooks customers, each with the company it is mapped to (BILL-4). */
export function CustomerList({ rows, companies, offline, onRows }: CustomersProps) {
  const [text, setText] = useState('');
  const mutation = useServerMutation();
  const error = mutation.failure?.message ?? null;
  const [choosing, setChoosing] = useState<CustomerOut | null>(null);
  const wanted = text.trim().toLowerCase();
  const shown = rows.filter(({ name, companyName }) =>
    `${name}\n${companyName ?? ''}`.toLowerCase().includes(wanted),
  );
  const why = offline ? { 'data-tip': MESSAGES.needsNetwork } : {};
  const alike = rows.flatMap(({ id, suggested }): Pair[] =>
    suggested === null ? [] : [{ customer: id, company: suggested }],
  );

  async function put(pairs: readonly Pair[], said: string): Promise<void> {
    const details = await mutation.send(() =>
      client().ask('setCustomers', { pairs: pairs.map((one) => ({ ...one })) }),
    );
    if (!details.ok) return;
    onRows(details.value);
    showSuccess(said);
  }

  return (
    <FormSection wide title={t.customers} place="customers" description={t.customersHint}>
      {rows.length > 0 && <SearchField label={t.searchCustomers} value={text} onChange={setText} />}
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
      {alike.length > 0 && (
        <Callout
          tone="running"
          action={
            <Button
              size="sm"
              variant="primary"
              busy={mutation.busy}
              disabled={offline}
              {...why}
              onClick={() => void put(alike, t.customersMapped({ count: alike.length }))}
            >
              {t.mapAll({ count: alike.length })}
            </Button>
          }
        >
          {t.exactMatches({ count: alike.length })}
        </Callout>
      )}
      {rows.length === 0 && <p className="m-0 text-ink-2">{t.noCustomers}</p>}
      <ul className="m-0 list-none border-t border-rule p-0">
        {shown.slice(0, MAX_SHOWN).map((one) => {
          const { label, icon, text: colour } = HEALTH[one.health];
          return (
            <li
              key={one.id}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 border-b border-hair py-1.5 tablet:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_8.5rem_auto]"
            >
              <span className="min-w-0 truncate" data-tip={one.name}>
                <b className="font-semibold">{one.name}</b>{' '}
                <span className="text-agate text-ink-3">
                  {t.invoiceCount({ count: one.invoices })}
                </span>
              </span>
              <span
                className="col-start-1 min-w-0 truncate text-ink-2 tablet:col-start-2"
                data-tip={one.companyName ?? undefined}
              >
                {one.companyName ?? '–'}
                {one.by !== null && (
                  <span className="text-agate text-ink-3">
                    {' '}
                    {t.viaParent({ customer: one.by })}
                  </span>
                )}
              </span>
              <span
                className={`col-start-1 inline-flex items-center gap-1.5 tablet:col-start-3 ${colour}`}
              >
                <Icon name={icon} />
                {label}
              </span>
              <Button
                size="sm"
                className="col-start-2 row-span-3 row-start-1 tablet:col-start-4 tablet:row-span-1"
                aria-label={nameAction(one)}
                disabled={offline}
                {...why}
                onClick={() => setChoosing(one)}
              >
                {isMappedItself(one) ? t.change : t.map}
              </Button>
            </li>
          );
        })}
      </ul>
      {shown.length > MAX_SHOWN && (
        <p className="m-0 text-agate text-ink-3">
          {t.moreCustomers({ count: shown.length - MAX_SHOWN })}
        </p>
      )}
      {rows.length > 0 && shown.length === 0 && <p className="m-0 text-ink-2">{t.noMatches}</p>}
      {choosing !== null && (
        <Choose
          one={choosing}
          companies={companies}
          onClose={() => setChoosing(null)}
          onMapped={(mapped, message) => {
            setChoosing(null);
            onRows(mapped);
            showSuccess(message);
          }}
        />
      )}
    </FormSection>
  );
}

function Choose({
  one,
  companies,
  onClose,
  onMapped,
}: {
  readonly one: CustomerOut;
  readonly companies: CustomersProps['companies'];
  readonly onClose: () => void;
  readonly onMapped: (rows: readonly CustomerOut[], message: string) => void;
}) {
  const removal = useServerMutation();
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { company: String(one.company ?? one.suggested ?? '') },
    schema: makeFormSchema(
      quickBooksCalls.setCustomers.input,
      ({ company }: { readonly company: string }) => ({
        value: { pairs: [{ customer: one.id, company: Number(company) }] },
        errors: { company: company === '' ? t.companyMissing : null },
      }),
    ),
    submit: (input) => client().ask('setCustomers', input),
    onSaved: (rows) => onMapped(rows, t.customerMapped),
  });
  const remove = async (): Promise<void> => {
    const answer = await removal.send(() =>
      client().ask('setCustomers', { pairs: [{ customer: one.id, company: null }] }),
    );
    if (answer.ok) onMapped(answer.value, t.mappingRemoved);
  };
  return (
    <FormDialog
      title={nameAction(one)}
      onClose={onClose}
      submitLabel={isMappedItself(one) ? t.change : t.map}
      busy={busy}
      error={error ?? removal.failure?.message ?? null}
      formRef={formRef}
      onSubmit={(event) => {
        removal.clear();
        return save(event);
      }}
      actions={
        isMappedItself(one) && (
          <Button busy={removal.busy} disabled={busy} onClick={() => void remove()}>
            {t.removeMapping}
          </Button>
        )
      }
    >
      <div className="grid min-h-64 content-start gap-3">
        <Combobox
          label={t.company}
          required
          value={form.company}
          placeholder={t.companyPlaceholder}
          options={companies.map(({ n, name }) => ({ value: String(n), label: name }))}
          error={errors['company'] ?? null}
          onChange={(company) => change({ company })}
        />
        {one.health === 'renamed' && <p className="m-0 text-ink-2">{t.renamedHint}</p>}
      </div>
    </FormDialog>
  );
}

/** Whether the customer has a company of its own, not the one of its parent. */
const isMappedItself = ({ company, by }: CustomerOut): boolean => company !== null && by === null;
const nameAction = (one: CustomerOut): string =>
  (isMappedItself(one) ? t.changeCustomer : t.mapCustomer)({ customer: one.name });
