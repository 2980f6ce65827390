import { LIMITS } from '#contract/limits.ts';
import type { FormErrors } from '#src/ui/form-errors.ts';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { SignInFields } from '../../shared/certificate/sign-in-fields.tsx';
import { type ImapServerInput, type ImportForm, withSecurity } from './import-form.ts';
import { importMessages as t } from './messages.en.ts';

const SECURITIES: readonly {
  readonly value: ImapServerInput['security'];
  readonly label: string;
}[] = [
  { value: 'tls', label: t.securityTls },
  { value: 'starttls', label: t.securityStarttls },
  { value: 'none', label: t.securityNone },
];

interface Props {
  readonly form: ImportForm;
  readonly errors: FormErrors;
  readonly onChange: (change: Partial<ImportForm>) => void;
}

/** A mailbox or folder on a server, and its password. */
export function ServerFields({ form, errors, onChange }: Props) {
  return (
    <>
      {form.source === 'webdav' && (
        <TextField
          label={t.address}
          required
          value={form.url}
          maxLength={LIMITS.addressChars}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          placeholder={t.addressExample}
          hint={t.addressHint}
          error={errors['url'] ?? null}
          onChange={({ target }) => onChange({ url: target.value })}
        />
      )}
      {form.source === 'imap' && <ImapFields form={form} errors={errors} onChange={onChange} />}
      <SignInFields
        fields={form}
        errors={errors}
        passwordHint={t.passwordHint}
        onChange={onChange}
      />
    </>
  );
}

function ImapFields({ form, errors, onChange }: Props) {
  return (
    <>
      <div className="grid items-start gap-4 tablet:grid-cols-[1fr_7rem]">
        <TextField
          label={t.host}
          required
          value={form.host}
          maxLength={253}
          autoComplete="off"
          spellCheck={false}
          inputMode="url"
          placeholder={t.hostExample}
          error={errors['host'] ?? null}
          onChange={({ target }) => onChange({ host: target.value })}
        />
        <TextField
          label={t.port}
          required
          value={form.port}
          maxLength={5}
          autoComplete="off"
          inputMode="numeric"
          error={errors['port'] ?? null}
          onChange={({ target }) => onChange({ port: target.value })}
        />
      </div>
      <Select
        label={t.security}
        block
        value={form.security}
        options={SECURITIES}
        onChange={(value) => {
          const found = SECURITIES.find((known) => known.value === value);
          if (found) onChange(withSecurity(form, found.value));
        }}
      />
    </>
  );
}
