import { useState } from 'react';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OutputOf } from '#contract/calls.ts';
import { getFailureText } from '#src/app/failure-text.ts';
import { PageLoading } from '#src/app/shell/page-loading.tsx';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { Choice } from '#src/ui/choice.tsx';
import { SelectedValues } from '#src/ui/chosen.tsx';
import { DelayedFallback } from '#src/ui/delayed-fallback.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { uiMessages as ui } from '#src/ui/messages.en.ts';
import { RetryCallout } from '#src/ui/retry-callout.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { PersonPicker } from '../../shared/forms/person-picker.tsx';
import { useQuery } from '../../shared/queries/use-query.ts';
import { CompanyRecipients } from './company-recipients.tsx';
import { createNotificationsForm, makeNotificationsSchema } from './notifications-form.ts';
import { backupJobMessages as t } from './messages.en.ts';

interface Props {
  readonly row: BackupJobRow;
  readonly onClose: () => void;
}

/** Who gets an email after the sessions of a job, and after which. */
export function JobNotifications({ row, onClose }: Props) {
  const { value, failure, again } = useQuery('getJobNotifications', { jobId: row.id });
  const [first, setFirst] = useState(value);
  // What the user edits stays as it is if the data is read again.
  if (first === null && value !== null) setFirst(value);
  if (first !== null) return <Form row={row} saved={first} onClose={onClose} />;
  return (
    <Dialog title={t.notifications} onClose={onClose}>
      <div className="px-5 py-4">
        {failure === null ? (
          <DelayedFallback>
            <PageLoading />
          </DelayedFallback>
        ) : (
          <RetryCallout failure={failure} onRetry={again}>
            {getFailureText(failure)}
          </RetryCallout>
        )}
      </div>
    </Dialog>
  );
}

function Form({
  row: { id, company },
  saved,
  onClose,
}: Props & { readonly saved: OutputOf<'getJobNotifications'> }) {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { form, change, errors, error, busy, dirty, formRef, save } = useDraftForm({
    initial: createNotificationsForm(saved),
    offline,
    schema: makeNotificationsSchema(id),
    submit: (input) => client().ask('setJobNotifications', input),
    onSaved: () => {
      showSuccess(t.notificationsSaved);
      onClose();
    },
  });
  return (
    <FormDialog
      dirty={dirty}
      title={t.notifications}
      onClose={onClose}
      submitLabel={ui.save}
      busy={busy}
      error={error}
      formRef={formRef}
      onSubmit={save}
    >
      <Switch
        label={t.notifyEnabled}
        on={form.enabled}
        onChange={(enabled) => change({ enabled })}
      />
      <fieldset className="m-0 min-w-0 border-0 p-0">
        <legend className="p-0 text-agate text-ink-2">{t.notifyWhen}</legend>
        <Choice
          name="when"
          checked={!form.notifyOnFailure}
          title={t.notifyAll}
          onChoose={() => change({ notifyOnFailure: false })}
        />
        <Choice
          name="when"
          checked={form.notifyOnFailure}
          title={t.notifyFailures}
          detail={t.notifyFailuresHint}
          onChoose={() => change({ notifyOnFailure: true })}
        />
      </fieldset>
      <PersonPicker
        label={t.addUser}
        without={form.users.map(({ _id }) => _id)}
        onChoose={({ _id, name, username }) =>
          change({ users: [...form.users, { _id, name, username }] })
        }
      />
      <CompanyRecipients
        company={company}
        users={form.users}
        offline={offline}
        onAdd={(added) => change({ users: [...form.users, ...added] })}
      />
      <SelectedValues
        label={t.notifyUsers}
        none={t.noUsers}
        items={form.users.map(({ _id, name, username }) => ({
          key: _id,
          label: `${name} (${username})`,
        }))}
        onRemove={(key) => change({ users: form.users.filter(({ _id }) => _id !== key) })}
      />
      <TextArea
        label={t.notifyAddresses}
        value={form.addresses}
        rows={3}
        error={errors['addresses'] ?? null}
        hint={t.notifyAddressesHint}
        onChange={({ target }) => change({ addresses: target.value })}
      />
    </FormDialog>
  );
}

const EMPTY = {};
