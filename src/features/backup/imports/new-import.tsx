import { useState } from 'react';
import type { BackupRepositoryRow } from '#contract/backup/repositories.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { failed, type Result } from '#contract/result.ts';
import type { ShownCertificate } from '#contract/shown-certificate.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { makeReadingSchema } from '#src/ui/form-schema.ts';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { type FormRefusal, useDraftForm } from '#src/ui/use-draft-form.ts';
import { ServerAnswer } from '../../shared/certificate/server-answer.tsx';
import { ArchiveField } from './archive-field.tsx';
import { FilesField } from './files-field.tsx';
import { type ImportForm, makeImportForm, readImportForm } from './import-form.ts';
import { importMessages as t } from './messages.en.ts';
import { ServerFields } from './server-fields.tsx';
import { sendArchive } from './uploads.ts';

type Mailbox = OutputOf<'listImports'>['mailboxes'][number];

interface Props {
  readonly organizations: readonly { readonly id: string; readonly name: string }[];
  readonly repositories: readonly BackupRepositoryRow[];
  /** The imported mailboxes of the organization that the page shows. */
  readonly mailboxes: readonly Mailbox[];
  readonly organizationId: string;
  /** An earlier import of a mailbox on a server that is imported again. */
  readonly again: OutputOf<'getImport'> | null;
  readonly zone: string;
  readonly onClose: () => void;
  readonly onDone: (organizationId: string, id: string) => void;
}

/** Chooses an archive or a mailbox on a server, and where it goes, and begins to import it. */
export function NewImport({
  organizations,
  repositories,
  mailboxes,
  organizationId,
  again,
  zone,
  onClose,
  onDone,
}: Props) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const repositoriesIn = (organization: string): readonly BackupRepositoryRow[] =>
    repositories.filter((row) => row.organization === organization && row.removedAt === null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: makeImportForm(organizationId, getOnly(repositoriesIn(organizationId)), again),
    offline,
    schema: IMPORT_SCHEMA,
    submit: async (sent) => {
      if (sent.call === 'createImport')
        return withReauth(() => client().ask('createImport', sent.input));
      const { organizationId: organization } = sent.input;
      const test =
        sent.call === 'createImapImport'
          ? client().ask('testImapServer', {
              organizationId: organization,
              server: sent.input.server,
            })
          : client().ask('testWebdavServer', {
              organizationId: organization,
              server: sent.input.server,
            });
      const refused = getRefusal(await test, setRefusal);
      if (refused !== null) return refused;
      return withReauth(() =>
        sent.call === 'createImapImport'
          ? client().ask('createImapImport', sent.input)
          : client().ask('createWebdavImport', sent.input),
      );
    },
    explain,
    onSaved: ({ id }, { input }, saved) => {
      const { file } = saved;
      if (!isOnServer(saved) && file !== null)
        void sendArchive({ organizationId: input.organizationId, id, file });
      showSuccess(isOnServer(saved) ? t.importStarted : t.uploadStarted);
      onDone(input.organizationId, id);
    },
  });
  const isDrive = form.source === 'files' || form.source === 'webdav';
  const changeSource = (source: ImportForm['source']): void => {
    setRefusal(null);
    change({ source, file: null, mailboxId: '' });
  };
  const known = mailboxes.filter(
    (mailbox) =>
      mailbox.kind === (isDrive ? 'drive' : 'mailbox') &&
      form.organizationId === organizationId &&
      mailbox.repositoryId === form.repositoryId,
  );
  return (
    <FormDialog
      dirty={dirty}
      title={again === null ? t.newImport : t.againTitle({ name: again.name })}
      onClose={onClose}
      submitLabel={t.startImport}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <RequiredNote />
      {again === null && (
        <fieldset className="m-0 min-w-0 border-0 p-0">
          <legend className="pb-1 font-semibold">{t.source}</legend>
          <div className="border-t border-hair">
            <Choice
              name="source"
              checked={form.source === 'archive'}
              title={t.archive}
              detail={t.archiveDetail}
              onChoose={() => changeSource('archive')}
            />
            <Choice
              name="source"
              checked={form.source === 'files'}
              title={t.files}
              detail={t.filesDetail}
              onChoose={() => changeSource('files')}
            />
            <Choice
              name="source"
              checked={form.source === 'imap'}
              title={t.imap}
              detail={t.imapDetail}
              onChoose={() => changeSource('imap')}
            />
            <Choice
              name="source"
              checked={form.source === 'webdav'}
              title={t.webdav}
              detail={t.webdavDetail}
              onChoose={() => changeSource('webdav')}
            />
          </div>
        </fieldset>
      )}
      {form.source === 'archive' && (
        <ArchiveField
          file={form.file}
          error={errors['file'] ?? null}
          onChoose={(file) => change({ file })}
        />
      )}
      {form.source === 'files' && (
        <FilesField
          file={form.file}
          error={errors['file'] ?? null}
          onChoose={(file) => change({ file })}
        />
      )}
      {isOnServer(form) && (
        <ServerFields
          form={form}
          errors={errors}
          onChange={(next) => {
            setRefusal(null);
            change(next);
          }}
        />
      )}
      {refusal !== null && (
        <ServerAnswer
          key={refusal.message}
          ok={false}
          {...refusal}
          zone={zone}
          onPin={(certificate) => {
            setRefusal(null);
            change({ certificate });
          }}
        />
      )}
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
      <div className="grid gap-1.5">
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
        <p className="m-0 text-agate text-ink-3">{t.repositoryHint}</p>
      </div>
      {known.length > 0 && (
        <Select
          label={t.into}
          block
          value={form.mailboxId || NEW}
          options={[
            { value: NEW, label: isDrive ? t.newDrive : t.newMailbox },
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
          label={isDrive ? t.driveName : t.mailboxName}
          hint={isDrive ? t.driveNameHint : t.mailboxNameHint}
          required
          autoComplete="off"
          value={form.mailboxName}
          error={errors['mailboxName'] ?? null}
          onChange={({ target }) => change({ mailboxName: target.value })}
        />
      )}
    </FormDialog>
  );
}

const NEW = 'new';
const getOnly = (rows: readonly { readonly id: string }[]): string =>
  rows.length === 1 ? (rows[0]?.id ?? '') : '';

const isOnServer = ({ source }: Pick<ImportForm, 'source'>): boolean =>
  source === 'imap' || source === 'webdav';

/** Why a mailbox on a server can't be imported. */
interface Refusal {
  readonly message: string;
  /** The server's certificate, if it isn't trusted. */
  readonly seen: ShownCertificate | null;
}

/** Returns why the import can't begin; null: it can. */
function getRefusal(
  test: Result<OutputOf<'testImapServer'>>,
  onTested: (refusal: Refusal | null) => void,
): Result<never> | null {
  if (!test.ok) return test;
  const { ok: isOk, message, seen } = test.value;
  const refusal = isOk ? null : { message: message ?? t.notReached, seen };
  onTested(refusal);
  return refusal === null ? null : failed({ kind: 'conflict', message: REFUSED });
}
/** What the server said is shown beside its fields. */
const REFUSED = 'refused-by-server';
const explain = (failure: Failure): FormRefusal =>
  'message' in failure && failure.message === REFUSED
    ? { errors: {}, above: null }
    : { errors: {}, above: getFailureText(failure) };

const IMPORT_SCHEMA = makeReadingSchema(readImportForm);

const EMPTY = {};
