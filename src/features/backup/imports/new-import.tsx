import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { tell } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { ArchiveField } from './archive-field.tsx';
import { importMessages as t } from './messages.en.ts';
import { sendArchive } from './uploads.ts';

type Mailbox = OutputOf<'listImports'>['mailboxes'][number];

export interface ImportForm {
  readonly organizationId: string;
  readonly repositoryId: string;
  /** Empty: a new one. */
  readonly mailboxId: string;
  readonly mailboxName: string;
  readonly file: File | null;
}

interface Props {
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  readonly repositories: readonly BackupRepositoryRow[];
  /** The imported mailboxes of the organization that the page shows. */
  readonly mailboxes: readonly Mailbox[];
  readonly organizationId: string;
  readonly onClose: () => void;
  readonly onDone: (organizationId: string, id: string) => void;
}

/** Chooses an archive and where it goes, and begins to send it. */
export function NewImport({
  organizations,
  repositories,
  mailboxes,
  organizationId,
  onClose,
  onDone,
}: Props) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const repositoriesIn = (organization: string): readonly BackupRepositoryRow[] =>
    repositories.filter((row) => row.organization === organization && row.removedAt === null);
  const { form, change, errors, error, busy, formRef, save } = useDraftForm({
    initial: {
      organizationId,
      repositoryId: getOnly(repositoriesIn(organizationId)),
      mailboxId: '',
      mailboxName: '',
      file: null,
    },
    offline,
    schema: IMPORT_SCHEMA,
    submit: (input) => withReauth(() => client().ask('createImport', input)),
    onSaved: ({ id }, input, { file }) => {
      if (file !== null) void sendArchive({ organizationId: input.organizationId, id, file });
      tell(t.uploadStarted);
      onDone(input.organizationId, id);
    },
  });
  const known = mailboxes.filter(
    (mailbox) =>
      form.organizationId === organizationId && mailbox.repositoryId === form.repositoryId,
  );
  return (
    <FormDialog
      title={t.newImport}
      onClose={onClose}
      submitLabel={t.startImport}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <p className="m-0 text-ink-2">{t.formHint}</p>
      <RequiredNote />
      <ArchiveField
        file={form.file}
        error={errors['file'] ?? null}
        onChoose={(file) => change({ file })}
      />
      <Select
        label={t.organization}
        required
        block
        value={form.organizationId}
        options={organizations.map(({ id, name }) => ({ value: id, label: name }))}
        placeholder={t.chooseOrganization}
        error={errors['organizationId'] ?? null}
        onChange={(id) =>
          change({ organizationId: id, repositoryId: getOnly(repositoriesIn(id)), mailboxId: '' })
        }
      />
      <Select
        label={t.repository}
        required
        block
        value={form.repositoryId}
        options={repositoriesIn(form.organizationId).map(({ id, name }) => ({
          value: id,
          label: name,
        }))}
        placeholder={t.chooseRepository}
        error={errors['repositoryId'] ?? null}
        onChange={(repositoryId) => change({ repositoryId, mailboxId: '' })}
      />
      {known.length > 0 && (
        <Select
          label={t.into}
          block
          value={form.mailboxId || NEW}
          options={[
            { value: NEW, label: t.newMailbox },
            ...known.map(({ id, name, items }) => ({
              value: id,
              label: t.knownMailbox({ name, items }),
            })),
          ]}
          onChange={(id) => change({ mailboxId: id === NEW ? '' : id })}
        />
      )}
      {form.mailboxId === '' && (
        <TextField
          label={t.mailboxName}
          hint={t.mailboxNameHint}
          required
          autoComplete="off"
          value={form.mailboxName}
          error={errors['mailboxName'] ?? null}
          onChange={({ target }) => change({ mailboxName: target.value })}
        />
      )}
      <p className="m-0 text-agate text-ink-3">{t.repositoryHint}</p>
    </FormDialog>
  );
}

const NEW = 'new';
const getOnly = (rows: readonly { readonly id: string }[]): string =>
  rows.length === 1 ? (rows[0]?.id ?? '') : '';

/** Returns the input of `createImport`, or what is wrong with the form. */
export function readImportForm({
  organizationId,
  repositoryId,
  mailboxId,
  mailboxName,
  file,
}: ImportForm): {
  readonly value: InputOf<'createImport'> | null;
  readonly errors: Readonly<Partial<Record<keyof ImportForm, string>>>;
} {
  const name = mailboxName.trim();
  const fileError =
    file === null
      ? t.archiveMissing
      : file.size === 0
        ? t.archiveEmpty
        : file.size > LIMITS.importBytes
          ? t.archiveTooLarge
          : null;
  const errors = {
    ...(fileError !== null && { file: fileError }),
    ...(organizationId === '' && { organizationId: t.organizationMissing }),
    ...(repositoryId === '' && { repositoryId: t.repositoryMissing }),
    ...(mailboxId === '' && name === '' && { mailboxName: t.mailboxNameMissing }),
  };
  if (file === null || Object.keys(errors).length > 0) return { value: null, errors };
  return {
    value: {
      organizationId,
      repositoryId,
      name: file.name.slice(-MAX_NAME_CHARS),
      bytes: file.size,
      mailbox: mailboxId === '' ? { name: name.slice(0, MAX_NAME_CHARS) } : { id: mailboxId },
    },
    errors,
  };
}
const MAX_NAME_CHARS = 200;

const IMPORT_SCHEMA = makeReadingSchema(readImportForm);

const EMPTY = {};
