import { LIMITS } from '#contract/limits.ts';
import { OBJECT_LOCK_MODES } from '#contract/backup/repositories.ts';
import { Choice } from '#src/ui/choice.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import type { StorageForm, StorageKeyFields } from './storage-form.ts';
import { lockHint, lockLabel } from './lock-label.ts';
import { backupRepositoryMessages as t } from './messages.en.ts';

interface FieldsProps<F> {
  readonly fields: F;
  readonly getError: (field: keyof F) => string | null;
  readonly onChange: (changes: Partial<F>) => void;
}

/** Where the data of a repository is: a folder of the server, or a bucket. */
export function StorageFields({
  fields,
  isExisting = false,
  getError,
  onChange,
}: FieldsProps<StorageForm> & {
  /** The repository exists: its path is known, and its files can't be locked any more. */
  readonly isExisting?: boolean;
}) {
  const plain = { autoComplete: 'off', spellCheck: false } as const;
  return (
    <>
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="sr-only">{t.storage}</legend>
        <Choice
          name="isBucket"
          checked={!fields.isBucket}
          title={t.folder}
          {...(!isExisting && { detail: t.folderHint })}
          onChoose={() => onChange({ isBucket: false })}
        />
        <Choice
          name="isBucket"
          checked={fields.isBucket}
          title={t.objectStorage}
          detail={t.objectStorageHint}
          onChoose={() => onChange({ isBucket: true })}
        />
      </fieldset>
      {fields.isBucket && (
        <>
          <TextField
            {...plain}
            label={t.endpoint}
            hint={t.endpointHint}
            type="url"
            inputMode="url"
            required
            maxLength={LIMITS.addressChars}
            value={fields.endpoint}
            error={getError('endpoint')}
            onChange={({ target }) => onChange({ endpoint: target.value })}
          />
          <TextField
            {...plain}
            label={t.region}
            required
            value={fields.region}
            error={getError('region')}
            onChange={({ target }) => onChange({ region: target.value })}
          />
          <TextField
            {...plain}
            label={t.bucket}
            hint={t.bucketHint}
            required
            value={fields.bucket}
            error={getError('bucket')}
            onChange={({ target }) => onChange({ bucket: target.value })}
          />
          <TextField
            {...plain}
            label={t.prefix}
            hint={t.prefixHint}
            value={fields.prefix}
            error={getError('prefix')}
            onChange={({ target }) => onChange({ prefix: target.value })}
          />
          <StorageKeyInputs fields={fields} getError={getError} onChange={onChange} />
          <TextArea
            label={t.certificate}
            hint={t.certificateHint}
            mono
            spellCheck={false}
            maxLength={LIMITS.certificateChars}
            value={fields.certificate}
            error={getError('certificate')}
            onChange={({ target }) => onChange({ certificate: target.value })}
          />
          {!isExisting && <ObjectLockField fields={fields} onChange={onChange} />}
        </>
      )}
    </>
  );
}

/** Whether nobody can delete backups before they expire. It can't be changed later. */
function ObjectLockField({
  fields: { objectLock },
  onChange,
}: Pick<FieldsProps<StorageForm>, 'fields' | 'onChange'>) {
  const choose = (value: StorageForm['objectLock'], title: string, detail: string) => (
    <Choice
      key={title}
      name="objectLock"
      checked={objectLock === value}
      title={title}
      detail={detail}
      onChoose={() => onChange({ objectLock: value })}
    />
  );
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="pb-1 font-semibold">{t.objectLock}</legend>
      <p className="m-0 text-agate text-ink-3">{t.objectLockHint}</p>
      {choose(null, t.lockOff, t.lockOffHint)}
      {OBJECT_LOCK_MODES.map((mode) => choose(mode, lockLabel(mode), lockHint(mode)))}
    </fieldset>
  );
}

/** The access key of object storage. */
export function StorageKeyInputs({ fields, getError, onChange }: FieldsProps<StorageKeyFields>) {
  return (
    <>
      <TextField
        label={t.accessKeyId}
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.nameChars}
        value={fields.accessKeyId}
        error={getError('accessKeyId')}
        onChange={({ target }) => onChange({ accessKeyId: target.value })}
      />
      <TextField
        label={t.secretAccessKey}
        type="password"
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.secretChars}
        value={fields.secretAccessKey}
        error={getError('secretAccessKey')}
        onChange={({ target }) => onChange({ secretAccessKey: target.value })}
      />
    </>
  );
}
