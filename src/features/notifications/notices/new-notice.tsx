import { notificationCalls } from '#contract/notifications/notice-calls.ts';
import { ROLES } from '#contract/abilities.ts';
import { LIMITS } from '#contract/limits.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { readServerErrors } from '#src/ui/form-errors.ts';
import { makeFormSchema } from '#src/ui/form-schema.ts';
import { useDraftForm } from '#src/ui/use-draft-form.ts';
import { withReauth } from '#src/app/shell/reauth/reauth.ts';
import { ROLE_NAMES } from '#src/features/shared/role-names.ts';
import { Callout } from '#src/ui/callout.tsx';
import { Check } from '#src/ui/check.tsx';
import { Combobox } from '#src/ui/combobox.tsx';
import { FormDialog } from '#src/ui/form-dialog.tsx';
import { RequiredNote } from '#src/ui/required.tsx';
import { Select } from '#src/ui/select.tsx';
import { Switch } from '#src/ui/switch.tsx';
import { TextArea } from '#src/ui/text-area.tsx';
import { TextField } from '#src/ui/text-field.tsx';
import { showSuccess } from '#src/ui/toasts.ts';
import {
  APP_WORDS,
  EMPTY_NOTICE,
  NOTICE_ERRORS,
  getNotice,
  NOTICE_SEVERITIES,
  findMissingChoice,
} from './draft.ts';
import type { NoticeDraft } from './draft.ts';
import type { Reader } from './use-readers.ts';
import { adminNoticesMessages as t } from './messages.en.ts';

const APPS = (['monitoring', 'o365', 'admin'] as const).map((value) => ({
  value,
  label: APP_WORDS[value],
}));
const KINDS = (['info', 'success', 'warning', 'error'] as const).map((value) => ({
  value,
  label: NOTICE_SEVERITIES[value].label,
}));

const schema = makeFormSchema(
  notificationCalls.publishNotification.input,
  (draft: NoticeDraft) => ({ value: getNotice(draft), errors: findMissingChoice(draft) }),
  NOTICE_ERRORS,
);

export interface NewNoticeProps {
  readonly readers: readonly Reader[];
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Form for a notice: text, readers, and how it is dismissed. */
export function NewNotice({ readers, onClose, onMade }: NewNoticeProps) {
  const {
    form: draft,
    change: put,
    errors,
    error,
    busy,
    dirty,
    formRef,
    save,
  } = useDraftForm({
    initial: EMPTY_NOTICE,
    schema,
    submit: (input) => withReauth(() => client().ask('publishNotification', input)),
    explain: (failure) => readServerErrors(failure, NOTICE_ERRORS),
    onSaved: () => {
      showSuccess(t.noticePublished);
      onMade();
    },
  });

  const { tone } = NOTICE_SEVERITIES[draft.severity];
  return (
    <FormDialog
      dirty={dirty}
      title={t.newNotice}
      wide
      onClose={onClose}
      submitLabel={t.publish}
      busy={busy}
      formRef={formRef}
      onSubmit={save}
    >
      <RequiredNote />
      <div className="grid items-start gap-4 tablet:grid-cols-2">
        <Select
          label={t.shownIn}
          block
          value={draft.app}
          options={APPS}
          onChange={(app) => put({ app })}
        />
        <Select
          label={t.severity}
          block
          value={draft.severity}
          options={KINDS}
          onChange={(severity) => put({ severity })}
        />
      </div>
      <TextArea
        label={t.text}
        required
        value={draft.message}
        error={errors['message'] ?? null}
        maxLength={LIMITS.messageChars}
        onChange={(event) => put({ message: event.target.value })}
        hint={t.charactersLeft({ count: LIMITS.messageChars - draft.message.length })}
      />
      <TextField
        label={t.link}
        value={draft.link}
        error={errors['link'] ?? null}
        maxLength={2_000}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => put({ link: event.target.value })}
        hint={t.linkHint}
      />
      {draft.link.trim() !== '' && (
        <Switch label={t.copyLink} on={draft.copy} onChange={(copy) => put({ copy })} />
      )}
      <fieldset className="m-0 grid min-w-0 gap-3 border-0 border-t border-hair p-0 pt-4">
        <legend className="sr-only">{t.readers}</legend>
        <Select
          label={t.audience}
          block
          value={draft.to}
          onChange={(to) => put({ to })}
          options={[
            { value: 'all', label: t.audienceAll },
            { value: 'roles', label: t.audienceRoles },
            ...(readers.length > 0 ? [{ value: 'user' as const, label: t.audienceUser }] : []),
          ]}
        />
        {draft.to === 'roles' && (
          <fieldset className="m-0 min-w-0 border-0 p-0">
            <legend className="pb-1 font-semibold">{t.roles}</legend>
            <div className="grid">
              {ROLES.map((role) => (
                <Check
                  key={role}
                  title={ROLE_NAMES[role]}
                  checked={draft.roles.includes(role)}
                  onChange={(on) =>
                    put({
                      roles: on
                        ? [...draft.roles, role]
                        : draft.roles.filter((one) => one !== role),
                    })
                  }
                />
              ))}
            </div>
            {errors['roles'] !== undefined && (
              <p role="alert" className="m-0 text-agate text-failed">
                {errors['roles']}
              </p>
            )}
          </fieldset>
        )}
        {draft.to === 'user' && (
          <Combobox
            label={t.user}
            required
            value={draft.userId}
            options={readers}
            placeholder={t.userPlaceholder}
            error={errors['userId'] ?? null}
            onChange={(userId) => put({ userId })}
          />
        )}
      </fieldset>
      <div className="grid border-t border-hair pt-2">
        <Switch
          label={t.canAcknowledge}
          detail={t.canAcknowledgeHint}
          on={!draft.hideAck}
          onChange={(on) => put({ hideAck: !on })}
        />
        <Switch
          label={t.canClose}
          detail={t.canCloseHint}
          on={!draft.hideClose}
          onChange={(on) => put({ hideClose: !on })}
        />
      </div>
      {draft.message.trim() !== '' && (
        <div className="grid gap-1.5">
          <span className="text-ink-3">{t.preview}</span>
          <Callout tone={tone}>{draft.message.trim()}</Callout>
        </div>
      )}
      {error !== null && (
        <Callout tone="failed" alert>
          {error}
        </Callout>
      )}
    </FormDialog>
  );
}
