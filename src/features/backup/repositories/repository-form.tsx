import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { BackupProxyRow, BackupRepositoryRow } from '#contract/backup/repositories.ts';
import { RETENTION_POLICIES } from '#contract/backup/retention.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { now } from '#src/app/clock.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { FormPart, SaveBar } from '../../shared/forms/form-parts.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { listPlace } from '../../shared/suite-list/address.ts';
import { editForm, makeRepositoryEditSchema, willShorten } from './form.ts';
import type { RepositoryForm as Form } from './form.ts';
import { ANY_PROXY, listProxyOptions } from './proxy-choice.ts';
import { PasswordInputs } from './password-inputs.tsx';
import { REPOSITORIES_PATH } from './tabs.tsx';
import { StorageFields } from './storage-fields.tsx';
import { retentionLabel } from './retention-label.ts';
import { RetentionTypeField } from './retention-type-field.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

export type NamedRow = Pick<OrganizationRow, 'id' | 'name' | 'engine'>;

/** The form of an existing repository. Its password has a dialog of its own. */
export function EditRepository({
  row,
  onDone,
  onCancel,
}: {
  readonly row: BackupRepositoryRow;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}) {
  const initial = editForm(row);
  return (
    <Fields
      row={row}
      organizations={NONE}
      initial={initial}
      schema={makeRepositoryEditSchema(row.id, initial)}
      submit={(input) => withReauth(() => client().ask('updateBackupRepository', input))}
      onCancel={onCancel}
      onDone={() => {
        showSuccess(t.saved);
        onDone();
      }}
    />
  );
}

/** The fields of a repository that the portal itself has. */
export function Fields<Value, Answer>({
  row,
  organizations,
  onOrganization,
  initial,
  schema,
  submit,
  onDone,
  onCancel,
}: {
  /** Null: a new repository. */
  readonly row: BackupRepositoryRow | null;
  readonly organizations: readonly NamedRow[];
  readonly onOrganization?: (id: string) => void;
  readonly initial: Form;
  readonly schema: FormSchema<Form, Value>;
  readonly submit: (value: Value) => Promise<Result<Answer>>;
  readonly onDone: (answer: Answer) => void;
  readonly onCancel?: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial,
    offline,
    schema,
    submit,
    onSaved: onDone,
  });
  const proxies = useWatch('backupProxies', EMPTY) ?? NO_PROXIES;
  const getFieldError = (field: keyof Form): string | null => errors[field] ?? null;
  const chooseOrganization = (organizationId: string): void => {
    onOrganization?.(organizationId);
    change({
      organizationId,
      ...(form.repository === '' && {
        repository: organizations.find(({ id }) => id === organizationId)?.name ?? '',
      }),
    });
  };
  return (
    <form
      ref={formRef}
      noValidate
      className="flex min-h-0 grow flex-col"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedQuestion
        dirty={dirty}
        leaves={(path, query) =>
          path !== REPOSITORIES_PATH || listPlace(query).open !== (row?.id ?? 'new')
        }
      />
      <div className="grid min-h-0 grow content-start gap-6 overflow-auto px-4 py-4 tablet:px-5">
        <FormPart title={t.repository}>
          <RequiredNote />
          {row === null && (
            <OrganizationField
              organizations={organizations}
              value={form.organizationId}
              error={getFieldError('organizationId')}
              onChange={chooseOrganization}
            />
          )}
          <TextField
            label={t.name}
            required
            value={form.repository}
            maxLength={LIMITS.nameChars}
            autoComplete="off"
            error={getFieldError('repository')}
            onChange={({ target }) => change({ repository: target.value })}
          />
          <TextField
            label={t.description}
            value={form.description}
            maxLength={LIMITS.subjectChars}
            autoComplete="off"
            onChange={({ target }) => change({ description: target.value })}
          />
          {(proxies.length > 1 || form.proxy !== ANY_PROXY) && (
            <Select
              label={t.runsOn}
              block
              value={form.proxy}
              options={listProxyOptions(proxies, form.proxy)}
              error={getFieldError('proxy')}
              onChange={(proxy) => change({ proxy })}
            />
          )}
        </FormPart>
        {row === null && (
          <FormPart title={t.storage}>
            <StorageFields fields={form} getError={getFieldError} onChange={change} />
          </FormPart>
        )}
        <FormPart title={t.retention}>
          <Select
            label={t.keepBackups}
            block
            value={form.retentionPolicy}
            options={RETENTION_POLICIES.map((policy) => ({
              value: policy,
              label: retentionLabel(policy),
            }))}
            error={getFieldError('retentionPolicy')}
            onChange={(retentionPolicy) => change({ retentionPolicy })}
          />
          {willShorten(row, form.retentionPolicy, now()) && (
            <Callout tone="warning">{t.shortens}</Callout>
          )}
          {row === null && (
            <RetentionTypeField
              value={form.retentionType}
              onChange={(retentionType) => change({ retentionType })}
            />
          )}
          <p className="m-0 text-agate text-ink-3">{t.cleanUpHint}</p>
        </FormPart>
        <FormPart title={t.encryption}>
          {row === null ? (
            <>
              <Switch
                label={t.ownPassword}
                detail={t.ownPasswordHint}
                on={form.hasOwnPassword}
                onChange={(hasOwnPassword) => change({ hasOwnPassword })}
              />
              {form.hasOwnPassword && (
                <PasswordInputs fields={form} getError={getFieldError} onChange={change} />
              )}
            </>
          ) : (
            <TextField
              label={t.passwordHint}
              hint={t.passwordHintHint}
              value={form.passwordDescription}
              maxLength={LIMITS.subjectChars}
              autoComplete="off"
              onChange={({ target }) => change({ passwordDescription: target.value })}
            />
          )}
        </FormPart>
      </div>
      <SaveBar
        label={row === null ? t.createRepository : t.saveRepository}
        busy={busy}
        dirty={row === null || dirty || busy}
        offline={offline}
        error={error}
        onUndo={null}
        {...(onCancel && { onCancel })}
      />
    </form>
  );
}

/** Whose repository it is. */
export function OrganizationField({
  organizations,
  ...props
}: {
  readonly organizations: readonly NamedRow[];
  readonly value: string;
  readonly error: string | null;
  readonly onChange: (organizationId: string) => void;
}) {
  const field = {
    ...props,
    label: t.organization,
    required: true,
    block: true,
    options: organizations.map(({ id, name }) => ({ value: id as string, label: name })),
    placeholder: t.chooseOrganization,
  };
  return organizations.length > FEW ? <Combobox {...field} /> : <Select {...field} />;
}

/** With more organizations than this, the list has a search field. */
const FEW = 10;
const NONE: readonly NamedRow[] = [];
const NO_PROXIES: readonly BackupProxyRow[] = [];
const EMPTY = {};
