import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Combobox } from '#src/ui/combobox.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Button } from '#src/ui/button.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import type { FoundServer } from './dialog.tsx';
import { importServerMessages as t } from './messages.en.ts';

interface Props {
  readonly server: FoundServer;
  readonly onClose: () => void;
}

/** The organizations of the server: whose each will be, or why it can't be imported. */
export function FoundOrganizations({ server, onClose }: Props) {
  const { host } = new URL(server.input.apiUrl);
  const isUseful = server.organizations.some(
    ({ reason, isImported }) => reason === null || isImported,
  );
  if (isUseful) return <ImportForm server={server} onClose={onClose} />;
  return (
    <Dialog
      title={t.found({ host })}
      onClose={onClose}
      footer={<Button onClick={onClose}>{ui.close}</Button>}
    >
      <div className="grid gap-4 px-5 py-4">
        <p className="m-0">{t.none}</p>
        <List server={server} />
      </div>
    </Dialog>
  );
}

function ImportForm({ server, onClose }: Props) {
  const { input, organizations } = server;
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const companies = useWatch('companies', EMPTY) ?? [];
  const usable = organizations.filter(({ reason }) => reason === null);
  const needsCompany = usable.some(({ companyN }) => companyN === null);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: { companyN: companies.length === 1 ? String(companies[0]?.n ?? '') : '' },
    offline,
    schema: needsCompany ? WITH_COMPANY : WITHOUT_COMPANY,
    submit: ({ companyId }) =>
      withReauth(() =>
        client().ask('importServer', { ...input, ...(companyId !== null && { companyId }) }),
      ),
    explain: (failure) => ({ errors: {}, above: getFailureText(failure) }),
    onSaved: ({ count, left }) => {
      showSuccess(
        [
          usable.length === 0 ? t.signInSaved : t.imported({ count: count ?? 0 }),
          ...left.filter(({ name }) => usable.some((one) => one.name === name)).map(leftText),
        ].join(' '),
      );
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.found({ host: new URL(input.apiUrl).host })}
      onClose={onClose}
      submitLabel={usable.length === 0 ? t.saveSignIn : t.import({ count: usable.length })}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <List server={server} />
      {usable.length === 0 && <p className="m-0 text-ink-2">{t.allImported}</p>}
      {needsCompany && (
        <Combobox
          label={t.company}
          required
          value={form.companyN}
          placeholder={t.chooseCompany}
          options={companies
            .map(({ n, name }) => ({ value: String(n), label: name }))
            .toSorted((a, b) => a.label.localeCompare(b.label))}
          error={errors['companyN'] ?? null}
          onChange={(companyN) => change({ companyN })}
        />
      )}
    </FormDialog>
  );
}

const leftText = ({ name, reason }: { readonly name: string; readonly reason: string }): string =>
  `${name}: ${reason}`;

function List({ server: { organizations } }: Pick<Props, 'server'>) {
  const names = new Map(useWatch('companies', EMPTY)?.map(({ n, name }) => [n, name]));
  return (
    <ul className="m-0 list-none border-t border-rule p-0">
      {organizations.map(({ name, domain, companyN, reason }) => (
        <li key={domain} className="grid gap-0.5 border-b border-hair py-2">
          <span className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span className="font-semibold break-words">{name}</span>
            <span className="break-all text-agate text-ink-3">{domain}</span>
          </span>
          <span className={reason === null ? 'text-ink-2' : 'text-warning'}>
            {reason ??
              (companyN === null ? t.chosenCompany : (names.get(companyN) ?? t.chosenCompany))}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface CompanyForm {
  readonly companyN: string;
}
interface Chosen {
  readonly companyId: number | null;
}
const read = ({ companyN }: CompanyForm): Chosen => ({
  companyId: companyN === '' ? null : Number(companyN),
});
const WITH_COMPANY = makeReadingSchema((form: CompanyForm) => ({
  value: form.companyN === '' ? null : read(form),
  errors: form.companyN === '' ? { companyN: t.companyMissing } : {},
}));
const WITHOUT_COMPANY = makeReadingSchema((form: CompanyForm) => ({
  value: read(form),
  errors: {},
}));
const EMPTY = {};
