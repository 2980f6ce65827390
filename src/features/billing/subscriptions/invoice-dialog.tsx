import type { UsageMonthOut } from '#contract/billing/subscription-calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { Select } from '#src/ui/select.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { getId } from '../../shared/ids.ts';
import { moneyWords } from '../labels.ts';
import { formatQuantity } from './labels.ts';
import { subscriptionMessages as t } from './messages.en.ts';

interface Draft {
  readonly userItem: string;
  readonly gigabyteItem: string;
  readonly tax: string;
  readonly rep: string;
}

/** The invoice of a month: previewed, then sent to QuickBooks once (BILL-16). */
export function InvoiceDialog({
  usage,
  company,
  onDone,
  onClose,
}: {
  readonly usage: UsageMonthOut;
  readonly company: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const usageId = getId(usage);
  const preview = useCachedQuery('previewMonthInvoice', { usageId });
  const items = useCachedQuery('listQuickBooksItems', EMPTY);
  const taxes = useCachedQuery('listQuickBooksTaxes', EMPTY);
  const reps = useCachedQuery('listQuickBooksReps', EMPTY);
  const hasGigabytes = usage.lines.some(({ kind }) => kind === 'gigabytes');
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: { userItem: '', gigabyteItem: '', tax: '', rep: '' },
    schema: makeReadingSchema((draft: Draft) => ({
      value:
        draft.userItem === '' || (hasGigabytes && draft.gigabyteItem === '')
          ? null
          : {
              usageId,
              userItem: draft.userItem,
              gigabyteItem: draft.gigabyteItem === '' ? null : draft.gigabyteItem,
              tax: draft.tax === '' ? null : draft.tax,
              rep: draft.rep === '' ? null : draft.rep,
            },
      errors: {
        userItem: draft.userItem === '' ? t.itemMissing : null,
        gigabyteItem: hasGigabytes && draft.gigabyteItem === '' ? t.itemMissing : null,
      },
    })),
    submit: (input) => withReauth(() => client().ask('sendMonthInvoice', input)),
    onSaved: ({ invoice }) => {
      showSuccess(t.invoiceSent({ number: invoice }));
      onDone();
    },
  });
  const failure = preview.failure ?? items.failure;
  return (
    <FormDialog
      dirty={dirty}
      title={t.invoiceTitle({ company })}
      submitLabel={t.createInvoice}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
      onClose={onClose}
    >
      {failure !== null && <Callout tone="failed">{getFailureText(failure)}</Callout>}
      {items.value?.rows.length === 0 && <Callout tone="warning">{t.noItems}</Callout>}
      {preview.value !== null && (
        <dl
          aria-label={t.invoicePreview}
          className="m-0 grid grid-cols-[minmax(0,1fr)_auto] border-t-2 border-head-rule [&>*]:border-b [&>*]:border-hair [&>*]:py-1.5 [&>dd]:m-0 [&>dd]:text-right [&>dd]:tabular-nums"
        >
          <dt className="text-ink-2">{t.customer}</dt>
          <dd>{preview.value.customer}</dd>
          {preview.value.lines.map(({ kind, quantity, priceMills, amountMills }) => (
            <div
              key={`${kind} ${priceMills}`}
              className="contents [&>*]:border-b [&>*]:border-hair [&>*]:py-1.5"
            >
              <dt className="text-ink-2">
                {t[kind]} {formatQuantity(quantity)}
              </dt>
              <dd className="m-0 text-right tabular-nums">
                {moneyWords(amountMills, preview.value?.currency ?? usage.currency)}
              </dd>
            </div>
          ))}
          <dt className="font-semibold">{t.amount}</dt>
          <dd className="font-semibold">
            {moneyWords(preview.value.totalMills, preview.value.currency)}
          </dd>
        </dl>
      )}
      <Select
        block
        required
        label={t.userItem}
        placeholder={t.chooseItem}
        value={form.userItem}
        error={errors['userItem'] ?? null}
        options={toOptions(items.value?.rows)}
        onChange={(userItem) => change({ userItem })}
      />
      {hasGigabytes && (
        <Select
          block
          required
          label={t.gigabyteItem}
          placeholder={t.chooseItem}
          value={form.gigabyteItem}
          error={errors['gigabyteItem'] ?? null}
          options={toOptions(items.value?.rows)}
          onChange={(gigabyteItem) => change({ gigabyteItem })}
        />
      )}
      <Select
        block
        label={t.tax}
        placeholder={t.noTax}
        value={form.tax}
        options={toOptions(taxes.value?.rows)}
        onChange={(tax) => change({ tax })}
      />
      <Select
        block
        label={t.rep}
        placeholder={t.noRep}
        value={form.rep}
        options={(reps.value?.rows ?? []).map(({ name }) => ({ value: name, label: name }))}
        onChange={(rep) => change({ rep })}
      />
    </FormDialog>
  );
}

const toOptions = (rows: readonly { readonly id: string; readonly name: string }[] = []) =>
  rows.map(({ id, name }) => ({ value: id, label: name }));

const EMPTY = {};
