import { isShorterRetention } from '#contract/backup/server-repositories.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Result } from '#contract/result.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import type { FormSchema } from '#src/ui/form-schema.ts';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { LIMITS } from '#contract/limits.ts';
import { FormPart, SaveBar } from '../../shared/forms/form-parts.tsx';
import { UnsavedQuestion } from '#src/app/shell/unsaved-question.tsx';
import { listPlace } from '../../shared/suite-list/address.ts';
import { FactList } from '../../shared/suite-list/suite-list.tsx';
import {
  editServerForm,
  EMPTY_SERVER_FORM,
  makeServerEditSchema,
  readRetention,
  type ServerRepositoryForm,
  type ServerSettings,
} from './server-form.ts';
import { NameFields, RetentionFields } from './server-fields.tsx';
import { REPOSITORIES_PATH } from './tabs.tsx';
import { backupRepositoryMessages as t } from './messages.en.ts';

type Storage = OutputOf<'getServerStorage'>;

/** The fields of a new repository, or the choice of one that the server has. */
export function NewFields<Value, Answer>({
  storage,
  organization,
  isExisting,
  schema,
  submit,
  onExisting,
  onDone,
}: {
  readonly storage: Storage;
  readonly organization: React.ReactNode;
  readonly isExisting: boolean;
  readonly schema: FormSchema<ServerRepositoryForm, Value>;
  readonly submit: (value: Value) => Promise<Result<Answer>>;
  readonly onExisting: (isExisting: boolean) => void;
  readonly onDone: (answer: Answer) => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: EMPTY_SERVER_FORM,
    offline,
    schema,
    submit,
    onSaved: onDone,
  });
  const getError = (field: keyof ServerRepositoryForm): string | null => errors[field] ?? null;
  const fields = { form, getError, change };
  return (
    <form
      ref={formRef}
      noValidate
      className="flex min-h-0 grow flex-col"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedQuestion dirty={dirty} leaves={leavesNew} />
      <div className="grid min-h-0 grow content-start gap-6 overflow-auto px-4 py-4 tablet:px-5">
        <FormPart title={t.repository}>
          <RequiredNote />
          {organization}
          <fieldset className="m-0 min-w-0 border-0 p-0">
            <legend className="sr-only">{t.newOrExisting}</legend>
            <Choice
              name="isExisting"
              checked={!isExisting}
              title={t.newOnServer}
              detail={t.newOnServerHint}
              onChoose={() => onExisting(false)}
            />
            <Choice
              name="isExisting"
              checked={isExisting}
              disabled={storage.repositories.length === 0}
              title={t.existing}
              detail={storage.repositories.length === 0 ? t.noExisting : t.existingHint}
              onChoose={() => onExisting(true)}
            />
          </fieldset>
          {isExisting ? (
            <Select
              label={t.repository}
              required
              block
              placeholder={t.chooseRepository}
              value={form.existing}
              options={storage.repositories.map(({ id, name, path }) => ({
                value: id,
                label: path === '' ? name : t.nameAndPath({ name, path }),
              }))}
              error={getError('existing')}
              onChange={(existing) => change({ existing })}
            />
          ) : (
            <NameFields {...fields} />
          )}
        </FormPart>
        {!isExisting && (
          <>
            <PlaceFields {...fields} storage={storage} />
            <RetentionFields {...fields} isNew shortens={false} />
          </>
        )}
      </div>
      <SaveBar
        label={isExisting ? t.addRepository : t.createRepository}
        busy={busy}
        dirty
        offline={offline}
        error={error}
        onUndo={null}
      />
    </form>
  );
}

const leavesNew = (path: string, query: string): boolean =>
  path !== REPOSITORIES_PATH || listPlace(query).open !== 'new';

/** On which proxy, and where there. */
function PlaceFields({
  form,
  getError,
  change,
  storage: { proxies, objectStorages, version },
}: Parameters<typeof NameFields>[0] & { readonly storage: Storage }) {
  return (
    <FormPart title={t.storage}>
      <Select
        label={t.proxy}
        required
        block
        placeholder={t.chooseProxy}
        value={form.proxyId}
        options={proxies.map(({ id, name, pool, isOnline, hasFolders }) => ({
          value: id,
          label: hasFolders
            ? isOnline
              ? name
              : t.offlineProxy({ name })
            : pool === null
              ? t.linuxProxy({ name })
              : t.pooledProxy({ name, pool }),
          disabled: !hasFolders,
        }))}
        error={getError('proxyId')}
        onChange={(proxyId) => change({ proxyId })}
      />
      <TextField
        label={form.objectStorageId === '' ? t.path : t.cachePath}
        hint={t.pathHint}
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.subjectChars}
        value={form.path}
        error={getError('path')}
        onChange={({ target }) => change({ path: target.value })}
      />
      {objectStorages.length > 0 && (
        <Select
          label={t.extendedWith}
          block
          value={form.objectStorageId}
          options={[
            { value: '', label: t.noObjectStorage },
            ...objectStorages.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(objectStorageId) => change({ objectStorageId })}
        />
      )}
      {version === 'v8' && <p className="m-0 text-agate text-ink-3">{t.objectStorageThere}</p>}
    </FormPart>
  );
}

/** The fields of a repository that a server has. */
export function EditFields({
  id,
  settings,
  onDone,
  onCancel,
}: {
  readonly id: string;
  readonly settings: ServerSettings;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const initial = editServerForm(settings);
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial,
    offline,
    schema: makeServerEditSchema(id, settings.version, initial),
    submit: (input) => withReauth(() => client().ask('updateServerRepository', input)),
    onSaved: () => {
      showSuccess(t.saved);
      onDone();
    },
  });
  const getError = (field: keyof ServerRepositoryForm): string | null => errors[field] ?? null;
  const fields = { form, getError, change };
  const retention = readRetention(form);
  const { path, proxy, pool, objectStorage } = settings;
  const place: readonly (readonly [string, string])[] = [
    ...(path === '' ? [] : [[t.path, path] as const]),
    ...(proxy === null ? [] : [[t.proxy, proxy] as const]),
    ...(pool === null ? [] : [[t.pool, pool] as const]),
    ...(objectStorage === null ? [] : [[t.objectStorageName, objectStorage] as const]),
  ];
  return (
    <form
      ref={formRef}
      noValidate
      className="flex min-h-0 grow flex-col"
      onSubmit={(event) => void save(event)}
    >
      <UnsavedQuestion
        dirty={dirty}
        leaves={(to, query) => to !== REPOSITORIES_PATH || listPlace(query).open !== id}
      />
      <div className="grid min-h-0 grow content-start gap-6 overflow-auto px-4 py-4 tablet:px-5">
        <FormPart title={t.repository}>
          <RequiredNote />
          <NameFields {...fields} />
          <FactList facts={place} />
        </FormPart>
        <RetentionFields
          {...fields}
          isNew={false}
          shortens={retention !== null && isShorterRetention(retention, settings.retention)}
        />
      </div>
      <SaveBar
        label={t.saveRepository}
        busy={busy}
        dirty={dirty || busy}
        offline={offline}
        error={error}
        onUndo={null}
        onCancel={onCancel}
      />
    </form>
  );
}

const EMPTY = {};
